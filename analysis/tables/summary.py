"""A run in a few numbers, in the shape of the command line's contract. Pure Python: needs no pandas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groupsim.analysis.availability.conditions import follow
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Where
from groupsim.analysis.availability.start_up import after_start, first_worked
from groupsim.analysis.availability.totals import Totals
from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.group_state import AnyGroupState, converted
from groupsim.analysis.log_coverage import CONSUMER, COORDINATOR, RELEVANT, WORLD, scan_world
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.consumer import GroupEpochBumped
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.tasks_as_partitions import as_partitions
from groupsim.events.world import GroupDeclared, RunEnded
from groupsim.storage.rare_collections import rare_collections

_COUNTED: frozenset[type[Event]] = frozenset(
    {
        GroupDeclared,
        c.RebalanceStarted,
        GroupEpochBumped,
        p.PositionReady,
        p.PositionReached,
        p.JoinOk,
        p.SyncOk,
        CommitAccepted,
        CommitRefused,
        p.Failed,
    }
)
_NEEDED = tuple(sorted(kind.__name__ for kind in RELEVANT | _COUNTED | {RunEnded}))
"""Of a simulated run that has ended: half of its facts."""
Reader = Callable[[Sequence[str]], Iterable[Recorded]]
"""Reads a run's facts of these types, in order, each time it is called."""


class Summary(NamedTuple):
    """A run's numbers as `summarise` gives them, the sums they come from, and what members raised."""

    numbers: dict[str, Any]
    totals: Totals
    raised: list[p.Failed]


def summarise(
    facts: Sequence[Recorded],
    run_intervals: Iterable[Interval] | None = None,
    founded: Collection[str] | None = None,
) -> dict[str, Any]:
    """`groups`, `unavailable`, `commits` and `reprocessed_records` of a whole run.

    `run_intervals` are the run's intervals where the caller has them already: they cost as much as all the rest.
    `founded`: the groups that were founded in the run; None: all.
    """
    totals = totals_of(intervals(facts) if run_intervals is None else run_intervals, founded)
    counted, states = _Counted(), defaultdict[str, AnyGroupState](ClassicGroupState)
    for fact in as_partitions(facts):
        counted.observe(fact)
        name = group_of(fact.stream)
        if name is not None and type(fact.event) in COORDINATOR | CONSUMER:
            states[name] = converted(states[name], fact.event)
            states[name].apply(fact.event)
    return counted.numbers(totals, states)


def summarise_simulated(read: Reader) -> Summary:
    """The same of a simulated run that has ended, whose facts are read twice and not kept, and whose intervals are only
    added up.

    A simulated run declares its groups and topics: other facts need not be looked at to know what is counted.
    """
    groups = scan_world(read(sorted(kind.__name__ for kind in WORLD)))
    totals, counted = Totals(), _Counted()
    with rare_collections():
        followed = follow(groups, counted.watch(read(_NEEDED)), totals)
    totals.end(followed.end_ms)
    return Summary(counted.numbers(totals, followed.states), totals, counted.raised)


def totals_of(run_intervals: Iterable[Interval], founded: Collection[str] | None = None) -> Totals:
    """The sums of these intervals. `founded`: the groups that were founded in the run; None: all."""
    totals, read = Totals(), list(run_intervals)
    for interval in read:
        totals.add(interval)
    for interval in after_start(read, first_worked(read, founded)):
        totals.add_after_start(interval)
    return totals


def unavailable(run_intervals: Iterable[Interval]) -> dict[str, Any]:
    """`analysis.availability.totals.Totals.unavailable` of these intervals."""
    return totals_of(run_intervals).unavailable()


