"""The coordinator heard nothing of a member for session.timeout.ms and removed it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from groupsim.diagnosis import after_a_session as remedies
from groupsim.diagnosis.cause import (
    Cause,
    Message,
    evidence_of,
    evidence_of_events,
    hedged,
    names,
    one_or_many,
    span,
    until_back,
    with_its_id,
)
from groupsim.diagnosis.codes import Certainty, Code, GroupType, Nature
from groupsim.diagnosis.finding import Evidence, Finding, Remedy
from groupsim.diagnosis.group_log import NOBODY, GroupLog
from groupsim.diagnosis.membership import RESTARTS_WITHIN_MS
from groupsim.diagnosis.moves import NO_SYNC, Departure, Going
from groupsim.diagnosis.rebalances import never_assigned
from groupsim.diagnosis.said import SHORTEST_SESSION_MS, Said, leaves, lost_membership
from groupsim.diagnosis.silences import idle_lines, known_freezes, silence_ms, stood_still, stopped_alone
from groupsim.incidents.logs.client_libraries import of_streams
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often
from groupsim.wording.times import duration

_AT_ONCE_MS, _A_FEW = 100, 3
"""So many clients within so long: heartbeats of separate processes are seldom so near."""
_SLEPT_MS = 300_000
"""No session is so long that it bridges this."""
_SOON_MS = 5_000
_IS_A_MEMBER = (RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED)
_READ = "read the end of its log"
_TOPIC = "`__consumer_offsets` does not show which"


def _find(log: GroupLog) -> Finding | None:
    gone = [
        d
        for d in log.departures
        if d.going is Going.EXPIRED and not _answers_a_leave(log, d) and not _just_joined(log, d)
    ]
    if not gone:
        return _said_as_reason(log) or _ended_alone(log) or _unknown_to_the_coordinator(log) or _gone_by_the_topic(log)
    who = names(d.who for d in gone)
    said = [line for d in gone for line in d.said]
    nature = Nature.UNKNOWN if _never_synced(gone) else _nature(log, gone)
    static = all(_closed_before(log, d) for d in gone)
    shown = any(d.by_broker for d in gone) or any(
        line.row.kind in (RowKind.SESSION_EXPIRED, RowKind.COORDINATOR_LOST) for line in said
    )
    closed = remedies.CLOSED_STATIC if all(_is_static(log, d) for d in gone) else remedies.CLOSED_DYNAMIC
    do = closed if static else _remedies(log, nature, gone)
    return Finding(
        code=Code.SESSION_EXPIRED,
        certainty=Certainty.SHOWN if shown else Certainty.LIKELY,
        what=_sentence(log, gone, nature, static=static, shown=shown or nature is not Nature.UNKNOWN) + _together(gone),
        members=who,
        times=len(gone),
        evidence=_evidence(log, gone),
        do=do,
        confirm=None
        if static or do is remedies.NO_SYNC
        else _confirm(log.called(who), nature, lives_on=do is remedies.LIVES_ON),
        nature=nature,
        harm_ms=10_000 * len(gone) + sum(silence_ms(log, d) for d in gone),
    )


def _evidence(log: GroupLog, gone: list[Departure]) -> Evidence:
    """From when they froze until they went on; where no line says so, from their loss until they were back."""
    idle, known = idle_lines(log, gone), known_freezes(log, gone)
    if not idle:
        found = evidence_of_events([until_back(log, [d]) for d in gone], gone[0].said if len(gone) == 1 else ())
        return found._replace(first_ms=min(wait.from_ms for wait in known)) if known else found
    woke = [[line, line._replace(at=line.at - ms)] for line, ms in idle if line.at is not None]
    first, last = span([*(line for each in woke for line in each), *(d.first for d in gone)])
    return evidence_of_events(woke, [line for line, _ in idle])._replace(first_ms=first, last_ms=last)


def _answers_a_leave(log: GroupLog, departure: Departure) -> bool:
    """After a classic client left by its poll timeout, it may hear that it is unknown: no session ended."""
    return not departure.by_broker and any(
        d.who == departure.who and d.going is Going.POLL_TIMEOUT and d.first.nth < departure.first.nth
        and log.came_back(d) is None
        for d in log.departures
    )  # fmt: skip


def _just_joined(log: GroupLog, departure: Departure) -> bool:
    """Whether a client hears that it is unknown sooner after its join than any session ends: it named an old id."""
    refused = departure.first
    if departure.by_broker or refused.at is None or refused.row.kind is RowKind.SESSION_EXPIRED:
        return False
    joined = [
        line.at
        for line in log.clients.get(departure.who, [])
        if line.row.kind is RowKind.JOINED and line.nth < refused.nth
    ]
    return bool(joined) and joined[-1] is not None and 0 <= refused.at - joined[-1] < SHORTEST_SESSION_MS


def _remedies(log: GroupLog, nature: Nature, gone: list[Departure]) -> tuple[Remedy, ...]:
    if _never_synced(gone):
        return remedies.NO_SYNC
    if stopped_alone(log, gone):
        return remedies.CUT_OFF
    if nature is Nature.FROZE:
        return remedies.SLEPT if max(_stood_still_ms(log, gone), default=0) >= _SLEPT_MS else remedies.FROZE
    if log.type is GroupType.STREAMS and not log.of_streams_protocol:
        return remedies.CLOSED_STREAMS
    if nature is Nature.UNKNOWN and all(d.who in log.clients for d in gone):
        return remedies.LIVES_ON
    if nature is Nature.DIED:
        waits = any(line.row.detail.get("delay_ms") for line in log.of(RowKind.WORKER_ASSIGNED))
        return (*((remedies.LOWER_DELAY,) if waits else ()), *hedged(log, remedies.DIED))
    do = remedies.STAYED_AWAY if all(log.came_back(d) is None for d in gone) else remedies.UNKNOWN
    if len({d.who for d in gone}) > 1:
        return remedies.SEVERAL[do]
    (whose,) = log.called([gone[0].who])
    whose = "that member" if whose == NOBODY else whose
    may_return = do is remedies.STAYED_AWAY and _left_ms(log, gone) < RESTARTS_WITHIN_MS
    brief = _READ if may_return else do[0].brief
    return (do[0]._replace(brief=brief.replace("its log", f"{whose}'s log")), *do[1:])


def _never_synced(gone: list[Departure]) -> bool:
    """Whether they were removed because they never asked for their assignment."""
    return all(NO_SYNC in d.removed.reason for d in gone)


def _confirm(who: tuple[str, ...], nature: Nature, *, lives_on: bool = False) -> str:
    if lives_on:
        return "its own lines just before: a long batch, a pause, a lost connection; and the broker's log of that time"
    if nature is Nature.FROZE:
        return f"what the machine of {one_or_many(who)} did in that time: CPU throttling, garbage collection, sleep"
    logs = f"logs of {len(who)} members, or their" if len(who) > 1 else f"log of {one_or_many(who)}, or its"
    return f"the last lines of the {logs} platform's log of restarts"


def _closed_before(log: GroupLog, departure: Departure) -> bool:
    """Whether its own log says that it was closed: a static member sends no LeaveGroup then, and stays one."""
    own = [line for line in log.clients.get(departure.who, []) if line.nth < departure.removed.nth]
    last = next((line for line in reversed(own) if leaves(line) or line.row.kind in _IS_A_MEMBER), None)
    return last is not None and leaves(last)


def _is_static(log: GroupLog, departure: Departure) -> bool:
    """Whether its own lines name its group.instance.id, or it is no instance of Kafka Streams, which need not leave."""
    own = log.clients.get(departure.who, [])
    return log.type is not GroupType.STREAMS or any(line.row.detail.get("instance") for line in own)


def _process_ended(log: GroupLog, departure: Departure) -> bool:
    """Whether the log of its process ends before the coordinator removes it."""
    processes = [p for p in log.incarnations.get(departure.who, []) if p.said[0].nth < departure.removed.nth]
    own = [p for p in processes if any(line.row.member == departure.member for line in p.said)] or processes
    return bool(own) and own[-1].said[-1].nth < departure.removed.nth


def _stood_still_ms(log: GroupLog, gone: list[Departure]) -> list[int]:
    """How long they did, each time of which a line, or a fact of a run, says so."""
    known = [wait.to_ms - wait.from_ms for wait in known_freezes(log, gone)]
    return known or [ms for _, ms in idle_lines(log, gone)]


def _nature(log: GroupLog, gone: list[Departure]) -> Nature:
    if known_freezes(log, gone):
        return Nature.FROZE
    who = {} if stopped_alone(log, gone) else dict.fromkeys(d.who for d in gone)
    if any(lost_membership(line) for name in who for line in log.clients.get(name, [])):
        return Nature.FROZE if any(stood_still(log, d) for d in gone if d.who in log.clients) else Nature.UNKNOWN
    return Nature.DIED if any(_process_ended(log, d) for d in gone) else Nature.UNKNOWN


def _said_as_reason(log: GroupLog) -> Finding | None:
    """librdkafka may give it as the reason of a rebalance alone (rd_kafka_cgrp_session_timeout_check)."""
    said = [s for s in log.troubles if s.row.kind is RowKind.REASON_GIVEN and "session timed out" in s.reason]
    if not said:
        return None
    who = names(line.client for line in said if line.client)
    what = f"{one_or_many(log.called(who))} heard nothing from its coordinator for longer than session.timeout.ms"
    found = _lives_on(who, said, what + often(len(said)), Certainty.SHOWN)
    return replace(found, times=len(said), harm_ms=10_000 * len(said))


def _lives_on(who: tuple[str, ...], said: list[Said], what: str, certainty: Certainty) -> Finding:
    """What happened to clients by a line of their own, or of the topic: they need not have died."""
    return Finding(
        code=Code.SESSION_EXPIRED,
        certainty=certainty,
        what=what,
        members=who,
        times=1,
        evidence=evidence_of(said),
        do=remedies.LIVES_ON,
        confirm=_confirm(who, Nature.UNKNOWN, lives_on=True),
        nature=Nature.UNKNOWN,
        harm_ms=9_000,
    )


def _gone_by_the_topic(log: GroupLog) -> Finding | None:
    """`__consumer_offsets` keeps who is a member, and not why somebody is none any more."""
    said = [line for line in log.of(RowKind.MEMBER_GONE) if log.who(line.row.member) not in log.clients]
    if not said or log.departures:
        return None
    who = names(log.who(line.row.member) for line in said)
    called, its = log.called(who), "its" if len(who) == 1 else "a"
    what = f"{one_or_many(called)} went: closed, or removed when {its} session ended; {_TOPIC}"
    found = _lives_on(who, said, what, Certainty.POSSIBLE)
    do = remedies.STAYED_AWAY if len(who) == 1 else remedies.SEVERAL[remedies.STAYED_AWAY]
    return replace(found, times=len(said), do=do, confirm=_confirm(called, Nature.UNKNOWN), harm_ms=10_000 * len(said))


def _unknown_to_the_coordinator(log: GroupLog) -> Finding | None:
    """The error alone, as an application prints it; or a stream thread's word (StreamThread.handleTaskMigrated)."""
    said = [line for line in log.troubles if line.row.detail.get("name") == "UNKNOWN_MEMBER_ID"]
    said += log.of(RowKind.THREAD_FENCED)
    if not said or log.of(RowKind.POLL_TIMEOUT, RowKind.COMMIT_FAILED, RowKind.JOIN_FAILED):
        return None
    who = names(line.client for line in said if line.client)
    ended = "its session had ended, or a batch took too long"
    what = f"the coordinator no longer knew {one_or_many(log.called(who))}: {ended}"
    return _lives_on(who, said, what, Certainty.LIKELY)


