"""When the coordinator of a classic group stored which assignment, by whoever says so."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.incarnation import Incarnation, Said
from groupsim.incidents.account.rules import Rule, Why
from groupsim.incidents.account.spans import INF
from groupsim.incidents.account.when import When, ordered
from groupsim.incidents.facts.typed_fields import int_in, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind

BY_BROKER = Rule(
    "stored", "the broker says when it stored the assignment", "GroupMetadataManager.classicGroupSyncToClassicGroup"
)
BETWEEN = Rule(
    "stored between two lines",
    "the assignment was stored after its leader sent it, or all had asked to join, and before a member had its part",
    "GroupMetadataManager.classicGroupSyncToClassicGroup",
    "the broker's log",
)
PERHAPS = Rule(
    "perhaps stored",
    "members joined this generation, and no line shows whether its assignment was stored",
    "GroupMetadataManager.prepareRebalance",
    "the broker's log",
)
UNSEEN = Rule(
    "generation without a line",
    "generations in between have no line at all: nobody whose log is given took part, or they never got an assignment",
    "ClassicGroup.initNextGeneration",
    "the broker's log",
)

Plan = Mapping[MemberId, frozenset[TopicPartition]]
PlansByNumber = Mapping[int, Sequence[tuple[When, Plan]]]
"""By generation, in order."""


class Stored(NamedTuple):
    """A generation: when its assignment came into force.

    `sure`: it did. `plan`: what it gave each member, None if no log has it. `size`: how many members it has, if the
    broker says so.
    """

    when: When
    number: int
    sure: bool
    plan: Plan | None
    size: int | None
    why: Why


class _Seen:
    """What is known of one generation by lines of clients."""

    def __init__(self) -> None:
        self.asked = -INF
        self.got = INF
        self.plan: tuple[When, Plan] | None = None


def part_in(plan: Plan, members: Container[MemberId]) -> frozenset[TopicPartition]:
    """What a plan gives some members."""
    return frozenset[TopicPartition]().union(*(part for member, part in plan.items() if member in members))


def plans_of(said: Iterable[Said]) -> dict[int, list[tuple[When, Plan]]]:
    """The assignments that leaders print, or `__consumer_offsets` has, by generation, in order."""
    found: dict[int, list[tuple[When, Plan]]] = {}
    for each in said:
        row = each.row
        number, printed = int_in(row.detail.get("generation")), row.detail.get("assignment")
        if row.kind not in (RowKind.LEADER_COMPUTED_ASSIGNMENT, RowKind.STORED_ASSIGNMENT) or number is None:
            continue
        if isinstance(printed, Mapping):
            plan = {str(member): frozenset(partitions_in(names)) for member, names in printed.items()}
            found.setdefault(number, []).append((each.when, plan))
    return found


def stored_by_broker(said: Iterable[Said], plans: PlansByNumber) -> list[Stored]:
    """All that a broker says it stored, in its order; numbers may start over."""
    found: list[Stored] = []
    for each in said:
        row = each.row
        if row.kind not in (RowKind.ASSIGNMENT_RECEIVED, RowKind.STORED_ASSIGNMENT):
            continue
        number = int_in(row.detail.get("generation")) or 0
        size = int_in(row.detail.get("members"))
        why = Why(BY_BROKER, (each.place,))
        found.append(Stored(each.when, number, True, _plan_at(plans, number, each.when), size, why))
    return found


def _plan_at(plans: PlansByNumber, number: int, when: When) -> Plan | None:
    """Of a number that occurs more than once, the last one that was computed before it was stored."""
    before = [plan for computed, plan in plans.get(number, ()) if computed.lo <= when.hi]
    return before[-1] if before else None


def stored_by_clients(incarnations: Sequence[Incarnation], plans: PlansByNumber) -> list[Stored]:
    """What clients' lines prove: a generation is stored after all had asked to join it, and before one had its part.

    A static member that comes back is answered at once, so that it may ask long after.
    """
    seen: dict[int, _Seen] = {}
    for own in incarnations:
        for number, joined in own.joined.items():
            one = seen.setdefault(number, _Seen())
            if own.process.instance is None or not joined.first:
                one.asked = max(one.asked, joined.asked.lo)
        for number, synced in own.synced.items():
            one = seen.setdefault(number, _Seen())
            one.got = min(one.got, synced.hi)
    for number, known in plans.items():
        seen.setdefault(number, _Seen()).plan = known[-1]
    found: list[Stored] = []
    for number in sorted(seen):
        one = seen[number]
        lo = one.asked if one.plan is None else one.plan[0].lo
        plan = None if one.plan is None else one.plan[1]
        if found and found[-1].number + 1 < number:
            found.append(Stored(When(found[-1].when.lo, INF), number - 1, False, None, None, Why(UNSEEN)))
        sure = one.got < INF
        when = When(min(lo, one.got), one.got if sure else INF)
        found.append(Stored(when, number, sure, plan, None, Why(BETWEEN if sure else PERHAPS)))
    whens = ordered(each.when for each in found)  # a generation is stored after the one before, if that was
    return [each._replace(when=when) for each, when in zip(found, whens, strict=True)]
