"""How far the changelogs of an application's stores have grown: each record that a task processes adds one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from groupsim.events.types import TopicPartition

Position = Callable[[TopicPartition], int]
"""The next offset that an instance reads of a partition, now."""


@dataclass(slots=True)
class Changelogs:
    """What was processed of each partition, by whichever instances run its task. What is read again counts once."""

    _processed: dict[TopicPartition, int] = field(default_factory=dict)
    _run: dict[TopicPartition, list[Position]] = field(default_factory=dict)

    def begin(self, partitions: Iterable[TopicPartition], position: Position) -> None:
        """An instance runs the task that reads these."""
        for partition in partitions:
            self._run.setdefault(partition, []).append(position)

    def end(self, partitions: Iterable[TopicPartition], position: Position) -> None:
        """It runs it no more; what it has reached by now was processed."""
        for partition in partitions:
            self._processed[partition] = self.processed(partition)
            self._run[partition].remove(position)

    def processed(self, partition: TopicPartition) -> int:
        """How many records of it tasks have processed, counted from the start of the run."""
        reached = (position(partition) for position in self._run.get(partition, ()))
        return max(self._processed.get(partition, 0), *reached, 0)