@dataclass(slots=True)
class _Group:
    """What is counted of one group; `reported` are the generations that its clients speak of."""

    rebalances: int = 0
    reported: set[int] = field(default_factory=set)

    def numbers(self, protocol: str, state: AnyGroupState) -> dict[str, Any]:
        """As `rebalances` of the timelines counts: what clients report counts where the coordinator is silent."""
        return {
            "protocol": protocol,
            "rebalances": self.rebalances if state.has_coordinator_facts else len(self.reported),
            "generation": state.generation,
            "members": len(state.members),
        }


class _Counted:
    """All numbers but the unavailable time, counted while the facts pass by."""

    def __init__(self) -> None:
        self.raised: list[p.Failed] = []
        self._accepted = self._refused = 0
        self._groups: dict[str, _Group] = {}
        self._protocols: dict[str, str] = {}
        self._records = _Records()

    def watch(self, facts: Iterable[Recorded]) -> Iterator[Recorded]:
        """The same facts, counted."""
        for fact in as_partitions(facts):
            self.observe(fact)
            yield fact

    def observe(self, fact: Recorded) -> None:
        """Count one fact."""
        event = fact.event
        if isinstance(event, GroupDeclared):
            self._protocols.setdefault(event.group, event.protocol)
            self._groups.setdefault(event.group, _Group())
            return
        name = group_of(fact.stream)
        if name is None:
            return
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = _Group()
        match event:
            case p.PositionReady() | p.PositionReached():
                self._records.observe(name, event)
            case p.JoinOk() | p.SyncOk():
                group.reported.add(event.generation)
            case p.AssignorRan() if event.generation >= 0:
                group.reported.add(event.generation)
            case CommitAccepted():
                self._accepted += 1
            case CommitRefused():
                self._refused += 1
            case c.RebalanceStarted() | GroupEpochBumped():
                group.rebalances += 1
            case p.Failed():
                self.raised.append(event)

    def numbers(self, totals: Totals, states: Mapping[str, AnyGroupState]) -> dict[str, Any]:
        """All together, in the shape of the contract; `states` are those of the groups at the end."""
        groups = {
            name: self._groups[name].numbers(self._protocols.get(name, "classic"), states[name])
            for name in sorted(self._groups)
        }
        return {
            "groups": groups,
            "unavailable": totals.unavailable(),
            "commits": {"accepted": self._accepted, "refused": self._refused, "unsafe_ms": totals.unsafe_ms},
            "reprocessed_records": self._records.again,
        }


@dataclass(slots=True)
class _Reading:
    """Who reads a partition, and how far the readers before it had come; `former` readers by where the next began."""

    process: str | None = None
    furthest: int = 0
    former: dict[str, int] = field(default_factory=dict)


class _Records:
    """Records read again: how far the readers before had come, less the offset where the next one starts.

    A zombie that reports its position after its successor has started counts then, from the successor's start.
    """

    def __init__(self) -> None:
        self.again = 0
        self._readings: dict[Where, _Reading] = {}

    def observe(self, group: str, event: p.PositionReady | p.PositionReached) -> None:
        """Count what one report of positions tells."""
        ready = isinstance(event, p.PositionReady)
        for topic, partition, offset in event.offsets:
            if offset < 0:  # a recorded log does not always have it
                continue
            reading = self._readings.get((group, topic, partition))
            if reading is None:
                reading = self._readings[group, topic, partition] = _Reading()
            if ready:
                self.again += max(0, reading.furthest - offset)
                if reading.process is not None and reading.process != event.process:
                    reading.former[reading.process] = offset
                reading.process, reading.furthest = event.process, offset
                reading.former.pop(event.process, None)
            elif event.process == reading.process:
                reading.furthest = max(reading.furthest, offset)
            elif event.process in reading.former:
                self.again += max(0, offset - reading.former.pop(event.process))


def reprocessed_records(facts: Iterable[Recorded]) -> int:
    """How many records were read again: some member had read them before."""
    records = _Records()
    for fact in facts:
        if isinstance(fact.event, p.PositionReady | p.PositionReached):
            records.observe(group_of(fact.stream) or "", fact.event)
    return records.again
