"""The coordinator heard nothing of a member for session.timeout.ms and removed it."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many, span
from groupsim.diagnosis.codes import Certainty, Code, GroupType, Nature
from groupsim.diagnosis.finding import Evidence, Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going
from groupsim.diagnosis.said import SHORTEST_SESSION_MS, leaves, lost_membership
from groupsim.incidents.logs.client_libraries import of_streams
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_DIED = (
    Remedy(
        "close consumers before the process ends (SIGTERM and terminationGracePeriodSeconds), so that nobody waits for"
        " session.timeout.ms",
        ("terminationGracePeriodSeconds", "session.timeout.ms"),
        brief="close consumers on SIGTERM",
    ),
    Remedy(
        "or give members that come back quickly a group.instance.id",
        ("group.instance.id",),
        trial=(("membership", "static"),),
        needs="group.instance.id",
    ),
    Remedy(
        "or use a shorter session.timeout.ms (at least three heartbeats): the coordinator notices a death sooner",
        ("session.timeout.ms", "heartbeat.interval.ms"),
        brief="use a shorter session.timeout.ms",
        trial=(("session.timeout.ms", "6000"),),
    ),
)
_FROZE = (
    Remedy(
        "find what stops the process (CPU limits, garbage collection, a machine that sleeps); a longer"
        " session.timeout.ms, at least three times heartbeat.interval.ms, bridges short stops",
        ("session.timeout.ms", "heartbeat.interval.ms"),
        brief="find what stops the process",
    ),
)
_LIVES_ON = (
    Remedy(
        "its log goes on, so it did not die: look for a pause (CPU limits, garbage collection), for the network, or for"
        " a batch longer than max.poll.interval.ms",
        ("session.timeout.ms", "max.poll.interval.ms"),
        brief="look for a pause, the network, or a long batch",
    ),
)
_CLOSED_STREAMS = (
    Remedy(
        "see whether it was only closed: Kafka Streams does not leave the group then, unless it is closed with"
        " CloseOptions.leaveGroup(true); if it died, its own log says why",
        ("session.timeout.ms", "group.instance.id"),
        brief="see whether it was closed: Kafka Streams does not leave",
    ),
)
_CLOSED_STATIC = (
    Remedy(
        "if it comes back: a session.timeout.ms longer than it is away, then nothing is rebalanced; if it stops for"
        " good: close it with CloseOptions and LEAVE_GROUP (Kafka 4.1), or remove it with"
        " Admin.removeMembersFromConsumerGroup",
        ("session.timeout.ms", "group.instance.id"),
        brief="set session.timeout.ms above a restart",
    ),
)
_IS_A_MEMBER = (RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED)
_UNKNOWN = (
    Remedy(
        "close consumers cleanly (SIGTERM, terminationGracePeriodSeconds); if they only froze, a longer"
        " session.timeout.ms bridges it",
        ("session.timeout.ms", "terminationGracePeriodSeconds", "group.instance.id"),
        brief="see whether it died or froze",
    ),
)
_UNKNOWN_SEVERAL = (_UNKNOWN[0]._replace(brief="see whether they died or froze"),)


def _find(log: GroupLog) -> Finding | None:
    gone = [
        d
        for d in log.departures
        if d.going is Going.EXPIRED and not _answers_a_leave(log, d) and not _just_joined(log, d)
    ]
    if not gone:
        return _said_as_reason(log) or _ended_alone(log)
    who = names(d.who for d in gone)
    said = [line for d in gone for line in d.said]
    nature = _nature(log, gone)
    static = all(_closed_before(log, d) for d in gone)
    shown = any(d.by_broker for d in gone) or any(
        line.row.kind in (RowKind.SESSION_EXPIRED, RowKind.COORDINATOR_LOST) for line in said
    )
    do = _CLOSED_STATIC if static else _remedies(log, nature, gone)
    return Finding(
        code=Code.SESSION_EXPIRED,
        certainty=Certainty.SHOWN if shown else Certainty.LIKELY,
        what=_sentence(who, nature, len(gone), static=static, shown=shown or nature is not Nature.UNKNOWN),
        members=who,
        times=len(gone),
        evidence=Evidence(*span(d.first for d in gone), evidence_of(said).places),
        do=do,
        confirm=None if static else _confirm(who, nature, lives_on=do is _LIVES_ON),
        nature=nature,
        harm_ms=10_000 * len(gone) + sum(_silence_ms(log, d) for d in gone),
    )


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
    if nature is Nature.FROZE:
        return _FROZE
    if log.type is GroupType.STREAMS:
        return _CLOSED_STREAMS
    if nature is Nature.UNKNOWN and all(d.who in log.clients for d in gone):
        return _LIVES_ON
    several = len({d.who for d in gone}) > 1
    return _DIED if nature is Nature.DIED else _UNKNOWN_SEVERAL if several else _UNKNOWN


def _confirm(who: tuple[str, ...], nature: Nature, *, lives_on: bool = False) -> str:
    if lives_on:
        return "its own lines just before: a long batch, a pause, a lost connection; and the broker's log of that time"
    if nature is Nature.FROZE:
        return f"what the machine of {who[0]} did in that time: CPU throttling, garbage collection, sleep"
    return f"the last lines of the log of {who[0]}, or its platform's log of restarts"


def _closed_before(log: GroupLog, departure: Departure) -> bool:
    """Whether its own log says that it was closed: a static member sends no LeaveGroup then, and stays one."""
    own = [line for line in log.clients.get(departure.who, []) if line.nth < departure.removed.nth]
    last = next((line for line in reversed(own) if leaves(line) or line.row.kind in _IS_A_MEMBER), None)
    return last is not None and leaves(last)


def _process_ended(log: GroupLog, departure: Departure) -> bool:
    """Whether the log of its process ends before the coordinator removes it."""
    processes = [p for p in log.incarnations.get(departure.who, []) if p.said[0].nth < departure.removed.nth]
    own = [p for p in processes if any(line.row.member == departure.member for line in p.said)] or processes
    return bool(own) and own[-1].said[-1].nth < departure.removed.nth


def _nature(log: GroupLog, gone: list[Departure]) -> Nature:
    who = dict.fromkeys(d.who for d in gone)
    if any(lost_membership(line) for name in who for line in log.clients.get(name, [])):
        return Nature.FROZE if any(_silent(log, d) for d in gone if d.who in log.clients) else Nature.UNKNOWN
    if any(log.came_back(d) is not None for d in gone) and not log.clients:
        return Nature.DIED
    return Nature.DIED if any(_process_ended(log, d) for d in gone) else Nature.UNKNOWN


def _silent(log: GroupLog, departure: Departure) -> bool:
    """Whether its own log has a gap of seconds before it learns of the loss."""
    return _silence_ms(log, departure) > 2_000


def _silence_ms(log: GroupLog, departure: Departure) -> int:
    """How long its own log is silent before it learns of the loss; 0 without a log of it, or without times."""
    own = next((line for line in departure.said if line.client is not None), None)
    if own is None or own.at is None:
        return 0
    before = [line.at for line in log.clients[departure.who] if line.nth < own.nth and line.at is not None]
    return own.at - max(before) if before else 0


def _said_as_reason(log: GroupLog) -> Finding | None:
    """librdkafka may give it as the reason of a rebalance alone (rd_kafka_cgrp_session_timeout_check)."""
    said = [s for s in log.troubles if s.row.kind is RowKind.REASON_GIVEN and "session timed out" in s.reason]
    if not said:
        return None
    who = names(line.client for line in said if line.client)
    return Finding(
        code=Code.SESSION_EXPIRED,
        certainty=Certainty.SHOWN,
        what=_sentence(who, Nature.UNKNOWN, len(said), static=False, shown=True),
        members=who,
        times=len(said),
        evidence=evidence_of(said),
        do=_LIVES_ON,
        confirm=_confirm(who, Nature.UNKNOWN, lives_on=True),
        nature=Nature.UNKNOWN,
        harm_ms=10_000 * len(said),
    )


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
        what=f"{one_or_many(who)} {was} started again without having left the group: until {its} old"
        f" {'sessions' if len(who) > 1 else 'session'} ended, {its} partitions may have had no owner",
        members=who,
        times=len(cut),
        evidence=evidence_of(back),
        do=_DIED,
        confirm="the broker's log: when it removed the old member",
        nature=Nature.DIED,
        harm_ms=9_000,
    )


def _sentence(who: tuple[str, ...], nature: Nature, times: int, *, static: bool, shown: bool) -> str:
    was, its = ("were", "their") if len(who) > 1 else ("was", "its")
    if static:
        streams = any(map(of_streams, who))
        does_not = "static members do not" if len(who) > 1 else "a static member does not"
        does_not = "Kafka Streams does not" if streams else does_not
        return (
            f"{one_or_many(who)} {was} closed, but {does_not} leave the group: {its} partitions waited until"
            " session.timeout.ms expired"
        )
    again = often(times) if times > len(who) else ""
    if not shown:
        name = one_or_many(who)
        return f"the coordinator no longer knew {name}{again}: {its} session had ended, or a batch took too long"
    what = {
        Nature.DIED: "died without leaving",
        Nature.FROZE: f"stopped for longer than {its} session",
        Nature.CUT: f"{was} cut off from the coordinator",
        Nature.UNKNOWN: "sent no more heartbeats",
    }[nature]
    return f"{one_or_many(who)} {what}{again}, and {was} removed only when session.timeout.ms expired"


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
        Message("librdkafka", "SESSTMOUT: Consumer group session timed out (in join-state steady) after 10499 ms"),
        Message("kafka-python", "Heartbeat session expired"),
    ),
    do=_UNKNOWN,
    find=_find,
    confirm="The member's own log: it ends (died), has a gap (froze), or goes on (cut off).",
    symptoms=("partitions without owner after a crash", "a consumer is stuck", "CommitFailedException"),
)
