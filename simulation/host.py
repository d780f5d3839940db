"""The shell round the coordinator machines: remember, then change, then speak."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import simpy

from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import Command
from groupsim.coordinator.classic.state import Group
from groupsim.coordinator.outcome import Disarm, Reply
from groupsim.events.base import Event
from groupsim.events.types import GroupId
from groupsim.simulation.timers import Timers

Record = Callable[[GroupId, Sequence[Event]], None]
Answer = Callable[[GroupId, Reply, bool], None]
"""(group, reply, whether a record was written first): an answer that wrote waits for the write."""


class GroupHost:
    """All groups of one coordinator. Commands of one group are handled one at a time, in the order they come."""

    def __init__(
        self,
        env: simpy.Environment,
        record: Record,
        answer: Answer,
        initial: Callable[[GroupId], Group],
    ) -> None:
        self._record = record
        self._answer = answer
        self._initial = initial
        self._timers = Timers(env, self._ring)
        self._groups: dict[GroupId, Group] = {}

    def group(self, group_id: GroupId) -> Group:
        """The group's present state; a group nobody has asked for yet does not exist."""
        return self._groups.get(group_id) or self._initial(group_id)

    def known(self) -> list[GroupId]:
        """The groups anybody has asked for, sorted."""
        return sorted(self._groups)

    def handle(self, group_id: GroupId, command: Command) -> None:
        """Answer one command. A failed append changes nothing."""
        group = self.group(group_id)
        outcome = classic.decide(group, command)
        self._record(group_id, outcome.events)
        self._groups[group_id] = reduce(classic.evolve, outcome.events, group)
        for timer in outcome.timers:
            if isinstance(timer, Disarm):
                self._timers.disarm(group_id, timer.key)
            else:
                self._timers.arm(group_id, timer.key, timer.after_ms, timer.command)
        wrote = any(classic.survives(event) for event in outcome.events)
        for reply in outcome.replies:
            self._answer(group_id, reply, wrote)

    def _ring(self, group_id: GroupId, command: object) -> None:
        self.handle(group_id, command)  # type: ignore[arg-type]  # an alarm carries the command it was armed with
