"""Where a member without a log may serve a partition.

In a consumer group: while `members` has it as possibly a member. In a classic group by generation: what the plan gives
to members without a log, or what no logged member says to have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.hidden import Removal, removals_of
from groupsim.incidents.account.incarnation import Given, Incarnation, Joined
from groupsim.incidents.account.rules import Rule, Why
from groupsim.incidents.account.spans import EVER, INF, Span, Spans, both, touching, union, without
from groupsim.incidents.account.stored import Stored, part_in
from groupsim.incidents.account.track import OPEN, Track

UNLOGGED = Rule(
    "member without a log",
    "a member whose log is not given may have had it",
    "",
    "the logs of all members, and the broker's log",
)
SAME_PLACE = Rule(
    "same static member",
    "another process may have been the same static member before it or after it, within one generation",
    "GroupMetadataManager.classicGroupJoinExistingStaticMember (KIP-345)",
    "the logs of all processes of the static member, and the broker's log",
)
UNSEEN = Rule(
    "nobody to tell",
    "no log of a member that ran then is given, and no broker's: others may have been in the group",
    "",
    "the broker's log",
)


class Elsewhere(NamedTuple):
    """In `span` a member without a log may serve every partition but `but`, or only `only` if that is not None."""

    span: Span
    only: frozenset[TopicPartition] | None
    but: frozenset[TopicPartition]
    why: Why

    def concerns(self, partition: TopicPartition) -> bool:
        """Whether it may serve this one."""
        return partition not in self.but if self.only is None else partition in self.only


def elsewhere(
    incarnations: Sequence[Incarnation],
    stored: Sequence[Stored],
    removals: Mapping[MemberId, Sequence[Removal]],
    broker: bool,
) -> list[Elsewhere]:
    """All such spans, by generation. Without a broker's log, generations show only while a logged process is a member
    and writes later.
    """
    found = [] if broker else [Elsewhere(s, None, frozenset(), Why(UNSEEN)) for s in _unseen(incarnations, stored)]
    by_generation: dict[int, list[Incarnation]] = {}
    for own in incarnations:
        for number in own.joined:
            by_generation.setdefault(number, []).append(own)
    ids = {member for own in incarnations for member in own.ids}
    witnessed = {own.name: _witnessed(own) for own in incarnations if own.process.instance is not None and not broker}
    for place, one in enumerate(stored):
        until = stored[place + 1].when.hi if place + 1 < len(stored) else INF
        members = by_generation.get(one.number, [])
        found += _in_generation(one, until, members, ids, witnessed)
    return found + _replaced(incarnations, stored, removals)


def _replaced(
    incarnations: Sequence[Incarnation], stored: Sequence[Stored], removals: Mapping[MemberId, Sequence[Removal]]
) -> list[Elsewhere]:
    """By the broker, a process without a log took a static member's place, until the next generation (KIP-345)."""
    firsts = {
        instance: sorted((joined for own in same for joined in own.joins[:1]), key=lambda joined: joined.at.hi)
        for instance, same in _by_instance(incarnations).items()
    }
    found: list[Elsewhere] = []
    for own in incarnations:
        for removal in removals_of(own, removals):
            if not removal.replaced or _by_logged(removal, firsts[own.process.instance]):
                continue
            at = removal.when
            place = bisect_right(stored, at.hi, key=lambda one: one.when.lo)
            part = _part(own, stored[place - 1]) if place else OPEN
            until = stored[place].when.hi if place < len(stored) else INF
            why = Why(SAME_PLACE, (removal.said.place,))
            found.append(Elsewhere((at.lo, until), None if part is OPEN else part, frozenset(), why))
    return found


def _part(own: Incarnation, one: Stored) -> Given:
    """What a static member has in a generation: by the plan, else by its own word."""
    if one.plan is None:
        return own.given.get(one.number, OPEN)
    return part_in(one.plan, own.kin)


