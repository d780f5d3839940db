"""Account: one group, from everybody's lines; who was a member, who was entitled, who may have served what, and why."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from groupsim.events.consumer import LossCause
from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.entitled import Entitled, entitlement, first_join_after
from groupsim.incidents.account.evidence import hears_of_rebalance
from groupsim.incidents.account.hidden import Claim, Removal, Scene, find_blindness, find_stops, removals_of, successors
from groupsim.incidents.account.incarnation import Incarnation, Said, incarnation_of
from groupsim.incidents.account.members import members_of
from groupsim.incidents.account.others import Elsewhere, elsewhere, granted_elsewhere
from groupsim.incidents.account.rebalances import Rebalance, rebalances_of
from groupsim.incidents.account.spans import INF, Span, Spans, both, union, without
from groupsim.incidents.account.stored import PlansByNumber, Stored, plans_of, stored_by_broker, stored_by_clients
from groupsim.incidents.account.track import Track
from groupsim.incidents.account.when import When
from groupsim.incidents.facts.causes import loss_cause
from groupsim.incidents.facts.group_kinds import OF_CLASSIC_GROUPS, GroupKinds
from groupsim.incidents.facts.lookups import ANSWERS, JOINS
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker

_MOVES = frozenset([RowKind.GROUP_EPOCH_BUMPED, RowKind.TARGET_ASSIGNMENT, RowKind.REVOKED, RowKind.LOST])
_REMOVALS = frozenset([RowKind.MEMBER_FAILED, RowKind.MEMBER_LEFT, RowKind.MEMBER_GONE, RowKind.STATIC_MEMBER_REPLACED])


@dataclass
class Account:
    """What the logs prove of one group.

    `off_ms`: times of two logs that are of one instant may be so far apart. `said`: its lines in one order, with those
    of its processes; `brokers`: those of a broker's log or of the topic, and `broker`: there are such.
    `removals_known`: they say when each member was removed, `came`: their lines of each member's joins.
    """

    group: str
    said: Sequence[Said]
    brokers: Sequence[Said]
    incarnations: list[Incarnation]
    broker: bool
    removals_known: bool
    consumer: bool
    off_ms: int = 0
    stored: Sequence[Stored] = ()
    removals: Mapping[MemberId, Sequence[Removal]] = field(default_factory=dict)
    came: Mapping[MemberId, Sequence[Said]] = field(default_factory=dict)

    @cached_property
    def begins(self) -> int:
        """The first instant of its logs."""
        return min((each.when.lo for each in self.said if each.when.timed), default=-INF)

    @cached_property
    def ends(self) -> int:
        """The last one."""
        return max((each.when.hi for each in self.said if each.when.timed), default=INF)

    @cached_property
    def members(self) -> Mapping[MemberId, Track[bool]]:
        """By id, by the coordinator's word."""
        return members_of(self.brokers, self.removals)

    @cached_property
    def rebalances(self) -> Sequence[Rebalance]:
        """In the order of their lines."""
        return rebalances_of(self.brokers, self.incarnations)

    @cached_property
    def entitled(self) -> Mapping[str, Entitled]:
        """By process."""
        by_number = {one.number: one for one in self.stored}
        known = self.removals_known
        return {
            own.name: entitlement(own, self.stored, by_number, self.removals, self.came, removals_known=known)
            for own in self.incarnations
        }

    @cached_property
    def elsewhere(self) -> Sequence[Elsewhere]:
        """Where members without a log may serve."""
        if self.consumer:
            return granted_elsewhere(self.incarnations, self.members, self.broker)
        return elsewhere(self.incarnations, self.stored, self.removals, self.broker)

    @cached_property
    def named(self) -> Sequence[TopicPartition]:
        """Partitions that a line names."""
        held = {tp for own in self.incarnations for tp in (*own.holds, *own.granted)}
        return sorted(held | {tp for each in self.stored for part in (each.plan or {}).values() for tp in part})

    @cached_property
    def first_named(self) -> Mapping[TopicPartition, int]:
        """When a line names each partition first."""
        found: dict[TopicPartition, int] = {}
        for own in self.incarnations:
            for partition, track in (*own.holds.items(), *own.granted.items()):
                if track.steps:
                    at = track.steps[0].when.lo
                    found[partition] = min(at, found.get(partition, at))
        for each in self.stored:
            for partition in frozenset[TopicPartition]().union(*(each.plan or {}).values()):
                found[partition] = min(each.when.lo, found.get(partition, INF))
        return found

    @property
    def whole(self) -> bool:
        """Whether no line leaves out a partition that members had: a plan names all, or each member says what it has.

        librdkafka without debug=cgrp says nothing of that, and a log that is cut off only of a part of the time.
        """
        if any(each.plan for each in self.stored):
            return True
        named = {each.row.member for each in self.brokers if each.row.member}
        logged = set[MemberId]().union(*{id(own.kin): own.kin for own in self.incarnations}.values())
        uncut = all(own.starts and not own.blind for own in self.incarnations)
        return (
            self.broker and named <= logged and uncut and all(o.given or o.holds for o in self.incarnations if o.joins)
        )

    @property
    def of_both_protocols(self) -> bool:
        """Whether members speak the classic and the consumer protocol, at once or one after the other."""
        return self.consumer and any(said.row.kind in OF_CLASSIC_GROUPS for said in self.said)

    def others(self, partition: TopicPartition) -> Spans:
        """When a member without a log may serve it."""
        found = union(each.span for each in self.elsewhere if each.concerns(partition))
        if not self.consumer:
            return found
        return without(found, union(*(self._granted(own, partition) for own in self.incarnations)))

    def moved_after(self, own: Incarnation) -> int:
        """When the coordinator may have given a member of the consumer protocol other partitions after its last line.

        There was another target, or another member gave partitions up. A member that keeps what it has prints nothing.
        """
        place = bisect_right(self._moves, own.last.hi)
        late = self.consumer and own.ended is None and place < len(self._moves)
        return self._moves[place] if late else INF

    @cached_property
    def _moves(self) -> Sequence[int]:
        return sorted(each.when.lo for each in self.said if each.row.kind in _MOVES)

    def _granted(self, own: Incarnation, partition: TopicPartition) -> Spans:
        """When the coordinator surely let a process with a log use it: nobody else may then (KIP-848)."""
        found = self.entitled[own.name].surely(partition)
        return found if self.broker else both(found, [(-INF, own.last.lo)])

    def surely_available(self, partition: TopicPartition) -> Spans:
        """When a process surely runs, holds it, and is entitled to it.

        That its application knows where to start, and that no callback runs, no line says; they do not count.
        """
        return union(*(found for _, found in self.surely_by_process(partition)))

    def possibly_available(self, partition: TopicPartition) -> Spans:
        """When a process may run, hold it, and be entitled to it, or a member without a log may serve it."""
        found = [self.others(partition)]
        for own in self.incarnations:
            held = both(own.runs.possibly(True), own.holding(partition).possibly(True))
            if held:
                found.append(both(held, self.entitled[own.name].possibly(partition)))
        return union(*found)

    def surely_by_process(self, partition: TopicPartition) -> Iterator[tuple[Incarnation, Spans]]:
        """The same by process, of those that surely held it once."""
        for own in self.incarnations:
            held = both(own.runs.surely(True), own.holding(partition).surely(True))
            if held:
                yield own, both(held, self.entitled[own.name].surely(partition))

    def membership(self, own: Incarnation) -> tuple[Spans, Spans]:
        """When the coordinator surely, and possibly, has the process as a member.

        Without a broker's log nobody says when it heard that a process left, nor that it missed one after its last
        line.
        """
        surely, possibly = own.member.surely(True), own.member.possibly(True)
        if not self.removals_known:
            surely = both(without(surely, union(c.span for c in own.runs.covers)), [(-INF, own.last.lo)])
            return surely, union(possibly, [(possibly[0][0], INF)] if possibly else [])
        known: Spans = [(possibly[0][0], INF)] if possibly else []
        gone: list[Span] = []
        perhaps: list[Span] = []
        for removal in removals_of(own, self.removals):
            if removal.away:
                continue
            at = removal.when
            place = bisect_right(own.asks, at.lo, key=lambda ask: ask.hi)
            asked = own.asks[place].lo if place < len(own.asks) else INF
            joined = first_join_after(own, removal)
            asked = asked if joined is None else min(asked, joined.asked.lo)
            gone.append((at.hi, max(at.hi, asked)))
            perhaps.append((at.lo, INF if joined is None else joined.at.hi))
        return without(surely, union(perhaps)), without(known, union(gone))


