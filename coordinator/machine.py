"""What a coordinator machine is, and which machine handles a group: it is picked by the type of the group's state.

A machine is a module of pure functions; `coordinator.classic` is one. A conversion between protocols is one fact, which
`evolve` answers with a state of the other type; from then on the other machine handles the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from groupsim.coordinator import classic, consumer, share, streams
from groupsim.coordinator.classic.state import ClassicGroup, Elect
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.coordinator.server_assignors import Assign, assign_by_name
from groupsim.coordinator.share.state import ShareGroup
from groupsim.coordinator.streams.state import StreamsGroup
from groupsim.events.base import Event
from groupsim.events.share import ShareGroupCreated
from groupsim.events.streams import StreamsGroupCreated
from groupsim.events.types import GroupId

State_contra = TypeVar("State_contra", contravariant=True)
AnyGroup = ClassicGroup | ConsumerGroup | ShareGroup | StreamsGroup
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


OTHERS: tuple[Any, ...] = (consumer, share, streams)
"""The protocols whose requests may come to a group of another type, or to none."""
CREATED: dict[type[Event], Any] = {ShareGroupCreated: share, StreamsGroupCreated: streams}
"""Facts that make a group of another protocol out of a classic one, or of none."""


class GroupMachine:
    """The machine of one protocol, which leaves requests of another to that one: it takes the group over, or refuses.

    A group that does not exist is a classic one.
    """

    def __init__(self, protocol: Any) -> None:
        self._own = protocol
        others = [other for other in OTHERS if other is not protocol]
        self._elsewhere = {kind: other.elsewhere for other in others for kind in other.TAKES}
        self._facts = consumer if protocol is classic else protocol
        self.resume, self.survives = protocol.resume, self._facts.survives

    def decide(self, state: Any, command: Any, /) -> Outcome[Any]:
        """Decide a command of any protocol."""
        elsewhere = self._elsewhere.get(type(command))
        if elsewhere is not None:
            refused_or_converted: Outcome[Any] = elsewhere(state, command)
            return refused_or_converted
        if self._own in (classic, share) and consumer.outlives_conversion(command):
            return Outcome(state)  # such timers mean nothing here
        outcome: Outcome[Any] = self._own.decide(state, command)
        return outcome

    def evolve(self, state: Any, event: Event, /) -> AnyGroup:
        """The group after one more fact."""
        after: AnyGroup = CREATED.get(type(event), self._facts).evolve(state, event)
        return after


Machines = Mapping[type, Machine[Any]]
"""The machine for each type of state."""
MACHINES: Machines = {
    ClassicGroup: GroupMachine(classic),
    ConsumerGroup: GroupMachine(consumer),
    ShareGroup: GroupMachine(share),
    StreamsGroup: GroupMachine(streams),
}


def absent(group: GroupId, configs: Configs, assign: Assign = assign_by_name, elect: Elect = elect_by_hash) -> AnyGroup:
    """The state of a group that nobody has created yet; in Kafka, too, it counts as an empty classic group."""
    return ClassicGroup(id=group, configs=configs, assign=assign, elect=elect)


def evolve(state: AnyGroup, event: Event) -> AnyGroup:
    """The group after one more fact, of whichever protocol."""
    after: AnyGroup = MACHINES[type(state)].evolve(state, event)
    return after
