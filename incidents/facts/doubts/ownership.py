"""Who held which partition by the facts of an import, and where two processes claim the same one."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from groupsim.events import classic, client
from groupsim.events.base import Event, group_of
from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.tolerances import NEVER_MS


class Claim(NamedTuple):
    """At `at` somebody else took a partition that `process` still held by its own log."""

    at: int
    group: str
    process: str
    partition: TopicPartition


class Stored(NamedTuple):
    """An assignment was stored at `at`; `moved`: what its owners still held then, and it does not give them.

    None: no log shows the assignment.
    """

    at: int
    generation: int
    moved: Partitions | None


def _when(item: tuple[int, object]) -> int:
    return item[0]


class Ownership:
    """Who held what by the facts of a run that is being imported.

    `claims`: who took a partition from a process whose log does not say that it gave it up. `given_up`: when a process
    gave a partition up, by group, process and partition. `at_its_stop`: what a process held when it died or froze, by
    group, process and time. `stored`: the assignments of a classic group, in order.
    """

    def __init__(self, facts: Iterable[PendingFact]) -> None:
        self.claims: list[Claim] = []
        self.given_up: dict[tuple[str, str, TopicPartition], list[int]] = defaultdict(list)
        self.at_its_stop: dict[tuple[str, str, int], Partitions] = {}
        self.stored: dict[str, list[Stored]] = defaultdict(list)
        self._plans: dict[str, list[tuple[int, classic.AssignmentStored]]] = defaultdict(list)
        self._views: dict[tuple[str, str], set[TopicPartition]] = defaultdict(set)
        self._serving: dict[str, dict[str, set[TopicPartition]]] = defaultdict(dict)
        self._seen: dict[tuple[str, str], list[tuple[int, set[TopicPartition]]]] = defaultdict(list)
        self._holders: dict[tuple[str, TopicPartition], set[str]] = defaultdict(set)
        self._had: dict[tuple[str, TopicPartition], dict[str, None]] = defaultdict(dict)
        self._process_of: dict[tuple[str, str], str] = {}
        self._frozen: set[tuple[str, str]] = set()
        for fact in facts:
            group = group_of(fact.stream)
            if group is not None:
                self._apply(fact.at, group, fact.event)

    def _apply(self, at: int, group: str, event: Event) -> None:
        match event:
            case (
                client.JoinOk(process=process, member=member)
                | client.SyncOk(process=process, member=member)
                | client.EpochReceived(process=process, member=member)
            ):
                self._process_of[group, member] = process
            case client.ViewChanged(process=process, partitions=partitions):
                self._set_view(at, group, process, set(partitions))
            case client.Crashed(process=process) | client.Closed(process=process):
                self.at_its_stop[group, process, at] = tuple(sorted(self._views[group, process]))
                self._set_view(at, group, process, set())
            case client.Frozen(process=process):
                self.at_its_stop[group, process, at] = tuple(sorted(self._views[group, process]))
                self._frozen.add((group, process))
            case client.Thawed(process=process):
                self._frozen.discard((group, process))
            case classic.AssignmentStored():
                self._plans[group].append((at, event))
                self.stored[group].append(Stored(at, event.generation, self._moved(group, event)))
                for member, partitions in (event.assignment or {}).items():
                    for tp in partitions:
                        self._claim(at, group, self._process_of.get((group, member)), tp)

    def _moved(self, group: str, event: classic.AssignmentStored) -> Partitions | None:
        if event.assignment is None:
            return None
        given = self._given(group, event.assignment)
        serving = self._serving[group].items()
        return tuple(sorted(set().union(*(held - given.get(process, set()) for process, held in serving))))

    def _given(self, group: str, plan: Mapping[str, Partitions]) -> dict[str | None, set[TopicPartition]]:
        return {self._process_of.get((group, member)): set(part) for member, part in plan.items()}

    def _set_view(self, at: int, group: str, process: str, now: set[TopicPartition]) -> None:
        before = self._views[group, process]
        for tp in before - now:
            self._holders[group, tp].discard(process)
            self.given_up[group, process, tp].append(at)
        for tp in now - before:
            self._claim(at, group, process, tp)
            self._holders[group, tp].add(process)
            self._had[group, tp][process] = None
        self._views[group, process] = now
        if now:
            self._serving[group][process] = now
        else:
            self._serving[group].pop(process, None)
        self._seen[group, process].append((at, now))

    def _claim(self, at: int, group: str, process: str | None, tp: TopicPartition) -> None:
        for holder in self._holders[group, tp]:
            if holder != process and (group, holder) not in self._frozen:
                self.claims.append(Claim(at, group, holder, tp))

    @cached_property
    def stored_in(self) -> dict[tuple[str, int], Stored]:
        """What was stored last in each generation, by group and generation."""
        return {(group, each.generation): each for group, all_ in self.stored.items() for each in all_}

    def held(self, group: str, process: str, from_ms: int, to_ms: int) -> Partitions:
        """What a process held at any time of a period, by its own log."""
        views = self._seen[group, process]
        first = max(0, bisect_right(views, from_ms, key=_when) - 1)
        until = bisect_right(views, to_ms, key=_when)
        return tuple(sorted(set().union(*(view for _, view in views[first:until]))))

    def taken(self, group: str, plan: Mapping[str, Partitions], at: int) -> Iterator[tuple[TopicPartition, int | None]]:
        """What processes held at an instant and an assignment does not give them, and when they gave it up."""
        given = self._given(group, plan)
        for process in sorted(process for of, process in self._seen if of == group):
            for tp in sorted(set(self.held(group, process, at, at)) - given.get(process, set())):
                later = (when for when in self.given_up[group, process, tp] if when > at)
                yield tp, next(later, None)

    def freed(self, group: str, process: str, partition: TopicPartition, from_ms: int, to_ms: int) -> list[int]:
        """When other processes gave a partition up in a period."""
        others = [other for other in self._had[group, partition] if other != process]
        return [at for other in others for at in self.given_up[group, other, partition] if from_ms < at <= to_ms]

    def others_hold(self, group: str, process: str, partition: TopicPartition, at: int) -> bool:
        """Whether another process held a partition at an instant, by its own log."""
        others = [other for other in self._had[group, partition] if other != process]
        return any(partition in self.held(group, other, at, at) for other in others)

    def taken_after(self, group: str, process: str, at: int) -> int | None:
        """When somebody else first took after an instant what a process still held by its own log."""
        of_process = self._claims_on.get((group, process), ())
        place = bisect_right(of_process, at)
        return of_process[place] if place < len(of_process) else None

    @cached_property
    def _claims_on(self) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for claim in self.claims:
            found[claim.group, claim.process].append(claim.at)
        return {key: sorted(times) for key, times in found.items()}

    def not_others(
        self, group: str, process: str, from_ms: int, to_ms: int
    ) -> Iterator[tuple[TopicPartition, int, int]]:
        """When in a period no other process held a partition of a group, by its own log."""
        for partition in sorted(tp for of, tp in self._had if of == group):
            free_from = from_ms
            others = (span for span in self._spans[group, partition] if span[2] != process and span[1] > from_ms)
            for begin, end, _ in sorted(others):
                if free_from < min(begin, to_ms):
                    yield partition, free_from, min(begin, to_ms)
                free_from = max(free_from, end)
            if free_from < to_ms:
                yield partition, free_from, to_ms

    @cached_property
    def _spans(self) -> dict[tuple[str, TopicPartition], list[tuple[int, int, str]]]:
        """From when until when processes held each partition."""
        found: dict[tuple[str, TopicPartition], list[tuple[int, int, str]]] = defaultdict(list)
        for (group, process), views in self._seen.items():
            since: dict[TopicPartition, int] = {}
            for at, view in [*views, (NEVER_MS, set[TopicPartition]())]:
                for partition in since.keys() - view:
                    found[group, partition].append((since.pop(partition), at, process))
                since |= dict.fromkeys(view - since.keys(), at)
        return found

    def assigned(self, group: str, member: str, at: int) -> tuple[int | None, Partitions | None]:
        """When the last assignment before an instant was stored, and what it gave the member; None: not known."""
        plans = self._plans[group]
        place = bisect_right(plans, at, key=_when)
        if not place:
            return None, None
        when, event = plans[place - 1]
        return when, None if event.assignment is None else event.assignment.get(member, ())
