"""The state of a classic group: immutable, changed by `evolve` alone (Kafka: ClassicGroup, ClassicGroupMember).

The legal moves between its phases are data (Kafka: ClassicGroupState.validPreviousStates).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum

import msgspec

from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.config import ClassicGroupConfig, Configs
from groupsim.coordinator.server_assignors import Assign, assign_by_name
from groupsim.events.types import GroupId, MemberId, Partitions, Plan, Protocol, Subscription

CONSUMER_PROTOCOL_TYPE = "consumer"
"""The protocol type of groups of consumers: only of these the coordinator reads the metadata."""
Elect = Callable[[int, tuple[MemberId, ...]], MemberId]
"""(generation so far, candidates) -> leader. Kafka takes the first in hash order of random ids."""


class Phase(Enum):
    """Kafka's ClassicGroupState, with the names DescribeGroups shows."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


TRANSITIONS: dict[Phase, tuple[Phase, ...]] = {
    Phase.EMPTY: (Phase.PREPARING_REBALANCE, Phase.DEAD),
    Phase.PREPARING_REBALANCE: (Phase.COMPLETING_REBALANCE, Phase.EMPTY, Phase.DEAD),
    Phase.COMPLETING_REBALANCE: (Phase.STABLE, Phase.PREPARING_REBALANCE, Phase.DEAD),
    Phase.STABLE: (Phase.PREPARING_REBALANCE, Phase.DEAD),
    Phase.DEAD: (),
}
"""From -> to. A coordinator that loads a group may land in STABLE, EMPTY or PREPARING_REBALANCE at once."""


def move(before: Phase, after: Phase) -> Phase:
    """`after`, if the table allows it. Raises AssertionError: an illegal move is a bug, never an answer."""
    if after not in TRANSITIONS[before]:
        raise AssertionError(f"illegal move {before.value} -> {after.value}")
    return after


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A member; `join_request` and `sync_request` are the numbers of its parked requests.

    `assigned`: it was given its `assignment`, which may be empty; `user_data` is what a custom assignor added to it.
    """

    id: MemberId
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: tuple[Protocol, ...]
    assignment: Partitions = ()
    assigned: bool = False
    user_data: str | None = None
    is_new: bool = False
    join_request: int | None = None
    sync_request: int | None = None

    def metadata(self, protocol: str | None) -> Subscription:
        """What it sent for this protocol; an empty subscription where it doesn't list it."""
        return next((p.metadata for p in self.protocols if p.name == protocol), Subscription(topics=()))


class ClassicGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A group as its coordinator knows it. `exists` is False until GroupCreated.

    `configs` are the settings of every group type: a conversion needs those of the other; `assign` is for the consumer
    group it may become. `previous` is the phase
    before the present one: a rebalance is *initial* if it was EMPTY. `new_member_added` is the flag that extends an
    initial delay; Kafka does not clear it when the rebalance completes, so it is not cleared here. `offers` counts the
    members that list each protocol. `subscribed` are the topics of all members when the last join phase ended, None
    where nobody knows them (Kafka: ClassicGroup.computeSubscribedTopics). `stored` is the state that the durable facts
    alone lead to.
    """

    id: GroupId
    configs: Configs = msgspec.field(default_factory=Configs)
    elect: Elect = elect_by_hash
    assign: Assign = assign_by_name
    exists: bool = False
    phase: Phase = Phase.EMPTY
    previous: Phase = Phase.EMPTY
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: MemberId | None = None
    subscribed: frozenset[str] | None = None
    members: Mapping[MemberId, Member] = msgspec.field(default_factory=dict)
    offers: Mapping[str, int] = msgspec.field(default_factory=dict)
    statics: Mapping[str, MemberId] = msgspec.field(default_factory=dict)
    pending: frozenset[MemberId] = frozenset()
    pending_sync: frozenset[MemberId] = frozenset()
    new_member_added: bool = False
    stored: ClassicGroup | None = None

    @property
    def config(self) -> ClassicGroupConfig:
        """The settings of classic groups."""
        return self.configs.classic

    @property
    def awaiting_join(self) -> int:
        """How many members have a parked JoinGroup."""
        return sum(m.join_request is not None for m in self.members.values())

    @property
    def all_joined(self) -> bool:
        """Every member awaits the end of the join phase and no issued id is outstanding."""
        return not self.pending and all(m.join_request is not None for m in self.members.values())

    @property
    def initial(self) -> bool:
        """The running rebalance started from an empty group."""
        return self.previous is Phase.EMPTY

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest rebalance timeout of the present members; 0 if there are none."""
        return max((m.rebalance_timeout_ms for m in self.members.values()), default=0)

    @property
    def assignment(self) -> Plan:
        """The partitions of each member, sorted by member id."""
        return {m: self.members[m].assignment for m in sorted(self.members)}


def subscribed_topics(members: Iterable[Member], protocol: str | None) -> frozenset[str] | None:
    """The topics of all members by the selected protocol; None if the metadata of one do not parse."""
    subscriptions = [member.metadata(protocol) for member in members]
    if any(subscription.unreadable is not None for subscription in subscriptions):
        return None
    return frozenset(topic for subscription in subscriptions for topic in subscription.topics)
