"""Members as the coordinator saw them: combined with the incarnations that have a log, or incarnations of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Recorded, group_stream
from groupsim.events.types import LeaveCause, MemberId
from groupsim.incidents.facts.typed_fields import client_id_in
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, Stall, StallKind
from groupsim.replay.reconstruct.member_history import MemberHistory
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.simulation.clients.config import CLASSIC, CONSUMER

_LOSSES = {
    k.LossCause.SESSION_EXPIRED: "session-expired",
    k.LossCause.REBALANCE_TIMEOUT: "sync-timeout",
    k.LossCause.JOIN_TIMEOUT: "join-timeout",
    k.LossCause.SYNC_TIMEOUT: "sync-timeout",
}
"""Why a consumer group's member was removed, in the word of a classic group."""
_NEAR_MS = 60_000
"""A process gets the times of a member id only if the id was issued this close to its first JoinGroup."""


@dataclass(slots=True)
class MemberRecord:
    """What the coordinator's facts say of one member id; times in ms of the run."""

    member: MemberId
    client: str
    instance: str | None = None
    issued_ms: int | None = None
    added_ms: int | None = None
    removed_ms: int | None = None
    cause: str = ""
    leave_cause: LeaveCause | None = None
    replaced: bool = False
    native: bool = False

    @property
    def first_request_ms(self) -> int | None:
        """When its first request reached the coordinator."""
        return self.added_ms if self.issued_ms is None else self.issued_ms


def member_records(facts: Iterable[Recorded], group: str) -> list[MemberRecord]:
    """Every member id the coordinator of a group named, in order."""
    found: dict[MemberId, MemberRecord] = {}
    stream = group_stream(group)

    def record_of(member: MemberId, client: str | None = None) -> MemberRecord:
        return found.setdefault(member, MemberRecord(member, client or client_id_in(member) or member))

    for fact in facts:
        at = fact.at_ms
        if fact.stream != stream:
            continue
        match fact.event:
            case c.MemberIdIssued(member=member, client_id=client):
                record_of(member, client).issued_ms = at
            case c.MemberAdded(member=member, client_id=client, instance_id=instance):
                known = record_of(member, client)
                known.added_ms, known.instance = at, instance
                known.client = instance or known.client
            case c.MemberReplaced(member=member, old=old, instance_id=instance):
                record_of(old, instance).replaced = True
                if member is not None:
                    record_of(member, instance).added_ms, found[member].instance = at, instance
            case c.MemberRemoved(member=member, cause=cause, leave_cause=leave_cause):
                removed = record_of(member)
                removed.removed_ms, removed.cause, removed.leave_cause = at, cause, leave_cause
            case k.ConsumerMemberUpdated(member=member, client_id=client, instance_id=instance) if member not in found:
                known = record_of(member, instance or client or None)
                known.added_ms, known.instance, known.native = at, instance, fact.event.classic is None
            case k.StaticMemberReplaced(member=member, old=old, instance_id=instance):
                record_of(old, instance).replaced = True
                record_of(member, instance).added_ms, found[member].instance = at, instance
                found[member].native = record_of(old).native
            case k.ConsumerMemberRemoved(member=member, cause=loss):
                record_of(member).removed_ms, found[member].cause = at, _LOSSES.get(loss, "left")
            case _:
                pass
    return list(found.values())


def combined(
    history: MemberHistory, records: list[MemberRecord], generations: list[Generation], end_ms: int
) -> list[Incarnation]:
    """All incarnations of the group: those with a log, completed by the coordinator's facts, then those without."""
    unlogged = []
    for record in records:
        incarnation = history.by_member_id.get(record.member) or _by_client_id(history, record)
        if incarnation is not None:
            _complete(incarnation, record)
        elif record.added_ms is not None:
            unlogged.append(_unlogged(record, generations, end_ms))
    return [*history.incarnations, *unlogged]


def _by_client_id(history: MemberHistory, record: MemberRecord) -> Incarnation | None:
    """The process of a member id that no line of a client names: by its client id and the time."""
    at = record.first_request_ms
    for incarnation in history.incarnations:
        if (
            at is not None
            and incarnation.client == record.client
            and incarnation.line_times
            and record.member not in incarnation.member_ids
        ):
            ends = incarnation.line_times[-1] if incarnation.ends_ms is None else incarnation.ends_ms
            if incarnation.line_times[0] - 1_000 <= at <= ends:
                incarnation.member_ids.append(record.member)
                return incarnation
    return None