def granted_elsewhere(
    incarnations: Sequence[Incarnation], members: Mapping[MemberId, Track[bool]], broker: bool
) -> list[Elsewhere]:
    """By the consumer protocol: while a member without a log may be in the group. What others may use is not its."""
    if not broker:
        return [Elsewhere(EVER[0], None, frozenset(), Why(UNSEEN))]
    logged = {member for own in incarnations for member in own.ids}
    return [
        Elsewhere(span, None, frozenset(), next((step.why for step in track.steps if step.why), Why(UNLOGGED)))
        for member, track in members.items()
        if member not in logged
        for span in track.possibly(True)
    ]


def _in_generation(
    one: Stored,
    until: int,
    members: Sequence[Incarnation],
    ids: set[MemberId],
    witnessed: Mapping[str, Spans],
) -> list[Elsewhere]:
    """In one generation: what its plan gives members without a log, or what no logged member says to have.

    `witnessed`: of static members, where no broker says when they were replaced.
    """
    why = Why(UNLOGGED, one.why.places)
    span = (one.when.lo, until)
    found: list[Elsewhere] = []
    if one.plan is not None:
        unlogged = part_in(one.plan, {member for member in one.plan if member not in ids})
        found += [Elsewhere(span, unlogged, frozenset(), why)] if unlogged else []
    elif (
        one.size is None
        or len({own.process.instance or next(reversed(own.ids)) for own in members if own.ids}) < one.size
    ):
        given = (own.given.get(one.number, OPEN) for own in members)
        logged = frozenset[TopicPartition]().union(*(each for each in given if each is not OPEN))
        found.append(Elsewhere(span, None, logged, why))
    for instance, same in _by_instance(members).items():
        if instance is not None:
            joined = min(own.joined[one.number].at.lo for own in same)
            found += (place for own in same for place in _static(one, until, own, joined, witnessed.get(own.name)))
    return found


def _by_instance(incarnations: Iterable[Incarnation]) -> dict[str | None, list[Incarnation]]:
    found: dict[str | None, list[Incarnation]] = {}
    for own in incarnations:
        found.setdefault(own.process.instance, []).append(own)
    return found


def _static(one: Stored, until: int, own: Incarnation, first: int, witnessed: Spans | None) -> list[Elsewhere]:
    """A static member's place may be another process's before it and after it, within the generation (KIP-345).

    `first`: when the first process of the static member joined the generation.

    Only the broker says when it was replaced. Without its log it may be so from when the process may have stopped.
    """
    part = _part(own, one)
    only, why = None if part is OPEN else part, Why(SAME_PLACE, (own.said[0].place,))
    joined = own.joined[one.number]
    late = joined.first and joined.asked.hi > one.when.lo and first >= joined.asked.lo
    spans = [(one.when.lo, min(until, joined.at.hi))] if late else []
    if witnessed is not None:
        since = max(one.when.lo, own.first.lo)
        spans += without([(since, until)], touching(witnessed, since, until))
    return [Elsewhere((lo, hi), only, frozenset(), why) for lo, hi in spans if lo < hi]


def _by_logged(removal: Removal, firsts: Sequence[Joined]) -> bool:
    """Whether it was a process with a log that took a static member's place; `firsts`: where those joined first."""
    at = removal.when
    place = bisect_left(firsts, at.lo, key=lambda joined: joined.at.hi)
    return any(
        joined.member != removal.member and joined.asked.lo <= at.hi
        for joined in map(firsts.__getitem__, range(place, len(firsts)))
    )


def _witnessed(own: Incarnation) -> Spans:
    """When it certainly ran and was a member: it would have written what happened, and it wrote later."""
    alive = both(own.runs.surely(True), own.member.surely(True))
    return both(alive, [(own.first.hi, own.last.lo)])


def _unseen(incarnations: Sequence[Incarnation], stored: Sequence[Stored]) -> Spans:
    """When no logged process was certainly a member that wrote later, and before the first generation of all."""
    seen = union(*(_witnessed(own) for own in incarnations))
    if stored:
        seen = both(seen, [(stored[0].when.hi, INF)])
    return without(EVER, seen)