def _ended_alone(log: GroupLog) -> Finding | None:
    """A client's log ends without a leave and begins again with a start: its process died, or was killed."""
    cut = [d for d in log.departures if d.going is Going.CUT_OFF]
    if not cut:
        return None
    who = names(d.who for d in cut)
    was, its = ("were", "their") if len(who) > 1 else ("was", "its")
    back = [line for d in cut if (join := log.came_back(d)) is not None for line in (d.first, join.said)]
    return Finding(
        code=Code.SESSION_EXPIRED,
        certainty=Certainty.POSSIBLE,
        what=f"{one_or_many(log.called(who))} {was} started again without having left the group: until {its} old"
        f" {'sessions' if len(who) > 1 else 'session'} ended, {its} partitions may have had no owner",
        members=who,
        times=len(cut),
        evidence=evidence_of(back),
        do=hedged(log, remedies.DIED),
        confirm="the broker's log: when it removed the old member",
        nature=Nature.DIED,
        harm_ms=9_000,
    )


def _sentence(log: GroupLog, gone: list[Departure], nature: Nature, *, static: bool, shown: bool) -> str:
    who = log.called(d.who for d in gone)
    if len(gone) == 1 and log.came_back(gone[0]) is None:
        who = (with_its_id(log, gone[0]),)
    name, several = one_or_many(who), len(who) > 1
    was, its, session = ("were", "their", "sessions") if several else ("was", "its", "session")
    again = often(len(gone)) if len(gone) > len(who) else ""
    if _never_synced(gone):
        it = "they" if several else "it"
        return (
            f"{name} joined{again} and never asked for {its} assignment (SyncGroup): the others waited until {it}"
            f" {was} removed after the rebalance timeout (max.poll.interval.ms)"
        )
    if static:
        does_not = "static members do not" if several else "a static member does not"
        streams = log.type is GroupType.STREAMS or any(of_streams(d.who) for d in gone)
        classic_streams = streams and not log.of_streams_protocol
        does_not = "Kafka Streams does not" if classic_streams else does_not
        return (
            f"{name} {was} closed, but {does_not} leave the group: {its} partitions waited until session.timeout.ms"
            " expired"
        )
    if not shown:
        return f"the coordinator no longer knew {name}{again}: {its} {session} had ended, or a batch took too long"
    removed = f"{was} removed only when session.timeout.ms expired" if any(d.by_broker for d in gone) else ""
    and_removed = f", and {removed}" if removed else ""
    if stopped_alone(log, gone):
        return f"{name} could not reach the coordinator{again}, stopped {its} work{and_removed}"
    if nature is Nature.FROZE:
        still = _stood_still_ms(log, gone)
        long = " and ".join(duration(ms) for ms in still) if len(still) < 3 else f"up to {duration(max(still))}"
        again = often(len(still)) or again
        return f"{name} froze{again} for {long or f'longer than {its} {session}{_at_most(log, gone)}'}{and_removed}"
    if nature is Nature.DIED:
        return f"{name} died without close(){again}{and_removed}"
    founded = [join.said.nth for join in log.joins if join.empty]
    unassigned = never_assigned(log.rebalances, founded, gone[0].removed) if len(gone) == 1 else None
    if unassigned is not None:
        return f"{name} led a rebalance, never sent its assignment, and was removed {duration(unassigned)} later"
    for_this = "for missing heartbeats (session.timeout.ms)"
    if not removed:
        lost = f"{name} lost {its} {session}{again} {for_this}"
        return lost if again else f"{name} sent no heartbeats for session.timeout.ms"
    then = _what_then(log, gone)
    if again:
        return f"{name} {was} removed{again} {for_this}" + (f", and {then}" if then else "")
    end = f", {was} removed, and {then}" if then else f", and {was} removed"
    return f"{name} sent no heartbeats for session.timeout.ms{end}"


