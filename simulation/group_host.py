"""Runs the coordinator's machines: append the facts, then change the state, then set timers and answer (ADR 0002)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import simpy

from groupsim.coordinator import consumer
from groupsim.coordinator.commands import Situated
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, Machines
from groupsim.coordinator.outcome import Disarm, Reply
from groupsim.events.base import Event
from groupsim.events.types import GroupId
from groupsim.simulation.timers import Timers

Record = Callable[[GroupId, Sequence[Event]], None]
Answer = Callable[[GroupId, Reply, bool], None]
"""(group, reply, whether the decision wrote a record): an answer that wrote waits for the write."""
Cancel = Callable[[GroupId], None]
"""Answers of the group that still wait for a write are void."""


def _nothing_waits(group: GroupId) -> None:
    """For a caller that holds no answers back."""


class GroupHost:
    """All groups of one coordinator. Commands of one group are handled one at a time, in the order they come.

    `machines` has the machine for each type of state; `initial` gives the state of a group that was never mentioned;
    `context` what a decision may look at besides (None: the time alone).
    """

    def __init__(
        self,
        env: simpy.Environment,
        record: Record,
        answer: Answer,
        initial: Callable[[GroupId], AnyGroup],
        cancel: Cancel = _nothing_waits,
        machines: Machines = MACHINES,
        context: Callable[[GroupId], Context] | None = None,
    ) -> None:
        self._record = record
        self._answer = answer
        self._cancel = cancel
        self._initial = initial
        self._machines = machines
        self._context = context or (lambda group: Context(at_ms=int(env.now)))
        self._timers = Timers(env, self.handle)
        self._groups: dict[GroupId, AnyGroup] = {}

    def group(self, group_id: GroupId) -> AnyGroup:
        """The group's present state; a group that was never mentioned does not exist."""
        return self._groups.get(group_id) or self._initial(group_id)

    def known(self) -> list[GroupId]:
        """The groups that were mentioned so far, sorted."""
        return sorted(self._groups)

    def handle(self, group_id: GroupId, command: Any) -> None:
        """Decide one command. If the facts can't be appended the exception passes and nothing has changed."""
        group = self.group(group_id)
        machine = self._machines[type(group)]
        if isinstance(command, Situated):
            command = command.at(self._context(group_id))
        outcome = machine.decide(group, command)
        self._record(group_id, outcome.events)
        if outcome.cancels_undurable:
            self._cancel(group_id)
        self._groups[group_id] = outcome.state
        timers = outcome.timers
        if type(outcome.state) is not type(group):  # converted: most timers of the other protocol have no meaning now
            self._timers.drop_unless(group_id, consumer.outlives_conversion)
            timers = (*self._machines[type(outcome.state)].resume(outcome.state), *timers)
        for timer in timers:
            if isinstance(timer, Disarm):
                self._timers.disarm(group_id, timer.key)
            else:
                self._timers.arm(group_id, timer.key, timer.after_ms, timer.command, keeps=timer.keeps)
        wrote = any(machine.survives(event) for event in outcome.events)
        for reply in outcome.replies:
            self._answer(group_id, reply, wrote)
