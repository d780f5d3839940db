"""A rebalance waits for members that rejoin late, because they are in a batch, or their process was stopped."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import takewhile

from groupsim.diagnosis.cause import STEPWISE, Cause, Message, evidence_of, names, one_or_many, span
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.listener_gaps import listener_gaps
from groupsim.diagnosis.moves import Going
from groupsim.diagnosis.rebalances import Rebalance
from groupsim.diagnosis.said import Said
from groupsim.incidents.default_settings import HEARTBEAT_MS
from groupsim.incidents.logs.client_libraries import application_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program
from groupsim.wording.times import duration

_LONG_MS = 3_400
"""Longer than heartbeat.interval.ms (3 s by default, ConsumerConfig): until then a member has not heard of it."""
_OWN_THREAD = frozenset([Program.JAVA, Program.KAFKA_PYTHON])
"""Libraries whose heartbeats have a thread of their own."""
_LATE_MS = 1_200
"""So long after it heard of a rebalance a member that polls has rejoined."""
_WAITED_MS = 8_000
"""Longer than a poll of a member that works in small batches."""
_THREAD = re.compile(r"StreamThread-(\d{1,4})-consumer$")
_WAS_IN = (RowKind.ASSIGNED, RowKind.HEARTBEAT_SAYS_REBALANCING)
"""Lines of a client that is a member already."""
_POLLS = frozenset(
    [RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.LOST, RowKind.JOIN_FAILED,
     RowKind.LEAVE_SENT, RowKind.CLIENT_CLOSED, RowKind.GENERATION_RESET, RowKind.POLL_TIMEOUT]
)  # fmt: skip
_OPEN_MS = 60_000
"""Without a line that ends it, a rebalance goes on: shorter, and the log may just end in it."""
_ANOTHER = frozenset(
    [RowKind.COORDINATOR_LIFECYCLE, RowKind.BROKER_LIFECYCLE, RowKind.BROKER_UNLOADED, RowKind.GROUP_LOADED,
     RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD]
)  # fmt: skip
"""Lines of a broker after which another one may go on with a rebalance, or nobody."""
_WORKING = "probably because it was still processing a batch"
_WHO = Remedy(
    "find which member is missing: the broker's log says who it waited for, or the members' own logs who was still"
    " processing a batch",
    brief="find which member is missing",
)
_GONE = Remedy(
    "if the missing member had died: call close() before the process ends; its session.timeout.ms is what all wait for",
    ("session.timeout.ms",),
)
_DO = (
    Remedy(
        "make batches smaller (max.poll.records), or lower max.poll.interval.ms, which is also how long a rebalance"
        " waits for a late member (a member that is later than that is removed)",
        ("max.poll.records", "max.poll.interval.ms"),
        brief="make batches smaller",
    ),
    STEPWISE,
)


_PAUSE = (
    Remedy(
        "find what stopped the process meanwhile (CPU limits, garbage collection, a machine that was paused), or cut it"
        " off from the coordinator",
        brief="look for a pause of that process",
    ),
    STEPWISE,
)


def _find(log: GroupLog) -> Finding | None:
    late = _late_members(log)
    listened = listener_gaps(log)
    long = [r for r in log.rebalances if _is_long(log, r) and not _waited_for_a_listener(r, listened)]
    if not late and long and (stopped := _stopped(log, long)):
        return stopped
    if not late and not long:
        return _open(log) or _waited(log) or _stays_away(log)
    who = names(late)
    said = [line for lines in late.values() for line in lines] or [line for r in long for line in r.said]
    waited = sum(r.waited_ms or 0 for r in long)
    return Finding(
        code=Code.SLOW_REJOIN,
        certainty=Certainty.LIKELY,
        what=_sentence(log.called(who), waited, len(long), _late_ms(late)),
        members=who,
        times=max(len(long), 1),
        evidence=evidence_of(said),
        do=_DO,
        confirm=None if who else "the members' own logs: which one writes (Re-)joining group last",
        harm_ms=waited or 3_000,
    )


def _stopped(log: GroupLog, long: list[Rebalance]) -> Finding | None:
    """Members for whose next heartbeat rebalances waited: their processes were stopped, or cut off.

    Heartbeats of these libraries go on in a long batch (Java: AbstractCoordinator.HeartbeatThread).
    """
    found: dict[str, list[Said]] = {}
    for rebalance in long:
        start, stable = rebalance.start, rebalance.stable
        heard = [line for said in log.clients.values() if (line := _first_of(said, start, stable)) is not None]
        last = max(heard, key=lambda line: line.at or 0, default=None)
        if last is None or start is None or stable is None or not _hears(last) or last.row.program not in _OWN_THREAD:
            return None
        client = str(last.client)
        late = _from_to([start, last]) > _heartbeat_ms(log, client) + _LONG_MS - HEARTBEAT_MS
        if not late or _from_to([last, stable]) > _LATE_MS:
            return None
        found[client] = [start, last, stable]
    who = names(found)
    waited = sum(rebalance.waited_ms or 0 for rebalance in long)
    return Finding(
        code=Code.SLOW_REJOIN,
        certainty=Certainty.LIKELY,
        what=f"the process of {one_or_many(log.called(who))} was probably stopped, as it heard of a rebalance later"
        f" than at a heartbeat: the group waited {duration(waited)}"
        + (f" in {len(long)} rebalances" if len(long) > 1 else ""),
        members=who,
        times=len(long),
        evidence=evidence_of([line for lines in found.values() for line in lines]),
        do=_PAUSE,
        confirm="what the machine of that process did in that time: CPU throttling, garbage collection, sleep",
        harm_ms=waited,
    )


def _first_of(said: list[Said], start: Said | None, stable: Said | None) -> Said | None:
    """The first line of a client in a rebalance."""
    if start is None or stable is None:
        return None
    return next((line for line in said if start.nth < line.nth < stable.nth and line.at is not None), None)


def _heartbeat_ms(log: GroupLog, client: str) -> int:
    """How far apart a client's heartbeats are: as it prints it, or Kafka's default."""
    for line in log.of(RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SETTING):
        settings = line.row.detail.get("settings")
        if line.client == client and isinstance(settings, Mapping):
            interval = settings.get("heartbeat.interval.ms")
            return max(HEARTBEAT_MS, interval) if isinstance(interval, int) else HEARTBEAT_MS
    return HEARTBEAT_MS


def _open(log: GroupLog) -> Finding | None:
    """A rebalance that is still open where a broker's lines end, long after it began; nobody died meanwhile."""
    last = log.rebalances[-1] if log.rebalances else None
    start = None if last is None or last.first or last.stable or last.stored else last.start
    after = [line for line in log.broker if start is not None and line.nth > start.nth and line.at is not None]
    if start is None or start.at is None or not after or any(line.row.kind in _ANOTHER for line in after):
        return None
    open_ms = (after[-1].at or 0) - start.at
    died = any(gone.going is Going.EXPIRED for gone in log.removed(start.nth, after[-1].nth))
    if died or open_ms < _OPEN_MS or log.type is not GroupType.CLASSIC:
        return None
    return Finding(
        code=Code.SLOW_REJOIN,
        certainty=Certainty.LIKELY if log.of(RowKind.STABILIZED) else Certainty.POSSIBLE,
        what="no line shows the end of the last rebalance, which began"
        f" {duration(open_ms)} before the group's last line:"
        " it probably waits for a member in a long batch",
        evidence=evidence_of([start]),
        do=_DO,
        confirm="the broker's next lines, up to `Stabilized group`; the members' own logs: which one rejoins last",
        harm_ms=open_ms,
    )


