"""Probe: a scenario asks for the facts so far and for how long partitions were unavailable."""

from __future__ import annotations

from typing import Any, TypeVar

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, SubLabel
from groupsim.analysis.tables.summary import reprocessed_records
from groupsim.events import classic as c
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.types import Plan, moved
from groupsim.simulation.world import World

E = TypeVar("E", bound=Event)


class Probe:
    """Collects every fact from now on, except noise. Times are ms of the run; `group` restricts to one group."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.facts: list[Recorded] = []
        world.log.watchers.append(self.facts.append)

    def each(self, kind: type[E], /, since: int = 0, group: str | None = None, **fields: Any) -> list[tuple[int, E]]:
        """(at_ms, fact) of every fact of this type with these fields."""
        return [
            (fact.at_ms, fact.event)
            for fact in self.facts
            if isinstance(fact.event, kind)
            and fact.at_ms >= since
            and (group is None or group_of(fact.stream) == group)
            and all(getattr(fact.event, name) == value for name, value in fields.items())
        ]

    def count(self, kind: type[Event], /, since: int = 0, group: str | None = None, **fields: Any) -> int:
        """How many of them."""
        return len(self.each(kind, since, group, **fields))

    def rebalances(self, since: int = 0, group: str | None = None) -> int:
        """Completed join phases."""
        return self.count(c.JoinPhaseCompleted, since, group)

    def plans(self, since: int = 0, group: str | None = None) -> list[Plan]:
        """The assignments stored, in order."""
        return [fact.assignment or {} for _, fact in self.each(c.AssignmentStored, since, group)]

    def intervals(self, since: int = 0, group: str | None = None) -> list[Interval]:
        """Availability so far; intervals that began before `since` are left out."""
        so_far = intervals(self.facts, self._world.now)
        return [i for i in so_far if i.from_ms >= since and (group is None or i.group == group)]

    def label_ms(self, *labels: str, since: int = 0, group: str | None = None) -> int:
        """Partition-milliseconds under these labels; without labels: unavailable under any label."""
        return sum(i.duration_ms for i in self.intervals(since, group) if _counts(i, labels))

    def most_at_once(self, since: int = 0, group: str | None = None) -> int:
        """The most partitions that were unavailable at one instant."""
        unavailable = [i for i in self.intervals(since, group) if i.unavailable]
        return max((sum(i.from_ms <= at.from_ms < i.to_ms for i in unavailable) for at in unavailable), default=0)

    def all_served_ms(self, since: int, group: str) -> int | None:
        """From when on no partition of the group is unavailable; None if one is now."""
        ends = [i.to_ms for i in self.intervals(0, group) if i.unavailable and i.to_ms > since]
        last = max(ends, default=since)
        return None if last == self._world.now and ends else last

    def unsafe_ms(self, group: str | None = None) -> int:
        """Partition-milliseconds with two entitled owners."""
        return sum(i.duration_ms for i in self.intervals(0, group) if i.sub_label == SubLabel.BOTH_ENTITLED)

    def reprocessed(self, since: int = 0, group: str | None = None) -> int:
        """Records read twice."""
        return reprocessed_records(
            [f for f in self.facts if f.at_ms >= since and (group is None or group_of(f.stream) == group)]
        )


def _counts(interval: Interval, labels: tuple[str, ...]) -> bool:
    return interval.label in labels if labels else interval.unavailable


def watch(world: World) -> Probe:
    """A probe that collects facts from now on."""
    return Probe(world)


def moves(before: Plan, after: Plan) -> int:
    """How many partitions changed their owner from one assignment to a later one."""
    return len(moved(before, after))
