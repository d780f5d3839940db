"""Partitions in equal condition, kept together: one verdict for each group of them, and changes for a recorder.

All partitions of one member change together nearly always. What is computed once per condition instead of once per
partition makes a run of many partitions cheap, and a recorder that needs only sums never sees a single partition.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import NamedTuple, Protocol

from groupsim.analysis.availability.labels import Verdict, is_available
from groupsim.analysis.availability.start_up import LOST
from groupsim.analysis.availability.view import GroupView
from groupsim.analysis.group_state import AnyGroupState
from groupsim.analysis.log_coverage import RELEVANT, LogCoverage
from groupsim.analysis.partition_sets import parts
from groupsim.events import network
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.tasks_as_partitions import as_partitions
from groupsim.events.types import TopicPartition


class Recorder(Protocol):
    """Takes the changes of verdicts, in order of time; each covers partitions of one group that change alike."""

    def change(
        self, group: str, partitions: Collection[TopicPartition], before: Verdict | None, after: Verdict, at_ms: int
    ) -> None:
        """From `at_ms` on `after` holds of these partitions; `before` is None where they begin to count."""
        ...

    def worked(self, group: str, at_ms: int) -> None:
        """The group first worked (`analysis.availability.start_up`); comes after the changes of that instant."""
        ...


class Followed(NamedTuple):
    """The instant of a run's last fact (ms), and the state of each group by its coordinator's facts then."""

    end_ms: int
    states: dict[str, AnyGroupState]


def follow(groups: dict[str, LogCoverage], facts: Iterable[Recorded], recorder: Recorder) -> Followed:
    """Fold a run's facts, read once and not kept, into changes of verdicts.

    What changes within one millisecond is decided at its end.
    """
    followed = {name: _Group(GroupView(coverage), recorder) for name, coverage in groups.items()}
    now = end_ms = 0
    started = False
    for fact in as_partitions(facts):
        end_ms = max(end_ms, fact.at_ms)
        if type(fact.event) not in RELEVANT:
            continue
        if fact.at_ms > now:
            if started:
                for group in followed.values():
                    group.settle(now)
            now = fact.at_ms
        started = True
        _apply(followed, fact.stream, fact.event)
    if started:
        for group in followed.values():
            group.settle(now, is_end=now == end_ms)
    return Followed(end_ms, {name: group.view.group.state for name, group in followed.items()})


def _apply(followed: dict[str, _Group], stream: str, event: Event) -> None:
    name = group_of(stream)
    if name is not None:
        if name in followed:
            followed[name].view.apply(event)
    elif isinstance(event, network.LinkCut | network.LinkHealed):
        for group in followed.values():
            group.view.link(event.a, event.b, cut=isinstance(event, network.LinkCut))


class _Condition:
    """The partitions in one condition and their common verdict; `arriving` are new, by the verdict they had before.

    The verdict is that of the last millisecond that was settled.
    """

    __slots__ = ("arriving", "key", "partitions", "verdict")

    def __init__(self, key: Hashable) -> None:
        self.key = key
        self.partitions: set[TopicPartition] = set()
        self.arriving: dict[Verdict | None, list[TopicPartition]] = {}
        self.verdict: Verdict | None = None

    def example(self) -> TopicPartition | None:
        """Any one of its partitions; None if there are none."""
        for partition in self.partitions:
            return partition
        for partitions in self.arriving.values():
            return partitions[0]
        return None


class _Group:
    """The conditions of one group's partitions."""

    __slots__ = ("_begins_ms", "_condition_of", "_conditions", "_never_served", "_not_started", "_recorder", "view")

    def __init__(self, view: GroupView, recorder: Recorder) -> None:
        self.view = view
        self._recorder = recorder
        self._conditions: dict[Hashable, _Condition] = {}
        self._condition_of: dict[TopicPartition, _Condition] = {}
        self._not_started = sorted(((ms, tp) for tp, ms in view.coverage.counted_from_ms.items()), reverse=True)
        self._begins_ms = self._not_started[-1][0] if self._not_started else 0
        self._never_served = {tp for ms, tp in self._not_started if ms == self._begins_ms}

    def settle(self, at_ms: int, *, is_end: bool = False) -> None:
        """At the end of this millisecond: find new conditions and verdicts, and report what changed.

        `is_end`: the run ends here, so what changes covers no time, and a group does not work by it.
        """
        affected: set[_Condition] = set()
        changes = self.view.take_changes()
        if changes is not None:
            if changes.all_affected:
                affected.update(self._conditions.values())
            else:
                affected.update(condition for condition, _ in self._by_condition(changes.affected))
            for partitions in parts(changes.moved):
                for before, alike in self._by_condition(partitions):
                    self._put(alike, before, affected)
        while self._not_started and self._not_started[-1][0] <= at_ms:
            since_ms, partition = self._not_started.pop()
            if since_ms > self._begins_ms and self.view.grew():
                affected.update(self._conditions.values())
            affected.add(self._arrive([partition], self.view.condition(partition), None))
        starts = bool(self._never_served)
        for condition in affected:
            self._decide(condition, at_ms)
        if starts and not self._never_served and not is_end:
            self._recorder.worked(self.view.coverage.group, at_ms)
            if all(
                is_available(*condition.verdict[:2]) for condition in self._conditions.values() if condition.verdict
            ):
                self.view.group.causes.worked()

    def _by_condition(self, partitions: set[TopicPartition]) -> Iterator[tuple[_Condition, set[TopicPartition]]]:
        """These partitions by the conditions that they are in, but for those that do not count yet; empties the set.

        Whole sets are compared, not one partition after the other. What is yielded may be moved at once.
        """
        while partitions:
            example = next(iter(partitions))
            condition = self._condition_of.get(example)
            if condition is None:
                partitions.discard(example)
                continue
            alike = partitions & condition.partitions
            partitions -= alike
            yield condition, alike

    def _put(self, alike: set[TopicPartition], before: _Condition, affected: set[_Condition]) -> None:
        """Put partitions where they belong now; the condition they leave and the one they come to are affected."""
        key = self.view.condition(next(iter(alike)))
        if key != before.key:
            before.partitions.difference_update(alike)
            affected.add(before)
            affected.add(self._arrive(alike, key, before.verdict))

    def _arrive(self, partitions: Collection[TopicPartition], key: Hashable, before: Verdict | None) -> _Condition:
        condition = self._conditions.get(key)
        if condition is None:
            condition = self._conditions[key] = _Condition(key)
        condition.arriving.setdefault(before, []).extend(partitions)
        self._condition_of.update(dict.fromkeys(partitions, condition))
        return condition

    def _decide(self, condition: _Condition, at_ms: int) -> None:
        """Compute the verdict of a condition and report the partitions of which another one held before."""
        example = condition.example()
        if example is None:
            del self._conditions[condition.key]
            return
        report, group = self._recorder.change, self.view.coverage.group
        verdict = self.view.verdict(example)
        if verdict != condition.verdict:
            if condition.partitions:
                report(group, condition.partitions, condition.verdict, verdict, at_ms)
            condition.verdict = verdict
        if condition.arriving:
            for before, partitions in condition.arriving.items():
                if before != verdict:
                    report(group, partitions, before, verdict, at_ms)
                condition.partitions.update(partitions)
            condition.arriving = {}
        if self._never_served and (is_available(verdict.label, verdict.sub_label) or verdict.label in LOST):
            self._never_served -= condition.partitions
