"""The state of one consumer group (KIP-848): a fold of its coordinator's facts, as far as availability asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import ClassVar

from groupsim.analysis.partition_sets import by_value
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
    what each member is to have at `target_epoch`. `withheld`: partitions that the target gives to a member and that
    nobody was given yet. Both are changed in place, so that a fact about one member costs what that member has;
    `moved_alike`: the partitions that were looked at for the last fact. Those of one set that were in one state
    (owners, withheld or not) are in one state again, unless they differ in which other sets have them.
    """

    members: dict[MemberId, ConsumerMember] = field(default_factory=dict)
    epoch: int = 0
    target_epoch: int = 0
    targets: dict[MemberId, Partitions] = field(default_factory=dict)
    resolved: dict[str, tuple[str, ...]] = field(default_factory=dict)
    owners: dict[TopicPartition, tuple[MemberId, ...]] = field(default_factory=dict)
    withheld: set[TopicPartition] = field(default_factory=set)
    moved_alike: list[set[TopicPartition]] = field(default_factory=list)
    targeted: Counter[TopicPartition] = field(default_factory=Counter)
    loaded: bool = True
    removed: set[MemberId] = field(default_factory=set)
    members_at_last_assignment: frozenset[MemberId] = frozenset()
    self_reported_generation: dict[MemberId, int] = field(default_factory=dict)
    leader: ClassVar[None] = None
    of_connect: ClassVar[bool] = False
    delayed: ClassVar[bool] = False

    @property
    def assignment_known(self) -> bool:
        """Never, of a recorded log: it has not the targets of all members."""
        return False

    @property
    def has_coordinator_facts(self) -> bool:
        """Always: without them the group is not known to be a consumer group."""
        return True

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
            yield member, tuple(sorted(self.assigned(member)))

    @property
    def moved(self) -> set[TopicPartition]:
        """The partitions that were looked at for the last fact."""
        return set().union(*self.moved_alike)

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
    def unassigned(self) -> bool:
        """It has no members, so that nobody can have anything."""
        return not self.members

    def owner(self, partition: TopicPartition) -> MemberId | None:
        """The member that was given it; the one that may use it, if there are two."""
        return next(iter(self.owners.get(partition, ())), None)

    def assigned(self, member: MemberId) -> Set[TopicPartition]:
        """What the member may use or has to give up."""
        state = self.members.get(member)
        return frozenset() if state is None else state.assigned | state.pending

    def may_commit(self, member: MemberId) -> bool:
        """It is a member, so its commits would not be refused for good."""
        state = self.members.get(member)
        return state is not None and state.epoch >= 0

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
        self.moved_alike = []
        match event:
            case c.GroupUpgraded():
                self.epoch = self.target_epoch = event.generation
                for name in sorted(self.targets.keys() - event.assignment.keys()):
                    self._drop_target(name)
                for name, partitions in event.assignment.items():
                    self._aim(name, partitions)
                    self._give(name, frozenset(partitions), frozenset())
                    self.members[name].epoch = event.generation
            case c.ConsumerMemberUpdated():
                member = self._member(event.member)
                member.topics, member.expression = event.topics, event.expression
            case c.ConsumerMemberRemoved():
                self._remove(event.member)
            case c.StaticMemberReplaced():
                self._replace(event.old, event.member)
            case c.StaticMemberAway():
                self._give(event.member, self._member(event.member).assigned, frozenset())
                self.members[event.member].epoch = -2
            case c.GroupEpochBumped():
                self.epoch = event.epoch
            case c.TargetComputed():
                self.target_epoch = event.epoch
                for name, partitions in event.changed.items():
                    self._aim(name, partitions)
                self.members_at_last_assignment = frozenset(self.members)
            case c.MemberReconciled():
                self._give(event.member, _partitions(event.assigned), _partitions(event.pending))
                self.members[event.member].epoch, self.members[event.member].state = event.epoch, event.state
            case c.ExpressionResolved():
                self.resolved[event.expression] = event.topics
            case c.ExpressionDropped():
                self.resolved.pop(event.expression, None)
            case CoordinatorUnloaded() | CoordinatorLoaded():
                self.loaded = isinstance(event, CoordinatorLoaded)
            case _:
                return False
        return True

    def _member(self, member: MemberId) -> ConsumerMember:
        return self.members.setdefault(member, ConsumerMember())

    def _remove(self, member: MemberId) -> None:
        gone = self.members.pop(member, ConsumerMember())
        self._look(gone.assigned | gone.pending, member)
        self.removed.add(member)
        self._drop_target(member)

    def _replace(self, old: MemberId, new: MemberId) -> None:
        member = self.members[new] = self.members.pop(old)
        member.epoch = 0
        self._look(member.assigned | member.pending, new)
        self._aim(new, self._drop_target(old))

    def _aim(self, member: MemberId, partitions: Partitions) -> None:
        """From now on the target gives it these."""
        before, self.targets[member] = self.targets.get(member, ()), partitions
        was, now = set(before), set(partitions)
        self.targeted.update(now - was)
        self.targeted.subtract(was - now)
        self._weigh(was ^ now)

    def _drop_target(self, member: MemberId) -> Partitions:
        """The target does not name it any more; what it gave the member."""
        before = self.targets.get(member, ())
        self._aim(member, ())
        del self.targets[member]
        return before

    def _give(self, member: MemberId, assigned: frozenset[TopicPartition], pending: frozenset[TopicPartition]) -> None:
        """From now on it may use some partitions, and has to give others up."""
        given = self._member(member)
        changed = (given.assigned ^ assigned) | (given.pending ^ pending)
        given.assigned, given.pending = assigned, pending
        self._look(changed, member)

    def _look(self, partitions: Set[TopicPartition], member: MemberId) -> None:
        """Take the owners of some partitions anew, after something happened to one member.

        What no other member has (nearly all) is looked at in sets.
        """
        alone = (member,)
        state = self.members.get(member, ConsumerMember())
        own = {partition for partition in partitions if self.owners.get(partition, alone) == alone}
        kept = own & (state.assigned ^ state.pending)
        gone = own - state.assigned - state.pending
        self.owners.update(dict.fromkeys(kept, alone))
        for partition in gone:
            self.owners.pop(partition, None)
        rest = partitions - kept - gone
        for partition in rest:
            self._look_at_all(partition, member)
        for alike in (kept, gone, *by_value(rest, self.owners.get)):
            self._weigh(alike)

    def _look_at_all(self, partition: TopicPartition, member: MemberId) -> None:
        names = sorted({*self.owners.pop(partition, ()), member} & self.members.keys())
        use = [name for name in names if partition in self.members[name].assigned]
        leave = [name for name in names if partition in self.members[name].pending]
        if use or leave:
            self.owners[partition] = (*use, *leave)

    def _weigh(self, alike: Set[TopicPartition]) -> None:
        """Take anew which of some partitions are withheld; all else that happened to them is the same."""
        targeted = self.targeted.get
        withheld = {partition for partition in alike if targeted(partition, 0) > 0}.difference(self.owners)
        self.withheld.difference_update(alike)
        self.withheld.update(withheld)
        self.moved_alike += filter(None, (withheld, set(alike - withheld)))

    def index(self) -> None:
        """Take owners and withheld partitions from the members and the targets: they are not kept with them."""
        for name, member in self.members.items():
            self._look(member.assigned | member.pending, name)
        targets, self.targets = self.targets, {}
        for name, partitions in targets.items():
            self._aim(name, partitions)


def _partitions(held: Held) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(topic, partition) for topic, partition, *_ in held)
