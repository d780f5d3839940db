"""When a process was entitled to a partition: the assignment in force gave it to its member, which was still one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.hidden import Removal, removals_of
from groupsim.incidents.account.incarnation import Given, Incarnation, Joined, Said
from groupsim.incidents.account.rules import Rule, Why
from groupsim.incidents.account.spans import INF, Spans, both, union, without
from groupsim.incidents.account.stored import Stored, part_in
from groupsim.incidents.account.track import OPEN, Track
from groupsim.incidents.account.when import When

BY_PLAN = Rule("by the plan", "the leader's assignment says what it was given", "ConsumerCoordinator.onLeaderElected")
BY_ITSELF = Rule("by its own word", "it says what it was given", "ConsumerCoordinator.onJoinComplete")
NOT_IN = Rule("not in the generation", "it was no member of this generation", "ClassicGroup")
NOT_SHOWN = Rule(
    "part not shown",
    "it was in the group, and no line shows what this generation gave it",
    "",
    "the leader's log, or its own with all lines of org.apache.kafka.clients.consumer",
)


@dataclass(slots=True)
class Entitled:
    """Of one process. `known`: whether what it was given is known at all; `member`: by its own word.

    `unheard`: it may have been given more than it has heard of, as by the consumer protocol.

    `gone_surely`, `gone_possibly`: when the coordinator had removed it.
    """

    member: Track[bool]
    unheard: bool
    parts: dict[TopicPartition, Track[bool]] = field(default_factory=dict)
    known: Track[bool] = field(default_factory=lambda: Track[bool](True))
    gone_surely: Spans = ()
    gone_possibly: Spans = ()

    def surely(self, partition: TopicPartition) -> Spans:
        """When it surely was."""
        part = self.parts.get(partition)
        if part is None:
            return []
        given = both(part.surely(True), self.known.surely(True))
        return without(both(given, self.member.surely(True)), self.gone_possibly)

    def possibly(self, partition: TopicPartition) -> Spans:
        """When it may have been."""
        if self.unheard:
            return without(self.member.possibly(True), self.gone_surely)
        part = self.parts.get(partition)
        given = union(() if part is None else part.possibly(True), self.known.possibly(False))
        return without(both(given, self.member.possibly(True)), self.gone_surely)


def entitlement(
    own: Incarnation,
    stored: Sequence[Stored],
    by_number: Mapping[int, Stored],
    removals: Mapping[MemberId, Sequence[Removal]],
    came: Mapping[MemberId, Sequence[Said]],
    *,
    removals_known: bool,
) -> Entitled:
    """What each generation gave a process, from the last one before its first line on to its end.

    `by_number`: of a number that occurs more than once, the last one `stored`. `came`: where a broker says that it
    joined, by member.
    """
    found = Entitled(own.member, own.consumer)
    if own.consumer:
        found.parts, found.known = own.granted, own.heard
    elif own.process.instance is not None or not own.starts or (own.blind and not own.joins):
        # it may take another one's place, or be a static member that does not say so before its log ends
        found.known = Track(OPEN)
    found.gone_surely, found.gone_possibly = _gone(own, stored, by_number, removals, came)
    found.gone_possibly = union(found.gone_possibly, (cover.span for cover in own.blind))
    if not removals_known:  # it may have been removed while it was silent
        found.gone_possibly = union(found.gone_possibly, (cover.span for cover in own.runs.covers))
    if own.consumer:
        return found
    place = bisect_left(stored, own.first.lo, key=lambda one: one.when.hi)
    end = min(
        INF if own.ended is None else own.ended.hi,
        *(lo for lo, hi in found.gone_surely if hi >= INF),
        INF,
    )
    loose: set[TopicPartition] = set()
    now: frozenset[TopicPartition] = frozenset()
    for one in stored[max(0, place - 1) :]:
        if one.when.lo > end:
            break
        value, rule = _given(own, one)
        why = Why(rule, one.why.places)
        absent = one.plan is not None and own.kin.isdisjoint(one.plan)
        over = one.sure and one.when.lo > own.last.hi and (value is OPEN or absent)
        if value is OPEN:
            found.known.set(one.when, OPEN, why)
            if over:  # its log is over, and nothing says more of it
                break
            continue
        changed = (now ^ value) | (loose if one.sure else set())
        for partition in changed:
            part = found.parts.setdefault(partition, Track(False))
            part.set(one.when, (partition in value) if one.sure else OPEN, why)
        if one.sure:
            found.known.set(one.when, True, why)
            now, loose = value, set()
            if over:  # and it is in the group no more
                break
        else:
            loose |= changed
    return found


def _given(own: Incarnation, one: Stored) -> tuple[Given, Rule]:
    """What a generation gave it, by the plan, by its own word, or since it was not in it.

    Who joins another's generation, or replaces a static member while a rebalance runs, takes its place (KIP-345).
    """
    first = own.joins[0] if own.joins else None
    before = one.number not in own.joined and (first is None or one.when.lo <= first.at.hi)
    if before and own.process.instance is not None:
        return OPEN, NOT_SHOWN
    ids = own.kin if one.number in own.joined else own.ids.keys()
    took_place = own.process.instance is not None and one.number in own.joined
    if one.plan is not None and not ids.isdisjoint(one.plan):
        return part_in(one.plan, ids), BY_PLAN
    unnamed = before and (not own.starts or (own.blind and not own.joins))
    if unnamed or any(cover.span[0] <= one.when.hi and one.when.lo < cover.span[1] for cover in own.blind):
        return OPEN, NOT_SHOWN  # under an id that its log, which is cut, does not name
    if one.plan is not None and not took_place:
        return frozenset(), BY_PLAN
    if one.number in own.given:
        return own.given[one.number], BY_ITSELF
    if before and own.starts:
        asked = own.first.lo if first is None else first.asked.lo
        if one.when.hi < asked:
            return frozenset(), NOT_IN
    return OPEN, NOT_SHOWN


def _gone(
    own: Incarnation,
    stored: Sequence[Stored],
    by_number: Mapping[int, Stored],
    removals: Mapping[MemberId, Sequence[Removal]],
    came: Mapping[MemberId, Sequence[Said]],
) -> tuple[Spans, Spans]:
    """When it was no member that had a part, surely and possibly: until it has one again, under another id or its own.

    Of a log that is cut off only the broker may say that it came back.
    """
    surely, possibly = [], []
    for before, joined in pairwise(own.joins):
        if joined.member != before.member:
            lo, hi = _has_part(own, joined, stored, by_number)
            surely.append((joined.asked.hi, lo))
            possibly.append((joined.asked.lo, hi))
    for removal in removals_of(own, removals):
        at = removal.when
        back = first_join_after(own, removal)
        again = next((said.when.lo for said in came.get(removal.member, ()) if said.when.lo > at.hi), INF)
        lo, hi = (again, INF) if back is None else _has_part(own, back, stored, by_number)
        surely.append((at.hi, max(at.hi, lo)))
        possibly.append((at.lo, max(at.hi, hi)))
    return union(surely), union(possibly)


def first_join_after(own: Incarnation, removal: Removal) -> Joined | None:
    """Where it first joined after a removal: under another id, or, by the consumer protocol, under any.

    It may have asked before; it is answered after it.
    """
    place = bisect_right(own.joins, removal.when.lo, key=lambda joined: joined.at.hi)
    return next((joined for joined in own.joins[place:] if own.consumer or joined.member != removal.member), None)


def _has_part(own: Incarnation, joined: Joined, stored: Sequence[Stored], by_number: Mapping[int, Stored]) -> When:
    """When a member that joined a generation has its part: when that was stored, or at once if it was before.

    A generation that no line shows stored may have been over before it was: then the next one that is gives the part.
    """
    one = by_number.get(joined.number)
    if one is not None:
        return When(max(joined.asked.lo, one.when.lo), max(joined.at.hi, one.when.hi))
    if own.consumer:
        return joined.asked.until(joined.at)
    place = bisect_left(stored, joined.at.lo, key=lambda later: later.when.lo)
    return When(joined.asked.lo, stored[place].when.hi if place < len(stored) else INF)
