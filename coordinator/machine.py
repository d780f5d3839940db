"""What a coordinator machine is, and which machine handles a group: it is picked by the type of the group's state.

A machine is a module of pure functions; `coordinator.classic` is one. A conversion between protocols is one fact, which
`evolve` answers with a state of the other type; from then on the other machine handles the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from groupsim.coordinator import classic, consumer
from groupsim.coordinator.classic.state import ClassicGroup, Elect
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.coordinator.server_assignors import Assign, assign_by_name
from groupsim.events.base import Event
from groupsim.events.types import GroupId

State_contra = TypeVar("State_contra", contravariant=True)
AnyGroup = ClassicGroup | ConsumerGroup
"""The state of a group of any protocol."""


class Machine(Protocol[State_contra]):
    """The decisions of one group protocol. Every function is pure."""

    def decide(self, state: State_contra, command: Any, /) -> Outcome[Any]:
        """Decide a command; change nothing. Raises TypeError for what is no command of this protocol."""
        ...

    def evolve(self, state: State_contra, event: Event, /) -> Any:
        """The state after one more fact; it is of another type if the fact converts the group."""
        ...

    def resume(self, state: State_contra, /) -> tuple[Arm, ...]:
        """The timers to set when a coordinator or this protocol takes a group over in this state."""
        ...

    def survives(self, event: Event, /) -> bool:
        """Whether Kafka writes a record of the fact, so that it is known after a failover."""
        ...


class ClassicMachine:
    """A classic group, or a group that does not exist: a request of the consumer protocol may convert it."""

    def decide(self, state: ClassicGroup, command: Any, /) -> Outcome[Any]:
        """Decide a command of either protocol."""
        if consumer.outlives_conversion(command):
            return Outcome(state)
        return consumer.convertible(state, command) if consumer.takes(command) else classic.decide(state, command)

    def evolve(self, state: ClassicGroup, event: Event, /) -> AnyGroup:
        """The group after one more fact."""
        return consumer.evolve(state, event)

    def resume(self, state: ClassicGroup, /) -> tuple[Arm, ...]:
        """The timers of a classic group."""
        return classic.resume(state)

    def survives(self, event: Event, /) -> bool:
        """Whether Kafka writes a record of the fact."""
        return consumer.survives(event)


Machines = Mapping[type, Machine[Any]]
"""The machine for each type of state."""
MACHINES: Machines = {ClassicGroup: ClassicMachine(), ConsumerGroup: consumer}


def absent(group: GroupId, configs: Configs, assign: Assign = assign_by_name, elect: Elect = elect_by_hash) -> AnyGroup:
    """The state of a group that nobody has created yet; in Kafka, too, it counts as an empty classic group."""
    return ClassicGroup(id=group, configs=configs, assign=assign, elect=elect)