def _complete(incarnation: Incarnation, record: MemberRecord) -> None:
    first_request = record.first_request_ms
    if first_request is not None and record.added_ms is not None:
        incarnation.admissions.append((first_request, record.added_ms))
    first = incarnation.member_ids[:1] == [record.member]
    if (
        first
        and first_request is not None
        and incarnation.starts_ms is not None
        and abs(first_request - incarnation.starts_ms) <= _NEAR_MS
    ):
        incarnation.starts_ms, incarnation.added_ms = first_request, record.added_ms
    if record.removed_ms is None:
        return
    after = next((at for at in incarnation.line_times if at > record.removed_ms + 1), None)
    expired_itself = any(stall.expired_ms is not None for stall in incarnation.stalls)
    if record.cause == "session-expired":
        if incarnation.ending is not None and record.removed_ms >= (incarnation.ends_ms or 0):
            incarnation.expired_ms = record.removed_ms
        elif after is None:
            incarnation.ending, incarnation.ends_ms, incarnation.expired_ms = (
                Ending.KILL,
                record.removed_ms,
                record.removed_ms,
            )
        else:
            incarnation.stalls.append(Stall(StallKind.FROZEN, None, after, expired_ms=record.removed_ms))
    elif record.cause in ("join-timeout", "sync-timeout") and not expired_itself:
        incarnation.stalls.append(
            Stall(StallKind.BUSY, incarnation.joins_answered[-1] if incarnation.joins_answered else None, after)
        )
    elif record.cause == "left" and incarnation.ending is None and after is None:
        incarnation.ending, incarnation.ends_ms = Ending.CLOSE, record.removed_ms


def _unlogged(record: MemberRecord, generations: list[Generation], end_ms: int) -> Incarnation:
    """A member that has no log: the coordinator's facts are all that is known."""
    incarnation = Incarnation(
        record.member, record.client, logged=False, instance=record.instance, member_ids=[record.member]
    )
    incarnation.protocol = CONSUMER if record.native else CLASSIC
    incarnation.starts_ms = _joined_ms(record, generations)
    incarnation.added_ms = record.added_ms if incarnation.starts_ms is not None else None
    if record.removed_ms is not None:
        incarnation.ends_ms = record.removed_ms
        if record.cause == "session-expired":
            incarnation.ending, incarnation.expired_ms = Ending.KILL, record.removed_ms
        elif record.cause == "left" and record.leave_cause is not LeaveCause.POLL_TIMEOUT:
            incarnation.ending = Ending.CLOSE
        else:  # its application was too slow; it runs on
            incarnation.ends_ms = None
            slow = Stall(StallKind.BUSY, None, None, expired_ms=record.removed_ms if record.cause == "left" else None)
            slow.from_ms = None if record.cause == "left" else _join_phase_start(generations, record.removed_ms)
            incarnation.stalls.append(slow)
    elif record.replaced:
        incarnation.ending, incarnation.ends_ms = Ending.CLOSE, None  # until its successor comes
    elif (left := _left_ms(record, generations)) is not None:
        incarnation.ending, incarnation.ends_ms = Ending.CLOSE, left
    return incarnation


def _joined_ms(record: MemberRecord, generations: list[Generation]) -> int | None:
    """When it joined; None: before the record begins. Without a line for its joining it was added where named."""
    if record.issued_ms is not None or record.added_ms is None:
        return record.issued_ms
    for generation in generations:
        if generation.started_ms == record.added_ms and generation.member == record.member:
            return record.added_ms if generation.cause in ("member-joined", "static-replaced") else None
        if generation.joined_ms == record.added_ms:  # named only by a leader's assignment
            return None if generation is generations[0] else generation.started_ms
    if record.removed_ms == record.added_ms:
        return None
    return record.added_ms


def _join_phase_start(generations: list[Generation], at_ms: int) -> int | None:
    """When the join phase that ran at this instant began."""
    return next(
        (g.started_ms for g in generations if g.started_ms is not None and g.started_ms <= at_ms <= g.joined_ms), None
    )


def _left_ms(record: MemberRecord, generations: list[Generation]) -> int | None:
    """When it left, if no fact says so: the start of the first generation without it."""
    inside = False
    for generation in generations:
        if generation.members is None:
            continue
        if record.member in generation.members:
            inside = True
        elif inside:
            return generation.started_ms if generation.started_ms is not None else generation.joined_ms
    return None
