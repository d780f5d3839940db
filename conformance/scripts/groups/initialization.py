"""When the share coordinator has initialised partitions in a played script.

It works in the background of a group. Where a script has records they tell the moment, as they tell targets: the
machine's own time is only an estimate, and the first use of share state on a broker takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from groupsim.conformance.scripts.groups.share import STATE
from groupsim.conformance.scripts.script import Script, Step
from groupsim.coordinator.machine import MACHINES, Machines
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.coordinator.share.commands import StateInitialized
from groupsim.events.base import Event
from groupsim.events.types import Partitions, TopicPartition

AFTER_MS, BEFORE_MS = 20, -20
"""How long after a step is decided, or before it is sent, something counts as done."""


class _Timed:
    """A machine whose share coordinator takes as long as `wait_ms` says."""

    def __init__(self, machine: Any, wait_ms: Callable[[Partitions], int | None]) -> None:
        self._machine, self._wait_ms = machine, wait_ms
        self.resume, self.survives = machine.resume, machine.survives

    def decide(self, state: Any, command: Any, /) -> Outcome[Any]:
        outcome: Outcome[Any] = self._machine.decide(state, command)
        timers = tuple(self._retimed(t) if isinstance(t, Arm) else t for t in outcome.timers)
        return msgspec.structs.replace(outcome, timers=timers)

    def evolve(self, state: Any, event: Event, /) -> Any:
        return self._machine.evolve(state, event)

    def _retimed(self, timer: Arm) -> Arm:
        asked = timer.command
        wait_ms = self._wait_ms(asked.partitions) if isinstance(asked, StateInitialized) else None
        return timer if wait_ms is None else msgspec.structs.replace(timer, after_ms=wait_ms)


class RecordedInitialization:
    """Finds the moments in a script; `step` is the number of the present step."""

    def __init__(self, script: Script) -> None:
        self._steps, self._end_ms = script["steps"], script["end_ms"]
        self._recorded = any("records" in step for step in self._steps)
        self.step = -1

    def machines(self) -> Machines:
        """All machines, with these moments."""
        return {kind: _Timed(machine, self._wait_ms) for kind, machine in MACHINES.items()}

    def _wait_ms(self, partitions: Partitions) -> int | None:
        """How long from the present step until they are initialised; None where that was not recorded."""
        if not self._recorded:
            return None
        now_ms = self._steps[self.step]["at"]
        for step in self._steps[self.step :]:
            records = step.get("records", ())
            done = next((i for i, record in enumerate(records) if _has(record, partitions)), None)
            if done is not None:
                first = step["i"] > self.step and _precedes(step, done)
                return int(step["at"] - now_ms + (BEFORE_MS if first else AFTER_MS))
        return int(self._end_ms - now_ms + AFTER_MS)


def _precedes(step: Step, number: int) -> bool:
    """Whether this record of the step was written before the step was decided.

    A group that changed in the step without a record of it has its records one step late.
    """
    written = [kind == STATE for kind, _, _ in step["records"]]
    return not all(written[number:]) or (all(written) and "seen" in step)


def _has(record: Any, partitions: Partitions) -> bool:
    """Whether the record says that all of these are initialised."""
    kind, _, value = record
    if kind != STATE or value is None:
        return False
    there = {TopicPartition(row["TopicId"], n) for row in value["InitializedTopics"] for n in row["Partitions"]}
    return there.issuperset(partitions)