def account_of(
    group: str,
    processes: Sequence[ProcessLog],
    said: Sequence[Said],
    kinds: GroupKinds,
    off_ms: int,
    session_ms: int | None,
) -> Account:
    """The account of one group: its processes' logs, and all lines that name it or are theirs, in order.

    `off_ms`: as of Account.
    """
    lines = {id(each.row): each for each in said}
    incarnations = [incarnation_of(process, lines) for process in processes]
    broker = group in kinds.broker_groups
    brokers = [each for each in said if is_broker(each.row)]
    plans = plans_of(said)
    _add_kin(incarnations, brokers)
    stored = _stored(incarnations, brokers, plans) if broker else stored_by_clients(incarnations, plans)
    stored.sort(key=lambda one: one.when.lo)  # lines without a time come first
    removals = _removals(brokers, stored)
    consumer = any(own.consumer for own in incarnations) or group in kinds.consumer_groups
    came = _came(brokers)
    removals_known = kinds.from_broker(group) or (consumer and broker)
    scene = Scene(
        removals_known,
        consumer,
        session_ms or (None if consumer else kinds.session_timeouts.get(group)),
        _heartbeat_ms(said) if consumer else kinds.heartbeat_ms(group),
        removals,
        stored,
        [] if consumer else [each.when.lo for each in brokers if each.row.kind in ANSWERS],
        came,
        _claims(incarnations),
        _rebalancing(incarnations),
        successors(incarnations),
    )
    for own in incarnations:
        own.consumer = own.consumer or (consumer and not own.asks)  # its log ends before it asks to join
        find_blindness(scene, own)
        find_stops(scene, own)
    return Account(group, said, brokers, incarnations, broker, removals_known, consumer, off_ms, stored, removals, came)