def _waited(log: GroupLog) -> Finding | None:
    """Members that had been in the group rejoined at once and waited: only other logs say for which member."""
    waits: list[tuple[Said, Said, int]] = []
    were_in = False
    for process in (process for processes in log.incarnations.values() for process in processes):
        asked: Said | None = None
        had = False
        for line in process.said:
            if line.row.kind is RowKind.JOINING:
                asked = asked or line
            elif line.row.kind is RowKind.JOINED:
                if asked is not None and asked.at is not None and line.at is not None:
                    waits.append((asked, line, line.at - asked.at))
                    were_in = were_in or (had and line.at - asked.at >= _WAITED_MS)
                asked = None
            had = had or _was_in(line)
    if not waits:  # an empty group, too, answers only after group.initial.rebalance.delay.ms
        waits = [(line, line, int(str(line.row.detail["after_ms"]))) for line in log.of(RowKind.JOIN_ANSWERED)]
        were_in = any(ms >= _WAITED_MS for _, _, ms in waits)
    long = [wait for wait in waits if wait[2] >= _WAITED_MS]
    if not were_in or log.has_broker:
        return None
    said = [line for asked, joined, _ in long for line in (asked, joined)]
    longest = max(ms for _, _, ms in long)
    who = names(str(asked.client) for asked, _, _ in long if asked.client)
    return Finding(
        code=Code.SLOW_REJOIN,
        certainty=Certainty.LIKELY if len(who) > 1 else Certainty.POSSIBLE,
        what=f"{one_or_many(log.called(who)) if who else 'a member'} waited {duration(longest)} in a rebalance for one"
        f" that rejoined late, or had died{_missing(log)}",
        members=who,
        times=len(long),
        evidence=evidence_of(said),
        do=(_WHO, *_DO, _GONE),
        confirm="the broker's log: who it waited for",
        harm_ms=longest,
    )


