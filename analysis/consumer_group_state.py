"""The state of one consumer group (KIP-848): a fold of its coordinator's facts, as far as availability asks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from groupsim.events import consumer as c
from groupsim.events.base import Event
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.events.types import Held, MemberId, Partitions, TopicPartition


@dataclass(slots=True)
class ConsumerMember:
    """One member: what it subscribes to, its epoch, what it may use and what it has to give up first."""

    topics: tuple[str, ...] = ()
    expression: str = ""
    epoch: int = 0
    state: c.MemberState = c.MemberState.STABLE
    assigned: frozenset[TopicPartition] = frozenset()
    pending: frozenset[TopicPartition] = frozenset()


@dataclass(slots=True)
class ConsumerGroupState:
    """Epoch, target and members of one group; Kafka: ConsumerGroup.

    `owners` has every partition that a member was given, whether it may use it or has to give it up. `targets` is
    what each member is to have at `target_epoch`.
    """

    members: dict[MemberId, ConsumerMember] = field(default_factory=dict)
    epoch: int = 0
    target_epoch: int = 0
    targets: dict[MemberId, Partitions] = field(default_factory=dict)
    resolved: dict[str, tuple[str, ...]] = field(default_factory=dict)
    owners: dict[TopicPartition, tuple[MemberId, ...]] = field(default_factory=dict)
    loaded: bool = True
    removed: set[MemberId] = field(default_factory=set)
    members_at_last_assignment: frozenset[MemberId] = frozenset()
    self_reported_generation: dict[MemberId, int] = field(default_factory=dict)
    assignment_known: ClassVar[bool] = False
    """Of a recorded log: it never has the targets of all members."""
    has_coordinator_facts: ClassVar[bool] = True
    leader: ClassVar[None] = None

    @property
    def state(self) -> str:
        """As an administrator sees it (Kafka: ConsumerGroup.maybeUpdateGroupState)."""
        if not self.loaded:
            return "Dead"
        if not self.members:
            return "Empty"
        if self.epoch > self.target_epoch:
            return "Assigning"
        return "Reconciling" if self.rebalancing else "Stable"

    def plan(self) -> Iterator[tuple[MemberId, Partitions]]:
        """Every member with what it may use or has to give up, sorted by member id."""
        for member in sorted(self.members):
            yield member, self.assigned(member)

    @property
    def generation(self) -> int:
        """The group's epoch."""
        return self.epoch

    @property
    def topics(self) -> set[str]:
        """What the members subscribe to, by name or by expression."""
        named = {topic for member in self.members.values() for topic in member.topics}
        matched = (self.resolved.get(member.expression, ()) for member in self.members.values())
        return named.union(*matched)

    @property
    def rebalancing(self) -> bool:
        """A member has not reached the target of the group's epoch."""
        return self.epoch > self.target_epoch or any(
            member.state is not c.MemberState.STABLE or member.epoch != self.target_epoch
            for member in self.members.values()
        )

    @property
    def stable(self) -> bool:
        """Every member is known to have reached the target: of a recorded log, by the members' own logs."""
        return bool(self.members) and self.target_epoch > 0 and not self.rebalancing

    @property
    def size(self) -> int:
        """How many members the target is for."""
        return len(self.members_at_last_assignment)

    def learn(self, member: MemberId, generation: int, partitions: Partitions) -> None:
        """See ReportedGroupState: what members report is in the coordinator's facts already."""

    @property
    def empty(self) -> bool:
        """It has no members."""
        return not self.members

    @property
    def withheld(self) -> set[TopicPartition]:
        """Partitions that the target gives to a member and that nobody was given yet."""
        return {p for partitions in self.targets.values() for p in partitions} - self.owners.keys()

    def owner(self, partition: TopicPartition) -> MemberId | None:
        """The member that was given it; the one that may use it, if there are two."""
        return next(iter(self.owners.get(partition, ())), None)

    def assigned(self, member: MemberId) -> Partitions:
        """What the member may use or has to give up."""
        found = self.members.get(member)
        return () if found is None else tuple(sorted(found.assigned | found.pending))

    def may_commit(self, member: MemberId) -> bool:
        """It is a member, so its commits would not be refused for good."""
        found = self.members.get(member)
        return found is not None and found.epoch >= 0

    def entitled(self, member: MemberId, partition: TopicPartition) -> bool:
        """The member may use the partition or has to give it up, and it may commit."""
        return member in self.owners.get(partition, ()) and self.may_commit(member)

    def subscribed(self, topic: str) -> bool:
        """Some member subscribes to the topic."""
        return topic in self.topics

    def delivers(self, *, surrendered: bool) -> bool:
        """A member learns of what it was assigned by its next heartbeat, whatever the others do."""
        return not surrendered

    def apply(self, event: Event) -> bool:
        """Fold one fact; True if it can have changed what somebody has, may do or subscribes to."""
        match event:
            case c.GroupUpgraded():
                self.epoch = self.target_epoch = event.generation
                self.targets = dict(event.assignment)
                for name, partitions in event.assignment.items():
                    self._member(name).assigned = frozenset(partitions)
                    self._member(name).epoch = event.generation
            case c.ConsumerMemberUpdated():
                member = self._member(event.member)
                member.topics, member.expression = event.topics, event.expression
            case c.ConsumerMemberRemoved():
                self._remove((event.member,))
            case c.StaticMemberReplaced():
                self.members[event.member] = self.members.pop(event.old)
                self.members[event.member].epoch = 0
                self.targets[event.member] = self.targets.pop(event.old, ())
            case c.StaticMemberAway():
                member = self._member(event.member)
                member.epoch, member.pending = -2, frozenset()
            case c.GroupEpochBumped():
                self.epoch = event.epoch
            case c.TargetComputed():
                self.target_epoch = event.epoch
                self.targets |= event.changed
                self.members_at_last_assignment = frozenset(self.members)
            case c.MemberReconciled():
                member = self._member(event.member)
                member.epoch, member.state = event.epoch, event.state
                member.assigned, member.pending = _partitions(event.assigned), _partitions(event.pending)
            case c.ExpressionResolved():
                self.resolved[event.expression] = event.topics
            case c.ExpressionDropped():
                self.resolved.pop(event.expression, None)
            case CoordinatorUnloaded() | CoordinatorLoaded():
                self.loaded = isinstance(event, CoordinatorLoaded)
            case _:
                return False
        self.index()
        return True

    def _member(self, member: MemberId) -> ConsumerMember:
        return self.members.setdefault(member, ConsumerMember())

    def _remove(self, members: Collection[MemberId]) -> None:
        for member in members:
            self.members.pop(member, None)
            self.removed.add(member)
            self.targets.pop(member, None)

    def index(self) -> None:
        """Take the owners from what each member was given."""
        owners: dict[TopicPartition, tuple[MemberId, ...]] = {}
        for held in ("assigned", "pending"):
            for name in sorted(self.members):
                for partition in getattr(self.members[name], held):
                    owners[partition] = (*owners.get(partition, ()), name)
        if owners != self.owners:
            self.owners = owners


def _partitions(held: Held) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(topic, partition) for topic, partition, *_ in held)
