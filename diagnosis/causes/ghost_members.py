"""A rebalance waits for members whose process is gone, or partitions go to them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter

from groupsim.diagnosis.cause import Cause, Message, evidence_of, hedged, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.incarnations import Incarnation
from groupsim.diagnosis.moves import Departure, Going
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.times import lasted
from groupsim.incidents.logs.client_libraries import client_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_WAITS_MS = 5_000
"""Longer than group.initial.rebalance.delay.ms (3 s) and one heartbeat."""
_SESSION_MS = 60_000
"""Longer than the default of session.timeout.ms (45 s)."""
_NO_MEMBER = re.compile(r"(?i)unknown.?member|not aware of this member|not current|fenced|illegal.?generation")
"""An answer to a LeaveGroup of which the sender is no member any more."""
_WHY = Remedy(
    "find out why the process ends, and why nothing starts it again at once (its own log, its exit status)",
    brief="find out why it ends",
)
"""Most of that time nobody was there: no setting of the group brings a process back."""
_DO = (
    Remedy(
        "call close() before the process ends (on SIGTERM; terminationGracePeriodSeconds); else each new start waits"
        " until session.timeout.ms of the old member is over",
        ("terminationGracePeriodSeconds", "session.timeout.ms"),
        brief="call close() before the process ends",
    ),
    Remedy(
        "or give them a group.instance.id, so that a new process takes its old place",
        ("group.instance.id",),
        needs="group.instance.id",
    ),
)
_STREAMS = (
    Remedy(
        "give the instances a group.instance.id, so that a new process takes its old place: Kafka Streams does not"
        " leave when it closes, and each new start waits until session.timeout.ms of the old member is over",
        ("group.instance.id", "session.timeout.ms"),
        brief="give its instances a group.instance.id",
    ),
    Remedy(
        "or close them so that they leave: CloseOptions.leaveGroup(true) (since Kafka 4.1 LEAVE_GROUP), or"
        " internal.leave.group.on.close=true; or lower session.timeout.ms",
        ("internal.leave.group.on.close", "session.timeout.ms"),
    ),
)
"""The classic protocol of Kafka Streams."""
_AND_CLOSE = _DO[0]._replace(what=f"and {_DO[0].what}")


def _find(log: GroupLog) -> Finding | None:
    return _in_rebalances(log) or _in_a_plan(log) or _in_a_start(log) or _in_a_leave(log)


def _in_rebalances(log: GroupLog) -> Finding | None:
    """A rebalance that began with a join and ended only when silent members were removed."""
    waits, said, who = list[int](), list[Said](), list[str]()
    ids: set[str | None] = set()
    unsent, emptied = "", 0
    silent = [d for d in log.departures if d.going is Going.EXPIRED and d.by_broker]
    starts = [r.start.nth for r in log.rebalances if r.start is not None]
    silent.reverse()
    for rebalance in log.rebalances:
        start, stable = rebalance.start, rebalance.stable
        if start is None or (rebalance.waited_ms is not None and rebalance.waited_ms < _WAITS_MS):
            continue
        last = stable.nth if stable is not None else log.said[-1].nth
        expired = [d for d in log.removed(start.nth, last) if d.going is Going.EXPIRED]
        expired.sort(key=lambda d: d.first.nth)
        if not expired or "heartbeat expiration" in rebalance.reason or stable is None:
            continue
        waits.append(rebalance.waited_ms or 0)
        said += [start, *(d.removed for d in expired), stable]
        who += [d.who for d in expired]
        ids |= {d.member for d in expired}
        if rebalance.stored is not None:
            continue
        while silent and silent[-1].removed.nth <= stable.nth:
            silent.pop()
        place = bisect_right(starts, stable.nth)
        in_time = bool(silent) and (place == len(starts) or silent[-1].first.nth <= starts[place])
        if in_time and _is_soon(log, stable, silent[-1].removed):
            then, outage, lines = _leader_died(log, silent[-1], [d.who for d in expired])
            unsent = f"; {then}"
            emptied += outage
            said = [expired[0].removed, *lines, *said]
    if not said:
        return None
    waited = sum(waits)
    rebalances = f"{len(waits)} rebalances" if len(waits) > 1 else "a rebalance"
    rebalances += f" of {log.group}" if log.group else ""
    long = f" {duration(waited)}" if waited else ""
    return _finding(
        log, f"{rebalances} waited{long} for {_members(log, who, len(ids))} gone{unsent}",
        names(who), said, Certainty.LIKELY, waited + emptied + 12_000, confirm=None, first=_WHY if emptied else None,
    )  # fmt: skip


def _leader_died(log: GroupLog, died: Departure, former: list[str]) -> tuple[str, int, list[Said]]:
    """What became of a rebalance without an assignment, for how long its group then was empty, in ms, and the lines of
    it: who was removed, that nobody was left, and who came next.
    """
    name, removed = log.called([died.who])[0], died.removed
    went = "the new one ended, too" if died.who in former else f"{name} never sent its assignment"
    emptied = log.of(RowKind.GROUP_EMPTY)
    empty = next(iter(emptied[bisect_right(emptied, removed.nth, key=lambda line: line.nth) :]), None)
    place = bisect_right(log.joins, removed.nth, key=lambda join: join.said.nth)
    later = [join.said for join in log.joins[place : place + 1]]
    if empty is None or (later and later[0].nth < empty.nth):
        return f"{went}, and was removed", 0, [removed]
    lines = [empty, removed, *later]
    until = later[0].at if later else log.end
    if until is None or empty.at is None:
        return f"{went}, and the group was empty", 0, lines
    empty_ms = until - empty.at
    return f"{went}, and the group was empty for {lasted(empty_ms, ended=bool(later))}", empty_ms, lines


def _is_soon(log: GroupLog, stable: Said, removed: Said) -> bool:
    """Whether a line with the assignment would be in the log: it has others, or the removal follows soon."""
    soon = stable.at is not None and removed.at is not None and removed.at - stable.at < _SESSION_MS
    return soon or bool(log.of(RowKind.ASSIGNMENT_RECEIVED))


def _in_a_plan(log: GroupLog) -> Finding | None:
    """Two member ids of one client id in one assignment, though the client has one process."""
    known: set[str] = set()
    for line in log.of(RowKind.LEADER_COMPUTED_ASSIGNMENT):
        plan = line.row.detail.get("assignment")
        if not isinstance(plan, dict):
            continue
        if known & plan.keys() or _had_all(
            log, line, plan
        ):  # the leader is the member it was: whoever is beside it is somebody new
            known |= plan.keys()
            continue
        known |= plan.keys()
        twice = [client for client, number in Counter(client_of(m) for m in plan).items() if client and number > 1]
        if twice and len(twice) == 1 and not log.has_broker and len(log.clients) == 1:
            return _finding(
                log, f"two members of generation {line.row.detail.get('generation')} have one client id: one is"
                " probably a former process that never left, and nobody reads its partitions",
                (twice[0],), [line], Certainty.LIKELY, 10_000,
            )  # fmt: skip
    return None


def _had_all(log: GroupLog, plan_line: Said, plan: dict[str, list[str]]) -> bool:
    """Whether the leader gave up all that it now shares out: it was alone, and whoever is beside it is new."""
    own = log.clients[str(plan_line.client)]
    place = bisect_left(own, plan_line.nth, key=lambda line: line.nth)
    revoked = next((own[nth] for nth in reversed(range(place)) if own[nth].row.kind is RowKind.REVOKED), None)
    return revoked is not None and set(_listed(revoked)) == {p for partitions in plan.values() for p in partitions}


def _listed(line: Said) -> list[str]:
    partitions = line.row.detail.get("partitions")
    return [str(partition) for partition in partitions] if isinstance(partitions, list) else []


def _in_a_start(log: GroupLog) -> Finding | None:
    """A client that was started again and got into the group only after a session timeout."""
    waits = []
    for incarnations in log.incarnations.values():
        for before, incarnation in zip([None, *incarnations], incarnations, strict=False):
            found = _join_took(incarnation)
            if (
                found is not None
                and found[2] >= _WAITS_MS
                and incarnation.begins
                and (before is None or not before.closed)
            ):
                waits.append(found)
    if not waits or log.has_broker:
        return None
    said = [line for asked, joined, _ in waits for line in (asked, joined)]
    total = sum(ms for _, _, ms in waits)
    each, again = duration(total / len(waits)), "a start waited"
    if len(waits) > 1:
        each, again = f"about {each} each, {duration(total)} in all,", f"{len(waits)} starts waited"
    certain = Certainty.LIKELY if len(waits) > 1 else Certainty.POSSIBLE
    where = log.group or "the group"
    return _finding(
        log, f"{again} {each} to get into {where}, probably for a former member that had not left",
        names(str(line.client) for line in said), said, certain, total + 5_000,
    )  # fmt: skip


def _in_a_leave(log: GroupLog) -> Finding | None:
    """A client whose LeaveGroup got no answer: the coordinator may not know that it is gone."""
    said = [
        line
        for line in log.of(RowKind.LEAVE_FAILED, RowKind.REQUEST_TIMED_OUT)
        if line.row.kind is RowKind.LEAVE_FAILED or line.row.detail.get("request") == "LeaveGroup"
        if not _NO_MEMBER.search(str(line.row.detail.get("error")))
    ]
    if not said or log.has_broker:
        return None
    who = names(str(line.client) for line in said)
    left = "could not tell the coordinator that it leaves; until its session ends it may be waited for"
    if len(who) > 1:
        left = "could not tell the coordinator that they leave; until their sessions end they may be waited for"
    return _finding(log, f"{one_or_many(who)} {left}", who, said, Certainty.POSSIBLE, 5_000)


def _join_took(incarnation: Incarnation) -> tuple[Said, Said, int] | None:
    asked = next((line for line in incarnation.said if line.row.kind is RowKind.JOINING), None)
    joined = next((line for line in incarnation.said if line.row.kind is RowKind.JOINED), None)
    if asked is None or joined is None or asked.at is None or joined.at is None:
        return None
    if joined.row.detail.get("generation") == 1:  # a new group waits for more members, up to the rebalance timeout
        return None
    return asked, joined, joined.at - asked.at


def _members(log: GroupLog, who: list[str], ids: int) -> str:
    """Whose processes they were: one client may have left several memberships behind."""
    name = one_or_many(log.called(who))
    if len(names(who)) == 1 and ids > 1:
        return f"{ids} former members of {name}, whose processes were"
    return f"{name}, whose {'processes were' if len(names(who)) > 1 else 'process was'}"


def _finding(
    log: GroupLog, what: str, who: tuple[str, ...], said: list[Said], certainty: Certainty, harm: int, *,
    confirm: str | None = "the broker's log: which member it removed, and when", first: Remedy | None = None,
) -> Finding:  # fmt: skip
    usual = _STREAMS if log.type is GroupType.STREAMS and not log.of_streams_protocol else hedged(log, _DO)
    return Finding(
        code=Code.GHOST_MEMBERS,
        certainty=certainty,
        what=what,
        members=who,
        evidence=evidence_of(said),
        do=usual if first is None else (first, *hedged(log, (_AND_CLOSE, *_DO[1:]))),
        confirm=confirm,
        harm_ms=harm,
    )


CAUSE = Cause(
    code=Code.GHOST_MEMBERS,
    title="Members that are gone are waited for",
    means="A process ended without close(). Until its session ends, the coordinator waits for it in each rebalance, or"
    " gives it partitions that nobody reads.",
    seen=(
        Message(
            "Broker", "Preparing to rebalance … (reason: Adding new member …), and `has failed, removing it` at its end"
        ),
        Message("librdkafka", "Timed out LeaveGroupRequest in flight"),
        Message("Java", "a start whose `Successfully joined group` comes a session timeout after `(Re-)joining group`"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a start takes long", "a consumer is stuck"),
)