def _stored(incarnations: Sequence[Incarnation], brokers: Sequence[Said], plans: PlansByNumber) -> list[Stored]:
    """By the broker's lines, and by clients that have their part of a generation of which it has no line."""
    stored = stored_by_broker(brokers, plans)
    known = {one.number for one in stored}
    first = min(known, default=INF)
    missing = {number for own in incarnations for number in own.synced if number > first} - known
    if not missing:
        return stored
    return stored + [one for one in stored_by_clients(incarnations, plans) if one.number in missing and one.sure]


def _add_kin(incarnations: Sequence[Incarnation], brokers: Sequence[Said]) -> None:
    """A static member that comes back takes over what its former id was given."""
    ids: dict[str, set[MemberId]] = {}
    for each in brokers:
        instance, old = text_in(each.row.detail.get("instance")), text_in(each.row.detail.get("old_member"))
        if each.row.kind == RowKind.STATIC_MEMBER_REPLACED and instance and old:
            ids.setdefault(instance, set()).add(old)
    for own in incarnations:
        if own.process.instance is not None:
            ids.setdefault(own.process.instance, set()).update(own.ids)
    for own in incarnations:
        own.kin = set(own.ids) if own.process.instance is None else ids[own.process.instance]


def _came(brokers: Sequence[Said]) -> dict[MemberId, list[Said]]:
    found: dict[MemberId, list[Said]] = {}
    for each in brokers:
        if each.row.kind in JOINS and each.row.member:
            found.setdefault(each.row.member, []).append(each)
    return found


def _heartbeat_ms(said: Sequence[Said]) -> int | None:
    """What the coordinator gave the members."""
    given = (
        int_in(each.row.detail.get("interval_ms"))
        for each in said
        if each.row.kind == RowKind.CONSUMER_HEARTBEAT_INTERVAL
    )
    return max((each for each in given if each is not None), default=None)


def _removals(brokers: Sequence[Said], stored: Sequence[Stored]) -> dict[MemberId, list[Removal]]:
    """By member. The topic says of a classic member only that it was gone when the next generation was stored."""
    found: dict[MemberId, list[Removal]] = {}
    for each in brokers:
        row = each.row
        if row.kind not in _REMOVALS:
            continue
        replaced = row.kind == RowKind.STATIC_MEMBER_REPLACED
        member = text_in(row.detail.get("old_member")) if replaced else row.member
        if replaced and member == row.member:  # it came back under its own id
            continue
        reason = text_in(row.detail.get("reason"))
        silent = row.kind == RowKind.MEMBER_FAILED and (
            reason is None or loss_cause(reason) is LossCause.SESSION_EXPIRED
        )
        when = each.when
        if row.kind == RowKind.MEMBER_GONE:
            silent = True
            if row.detail.get("by") == "generation":
                place = bisect_left(stored, when.hi, key=lambda one: one.when.lo) - 1
                when = When(stored[place].when.lo if place >= 0 else -INF, when.hi)
        if member:
            found.setdefault(member, []).append(Removal(when, member, silent, each))
    return found


def _rebalancing(incarnations: Sequence[Incarnation]) -> list[Said]:
    """Lines of processes that prove a rebalance, by time: a static member may join without one (KIP-345)."""
    lines = [
        said
        for own in incarnations
        for said in own.said
        if (said.row.kind == RowKind.JOINING and own.process.instance is None) or hears_of_rebalance(said.row)
    ]
    return sorted(lines, key=lambda said: said.when.lo)


def _claims(incarnations: Sequence[Incarnation]) -> dict[TopicPartition, list[Claim]]:
    """Who took each partition when, by time."""
    found: dict[TopicPartition, list[Claim]] = {}
    for own in incarnations:
        for partition, track in own.holds.items():
            for step in track.steps:
                if step.value is True and step.why is not None:
                    found.setdefault(partition, []).append(Claim(step.when, step.why.places))
    for claims in found.values():
        claims.sort(key=lambda claim: claim.when.lo)
    return found
