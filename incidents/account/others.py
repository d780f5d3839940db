"""Where a member without a log may serve a partition."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.hidden import Removal
from groupsim.incidents.account.life import Given, Life, Said
from groupsim.incidents.account.rules import Rule, Why
from groupsim.incidents.account.spans import EVER, INF, Span, Spans, both, union, without
from groupsim.incidents.account.stored import Stored
from groupsim.incidents.account.track import OPEN
from groupsim.incidents.logs.row_kinds import RowKind

UNLOGGED = Rule(
    "member without a log",
    "a member whose log is not given may have had it",
    "",
    "the logs of all members, and the broker's log",
)
_COMES = frozenset([RowKind.MEMBER_JOINED, RowKind.STATIC_MEMBER_REPLACED])
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
    lives: Sequence[Life], stored: Sequence[Stored], removals: Mapping[MemberId, Sequence[Removal]], broker: bool
) -> list[Elsewhere]:
    """All such spans, by generation. Without a broker's log, generations show only while a logged process is a member
    and writes later.
    """
    found = [] if broker else [Elsewhere(s, None, frozenset(), Why(UNSEEN)) for s in _unseen(lives, stored)]
    by_generation: dict[int, list[Life]] = {}
    for life in lives:
        for number in life.joined:
            by_generation.setdefault(number, []).append(life)
    ids = {member for life in lives for member in life.ids}
    for place, one in enumerate(stored):
        until = stored[place + 1].when.hi if place + 1 < len(stored) else INF
        members = by_generation.get(one.number, [])
        found += _in_generation(one, until, members, ids, broker)
    return found + _replaced(lives, stored, removals)


def _replaced(
    lives: Sequence[Life], stored: Sequence[Stored], removals: Mapping[MemberId, Sequence[Removal]]
) -> list[Elsewhere]:
    """By the broker, a process without a log took a static member's place, until the next generation (KIP-345)."""
    same: dict[str | None, list[Life]] = {}
    for life in lives:
        same.setdefault(life.process.instance, []).append(life)
    found: list[Elsewhere] = []
    for life in lives:
        gone = (removal for member in life.ids for removal in removals.get(member, ()))
        for removal in gone:
            if not removal.replaced or _by_logged(removal, same[life.process.instance]):
                continue
            at = removal.when
            place = bisect_right(stored, at.hi, key=lambda one: one.when.lo)
            part = _part(life, stored[place - 1]) if place else OPEN
            until = stored[place].when.hi if place < len(stored) else INF
            why = Why(SAME_PLACE, (removal.said.place,))
            found.append(Elsewhere((at.lo, until), None if part is OPEN else part, frozenset(), why))
    return found


def _part(life: Life, one: Stored) -> Given:
    """What a static member has in a generation: by the plan, else by its own word."""
    if one.plan is None:
        return life.given.get(one.number, OPEN)
    return frozenset[TopicPartition]().union(*(one.plan.get(m, frozenset()) for m in life.kin))


def granted_elsewhere(
    lives: Sequence[Life], brokers: Sequence[Said], removals: Mapping[MemberId, Sequence[Removal]], broker: bool
) -> list[Elsewhere]:
    """By the consumer protocol: while a member without a log may be in the group. What others may use is not its."""
    if not broker:
        return [Elsewhere(EVER[0], None, frozenset(), Why(UNSEEN))]
    logged = {member for life in lives for member in life.ids}
    found: list[Elsewhere] = []
    there: dict[MemberId, tuple[int, Said]] = {}
    for said in brokers:
        member = said.row.member
        if not member or member in logged:
            continue
        there.setdefault(member, (said.when.lo if said.row.kind in _COMES else -INF, said))
        gone = next((r for r in removals.get(member, ()) if r.said is said and not r.away), None)
        if gone is not None:
            since, first = there.pop(member)
            found.append(Elsewhere((since, gone.when.hi), None, frozenset(), Why(UNLOGGED, (first.place, said.place))))
    found += [
        Elsewhere((since, INF), None, frozenset(), Why(UNLOGGED, (first.place,))) for since, first in there.values()
    ]
    return found


def _in_generation(
    one: Stored,
    until: int,
    members: Sequence[Life],
    ids: set[MemberId],
    broker: bool,
) -> list[Elsewhere]:
    """In one generation: what its plan gives members without a log, or what no logged member says to have."""
    why = Why(UNLOGGED, one.why.places)
    span = (one.when.lo, until)
    found: list[Elsewhere] = []
    if one.plan is not None:
        unlogged = frozenset[TopicPartition]().union(*(part for m, part in one.plan.items() if m not in ids))
        found += [Elsewhere(span, unlogged, frozenset(), why)] if unlogged else []
    elif one.size is None or len({life.process.instance or life.ids[-1] for life in members if life.ids}) < one.size:
        given = (life.given.get(one.number, OPEN) for life in members)
        logged = frozenset[TopicPartition]().union(*(each for each in given if each is not OPEN))
        found.append(Elsewhere(span, None, logged, why))
    for life in members:
        if life.process.instance is not None:
            found += _static(one, until, life, members, broker)
    return found


def _static(one: Stored, until: int, life: Life, members: Sequence[Life], broker: bool) -> list[Elsewhere]:
    """A static member's place may be another process's before it and after it, within the generation (KIP-345).

    Only the broker says when it was replaced. Without its log it may be so from when the process may have stopped.
    """
    part = _part(life, one)
    only, why = None if part is OPEN else part, Why(SAME_PLACE, (life.said[0].place,))
    joined = life.joined[one.number]
    before = any(
        each.process.instance == life.process.instance and each.joined[one.number].at.lo < joined.asked.lo
        for each in members
    )
    late = joined.first and joined.asked.hi > one.when.lo and not before
    spans = [(one.when.lo, min(until, joined.at.hi))] if late else []
    if not broker:
        spans += without([(max(one.when.lo, life.first.lo), until)], _witnessed(life))
    return [Elsewhere((lo, hi), only, frozenset(), why) for lo, hi in spans if lo < hi]


def _by_logged(removal: Removal, same: Sequence[Life]) -> bool:
    """Whether it was a process with a log that took a static member's place."""
    at = removal.when
    return any(
        joined.member != removal.member and joined.asked.lo <= at.hi and joined.at.hi >= at.lo
        for each in same
        for joined in each.joins[:1]
    )


def _witnessed(life: Life) -> Spans:
    """When it certainly ran and was a member: it would have written what happened, and it wrote later."""
    alive = both(life.runs.surely(True), life.member.surely(True))
    return both(alive, [(life.first.hi, life.last.lo)])


def _unseen(lives: Sequence[Life], stored: Sequence[Stored]) -> Spans:
    """When no logged process was certainly a member that wrote later, and before the first generation of all."""
    seen = union(*(_witnessed(life) for life in lives))
    if stored:
        seen = both(seen, [(stored[0].when.hi, INF)])
    return without(EVER, seen)