def _stays_away(log: GroupLog) -> Finding | None:
    """A member that hears again and again that its group rebalances, and asks for no part of it."""
    found: list[tuple[str, list[Said]]] = []
    for client, said in log.clients.items():
        heard = [line for line in said if _hears(line)]
        if len(heard) > 1 and _from_to(heard) >= _LATE_MS and not _asks(said, heard[0].nth):
            found.append((client, [heard[0], heard[-1]]))
    if not found or log.has_broker:
        return None
    lines = [line for _, lines in found for line in lines]
    who = names(client for client, _ in found)
    longest = max(_from_to(lines) for _, lines in found)
    return Finding(
        code=Code.SLOW_REJOIN,
        certainty=Certainty.LIKELY,
        what=f"{one_or_many(log.called(who))} heard for {duration(longest)} that the group rebalances and did not"
        " rejoin: it did not poll, in a long batch or a listener",
        members=who,
        evidence=evidence_of(lines),
        do=_DO,
        confirm="the application's log of that time: what it does between two polls",
        harm_ms=longest,
    )


def _hears(line: Said) -> bool:
    """Whether the coordinator tells a client that its group rebalances."""
    kind = line.row.kind
    return kind is RowKind.HEARTBEAT_SAYS_REBALANCING or (
        kind is RowKind.REJOIN_REQUESTED and "already rebalancing" in line.reason
    )


def _from_to(lines: list[Said]) -> int:
    first, last = span(lines)
    return 0 if first is None or last is None else last - first


def _asks(said: list[Said], after: int) -> bool:
    """Whether a client does behind a line what only one does that polls."""
    return any(line.row.kind in _POLLS for line in said if line.nth > after)


def _was_in(line: Said) -> bool:
    """Whether its client is a member already; one that starts may give up what it does not have."""
    if line.row.kind is RowKind.REVOKED:
        return bool(line.row.detail.get("partitions"))
    return line.row.kind in _WAS_IN or "already rebalancing" in line.reason


