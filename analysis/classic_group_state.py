"""The state of one group of the classic protocol: a fold of its coordinator's facts that also accepts gaps in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from groupsim.events import classic as c
from groupsim.events.base import Event
from groupsim.events.connect import PROTOCOL_TYPE, delay_of
from groupsim.events.consumer import GroupDowngraded
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied
from groupsim.events.types import MemberId, Partitions, Protocol, TopicPartition

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Dead",
)


@dataclass(frozen=True, slots=True)  # shared with what is written down
class MemberState:
    """One member. `current`: it is a member of the current generation, so that its commits are not of another one."""

    id: MemberId
    instance_id: str | None = None
    client_host: str | None = None
    topics: tuple[str, ...] = ()
    current: bool = False


@dataclass(slots=True)
class _Durable:
    """What Kafka has written down: all that a new coordinator would know."""

    state: str = EMPTY
    generation: int = 0
    leader: MemberId | None = None
    protocol: str | None = None
    members: dict[MemberId, MemberState] = field(default_factory=dict)
    assignment: dict[MemberId, Partitions] = field(default_factory=dict)
    unassigned: bool = False


class ClassicGroupState:
    """State, generation, members and assignment of one group; Kafka: ClassicGroup.

    `assignment` is that of the last AssignmentStored, kept until the next one: whoever was dropped is not in `members`.
    `assignment_known` is False while no fact has had an assignment (broker logs never do). `has_coordinator_facts` is
    False until any coordinator fact was seen. `unassigned`: it was created, or had no member left, and the coordinator
    stored no assignment since. `of_connect`: its members are Connect's workers; `delayed`: the last
    assignment leaves out what they keep for one that left.
    """

    __slots__ = (
        "_durable",
        "_topics",
        "assignment",
        "assignment_known",
        "delayed",
        "generation",
        "has_coordinator_facts",
        "leader",
        "members",
        "members_at_last_assignment",
        "of_connect",
        "owners",
        "protocol",
        "removed",
        "self_reported_generation",
        "size",
        "state",
        "unassigned",
    )

    def __init__(self) -> None:
        self.state = EMPTY
        self.generation = 0
        self.leader: MemberId | None = None
        self.protocol: str | None = None
        self.members: dict[MemberId, MemberState] = {}
        self.assignment: dict[MemberId, Partitions] = {}
        self.owners: dict[TopicPartition, tuple[MemberId, ...]] = {}
        self.assignment_known = False
        self.has_coordinator_facts = False
        self.unassigned = False
        self.of_connect = self.delayed = False
        self.size = 0
        self.members_at_last_assignment: frozenset[MemberId] = frozenset()
        self.removed: set[MemberId] = set()
        self.self_reported_generation: dict[MemberId, int] = {}
        self._topics: set[str] | None = None
        self._durable = _Durable()

    @property
    def rebalancing(self) -> bool:
        """Between the start of a rebalance and the assignment that ends it."""
        return self.state in (PREPARING, COMPLETING)

    @property
    def stable(self) -> bool:
        """The last assignment is in force."""
        return self.state == STABLE

    @property
    def empty(self) -> bool:
        """It has no members."""
        return self.state == EMPTY

    def delivers(self, *, surrendered: bool) -> bool:
        """A member that has not applied its assignment will still do so, also where its coordinator is down.

        `surrendered`: it gave the partition up since. In CompletingRebalance another generation has begun.
        """
        return self.state in (STABLE, PREPARING, DEAD) and not surrendered

    def assigned(self, member: MemberId) -> Partitions:
        """What the last stored assignment gives the member."""
        return self.assignment.get(member, ())

    def owner(self, partition: TopicPartition) -> MemberId | None:
        """The member that the last stored assignment gives the partition, if it is still in the group."""
        for member in self.owners.get(partition, ()):
            if member in self.members:
                return member
        return None

    def may_commit(self, member: MemberId) -> bool:
        """Its commits would not be refused for good: it is in the current generation, or the join phase runs.

        REBALANCE_IN_PROGRESS is retriable and fences nobody, so CompletingRebalance changes nothing here.
        """
        state = self.members.get(member)
        return state is not None and (state.current or self.state == PREPARING)

    def entitled(self, member: MemberId, partition: TopicPartition) -> bool:
        """The last stored assignment gives the partition to the member, and it may commit."""
        owners = self.owners.get(partition)
        return owners is not None and member in owners and self.may_commit(member)

    @property
    def topics(self) -> set[str]:
        """What the members subscribe to; with an empty name where one's topics are unknown."""
        if self._topics is None:
            self._topics = {t for m in self.members.values() for t in m.topics or ("",)}
        return self._topics

    def subscribed(self, topic: str) -> bool:
        """Some member subscribes to the topic; a member whose topics are unknown counts as subscribed."""
        return topic in self.topics or "" in self.topics

    def learn(self, member: MemberId, generation: int, partitions: Partitions) -> None:
        """Take a member's own report of its assignment where the coordinator's log has none (recorded runs)."""
        if not self.assignment_known:
            self.assignment[member] = partitions
            self.self_reported_generation[member] = generation
            self._index()

    def apply(self, event: Event) -> bool:
        """Fold one fact; True if it can have changed what somebody has, may do or subscribes to."""
        match event:
            case c.MemberAdded():
                topics = _topics(event.protocols)
                self.removed.discard(event.member)
                self.leader = self.leader or event.member
                self.members[event.member] = MemberState(event.member, event.instance_id, event.client_host, topics)
            case c.MemberUpdated():
                return self._subscribe(event.member, _topics(event.protocols))
            case c.MemberReplaced():
                self._replace(event)
            case c.MemberRemoved():
                self._remove(event.member)
            case c.LeaderElected():
                self.leader, self.has_coordinator_facts = event.member, True
                return False
            case c.RebalanceStarted():
                self.state, self.generation = PREPARING, event.generation
            case c.JoinPhaseCompleted():
                self._join_phase(event)
            case c.AssignmentStored():
                self._store(event)
            case GroupEmptied():
                self._empty(event)
            case GroupDowngraded():
                e = event  # its Stable classic group has what the last record says
                self._store(c.AssignmentStored(generation=e.generation, protocol=e.protocol, assignment=e.assignment))
            case CoordinatorUnloaded():
                self.state = DEAD
            case CoordinatorLoaded():
                self._reload()
            case GroupCreated():
                self.state, self.unassigned = EMPTY, True
            case _:
                return False
        self.has_coordinator_facts, self._topics = True, None
        return True

    def _subscribe(self, member: MemberId, topics: tuple[str, ...]) -> bool:
        """Most members that join again subscribe to what they did before."""
        self.has_coordinator_facts = True
        known = self.members.get(member)
        if known is None or known.topics == topics:
            return False
        self.members[member], self._topics = replace(known, topics=topics), None
        return True

    def _remove(self, member: MemberId) -> None:
        self.members.pop(member, None)
        self.removed.add(member)
        if self.leader == member:
            self.leader = None

    def _join_phase(self, event: c.JoinPhaseCompleted) -> None:
        self.state, self.generation, self.size = COMPLETING, event.generation, event.size
        self.leader = event.leader or self.leader
        self.protocol = event.protocol or self.protocol
        for member in event.dropped:
            self._remove(member)
        if event.members is not None:
            for member in sorted(set(self.members) - {*event.members, *event.absent}):
                self._remove(member)
            for member in event.members:
                self.members.setdefault(member, MemberState(member))
        for member, member_state in self.members.items():
            if member_state.current != (current := member not in event.absent):
                self.members[member] = replace(member_state, current=current)

    def _store(self, event: c.AssignmentStored) -> None:
        self.state, self.generation, self.unassigned = STABLE, event.generation, False
        self.of_connect, self.delayed = event.protocol_type == PROTOCOL_TYPE, delay_of(event) > 0
        self.leader = event.leader or self.leader
        self.protocol = event.protocol or self.protocol
        for stored in event.members:
            known, topics = self.members.get(stored.member), stored.subscription.topics
            current = known is None or known.current
            self.members[stored.member] = MemberState(
                stored.member, stored.instance_id, stored.client_host, topics, current
            )
        self.assignment_known = event.assignment is not None
        said = {m: ps for m, ps in self.assignment.items() if self.self_reported_generation.get(m) == event.generation}
        self.assignment = dict(said if event.assignment is None else event.assignment)
        for member in self.assignment:
            self.members.setdefault(member, MemberState(member, current=True))
        self._index()
        self._write()

    def _replace(self, event: c.MemberReplaced) -> None:
        new = event.member or f"{event.instance_id}-?"  # an id that is not in the log
        old = self.members.get(event.old)
        led = self.leader == event.old
        self._remove(event.old)
        topics = _topics(event.protocols) or (old.topics if old else ())
        host = event.client_host or (old.client_host if old else None)
        # In a Stable group the swap keeps the generation; otherwise the new id joins the running rebalance.
        current = self.state == STABLE or (old is not None and old.current)
        self.members[new] = MemberState(new, event.instance_id, host, topics, current)
        if event.old in self.assignment:
            self.assignment[new] = self.assignment.pop(event.old)
        if led:
            self.leader = new
        self._index()
        if event.old in self.members_at_last_assignment:
            self.members_at_last_assignment = self.members_at_last_assignment - {event.old} | {new}
        if self.state == STABLE and event.request is None:
            self._write()

    def _empty(self, event: GroupEmptied) -> None:
        self.state, self.generation, self.leader, self.protocol = EMPTY, event.generation, None, None
        self.removed |= set(self.members)
        self.members, self.assignment, self.unassigned, self.delayed = {}, {}, True, False
        self.assignment_known = True  # nobody has anything, which is an assignment too
        self._index()
        self._write()

    def _index(self) -> None:
        owners: dict[TopicPartition, tuple[MemberId, ...]] = {}
        for member in sorted(self.assignment):
            alone = (member,)
            for partition in self.assignment[member]:
                owners[partition] = (*owners[partition], member) if partition in owners else alone
        self.owners = owners

    def _write(self) -> None:
        self.members_at_last_assignment = frozenset(self.members)
        kept, given = dict(self.members), dict(self.assignment)
        self._durable = _Durable(self.state, self.generation, self.leader, self.protocol, kept, given, self.unassigned)

    def _reload(self) -> None:
        """A new coordinator is back at the last record; every member of it is a member of its generation again."""
        d = self._durable
        self.state, self.generation, self.leader, self.protocol = d.state, d.generation, d.leader, d.protocol
        self.members = {member: replace(member_state, current=True) for member, member_state in d.members.items()}
        self.assignment, self.unassigned = dict(d.assignment), d.unassigned
        self.removed -= set(self.members)
        self.members_at_last_assignment = frozenset(self.members)
        self._index()

    def plan(self) -> Iterator[tuple[MemberId, Partitions]]:
        """Every member of the group with what the last assignment gives it, sorted by member id."""
        for member in sorted(self.members):
            yield member, self.assignment.get(member, ())


def _topics(protocols: tuple[Protocol, ...]) -> tuple[str, ...]:
    return tuple(sorted({topic for offered in protocols for topic in offered.metadata.topics}))