def _together(gone: list[Departure]) -> str:
    """How many clients the broker removed at one moment: their sessions began at one moment, too."""
    times = sorted((d.removed.at, d.who) for d in gone if d.by_broker and d.removed.at is not None)
    most = max(
        (
            len({who for _, who in times[nth : bisect_left(times, (begin + _AT_ONCE_MS, ""))]})
            for nth, (begin, _) in enumerate(times)
        ),
        default=0,
    )
    return f"; {most} of them at one moment, so probably one process or host" if most >= _A_FEW else ""


def _at_most(log: GroupLog, gone: list[Departure]) -> str:
    """The gap in the log of the only one that froze: heartbeats that succeed are not in it, so it froze for less."""
    gap = silence_ms(log, gone[0]) if len(gone) == 1 else 0
    return f" ({duration(gap)} at most)" if 0 < gap < _SLEPT_MS else ""


def _left_ms(log: GroupLog, gone: list[Departure]) -> int:
    """For how long the log goes on after the last removal; without times, for long enough."""
    last = gone[-1].removed.at
    return log.end - last if log.end is not None and last is not None else RESTARTS_WITHIN_MS


def _what_then(log: GroupLog, gone: list[Departure]) -> str:
    """Whether they came back: a client that froze comes back as soon as it wakes, one that died when it is started.

    Nothing where the log ends within seconds after it, or the members are those of Streams, which may only be closed.
    """
    back = [log.came_back(d) for d in gone]
    if all(join is None for join in back):
        left = _left_ms(log, gone)
        if left < _SOON_MS or log.type is GroupType.STREAMS:
            return ""
        return f"this log ends {duration(left)} later" if left < RESTARTS_WITHIN_MS else "did not come back"
    away = [
        join.said.at - d.removed.at
        for d, join in zip(gone, back, strict=True)
        if join is not None and join.said.at is not None and d.removed.at is not None
    ]
    if len(away) != len(gone) or min(away) < 0:
        return ""
    return f"came back {duration(away[0])} later" if len(away) == 1 else "came back"


CAUSE = Cause(
    code=Code.SESSION_EXPIRED,
    title="Session expired",
    means="The coordinator heard nothing of a member for `session.timeout.ms`, because its process died, froze, or was"
    " cut off. Until then its partitions have an owner who does not read.",
    seen=(
        Message("Broker", "Member … in group … has failed, removing it from the group"),
        Message("Broker", "Preparing to rebalance group … (reason: removing member … on heartbeat expiration)"),
        Message("Broker, consumer protocol", "Member … fenced from the group because the member session expired"),
        Message("Java", "session timed out without receiving a heartbeat response"),
        Message("Java", "encountered UNKNOWN_MEMBER_ID from OFFSET_COMMIT response"),
        Message("Streams", "Detected that the thread is being fenced"),
        Message("librdkafka", "SESSTMOUT: Consumer group session timed out (in join-state steady) after 10499 ms"),
        Message("kafka-python", "Heartbeat session expired"),
    ),
    do=(*remedies.STAYED_AWAY, *remedies.FROZE),
    find=_find,
    confirm="The member's own log: it ends (died), has a gap (froze), or goes on (cut off).",
    symptoms=("partitions without owner after a crash", "a consumer is stuck", "CommitFailedException"),
)