def _missing(log: GroupLog) -> str:
    """The threads of a Streams application that its lines leave out, by their numbers."""
    numbers = {int(found[1]) for client in log.clients if (found := _THREAD.search(client)) is not None}
    missing = sorted(set(range(1, max(numbers, default=1))) - numbers)
    applications = {application_of(client) for client in log.clients}
    return f" (StreamThread-{missing[0]} is not in these lines)" if len(missing) == len(applications) == 1 else ""


def _late_ms(late: dict[str, list[Said]]) -> int:
    """How long at most from what a member heard until it asked to join."""
    pairs = [pair for lines in late.values() for pair in zip(lines[::2], lines[1::2], strict=True)]
    return max(
        (joins.at - heard.at for heard, joins in pairs if joins.at is not None and heard.at is not None), default=0
    )


def _sentence(who: tuple[str, ...], waited: int, times: int, late_ms: int) -> str:
    how = f"{duration(waited)} in {times} rebalances" if times > 1 else duration(waited)
    if not who:
        return f"the group waited {how} for a member that rejoined late, {_WORKING}"
    name = one_or_many(who)
    late = f"{'up to ' if len(who) > 1 else ''}{duration(late_ms)} after hearing" if late_ms else "late after hearing"
    return f"{name} rejoined {late} of a rebalance, {_WORKING}" + (f": the group waited {how}" if waited else "")


def _is_long(log: GroupLog, rebalance: Rebalance) -> bool:
    waited = rebalance.waited_ms
    if waited is None or waited < _LONG_MS or rebalance.first or rebalance.start is None or rebalance.stable is None:
        return False
    first, last = rebalance.start.nth, rebalance.stable.nth
    near = bisect_right(log.joins, first - 6, key=lambda join: join.said.nth)
    joined_empty = any(join.empty for join in takewhile(lambda join: join.said.nth < first + 6, log.joins[near:]))
    return not log.removed(first, last) and not joined_empty


def _waited_for_a_listener(rebalance: Rebalance, listened: list[tuple[Said, Said, int]]) -> bool:
    """Whether its last member came out of its listener: then it was not in a batch."""
    end = rebalance.stable.at if rebalance.stable is not None else None
    return end is not None and any(after.at is not None and abs(end - after.at) < _LATE_MS for _, after, _ in listened)


def _late_members(log: GroupLog) -> dict[str, list[Said]]:
    """Members that heard of a rebalance and rejoined over a second later, by their own logs."""
    late: dict[str, list[Said]] = defaultdict(list)
    for client, said in log.clients.items():
        heard: Said | None = None
        revoked: Said | None = None
        for line in said:
            kind = line.row.kind
            if _hears(line):
                heard = heard or line
            elif kind in (RowKind.REVOKED, RowKind.LOST):
                revoked = revoked or line
            elif kind is RowKind.JOINING:
                begins = revoked if revoked is not None else line
                if heard is not None and begins.at is not None and begins.at - (heard.at or begins.at) > _LATE_MS:
                    late[client] += [heard, line]
                heard = revoked = None
    return late


CAUSE = Cause(
    code=Code.SLOW_REJOIN,
    title="A member rejoined late",
    means="A rebalance waits until every member has rejoined, at most `max.poll.interval.ms` (rebalance timeout). A"
    " member in a long batch rejoins only at its next poll; under an eager assignor all others wait meanwhile."
    " Heartbeats go on in a batch: a member that hears of the rebalance itself later than at one was stopped.",
    seen=(
        Message("Broker", "a long time between `Preparing to rebalance group` and `Stabilized group`"),
        Message(
            "Java", "Request joining group due to: group is already rebalancing, and `(Re-)joining group` much later"
        ),
        Message("librdkafka", "Not joining group: held back by preceding blocking JoinGroupRequest"),
        Message("librdkafka", "Received JoinGroupResponse (…, rtt 45000.12ms)"),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER}),
    symptoms=("my group rebalances all the time", "a rebalance takes long", "which timeout"),
)
