"""What coordinators say, kept in plain dictionaries: members, assignment, epochs, and what a group met last."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events import group as g
from groupsim.events.base import Event
from groupsim.events.connect import delay_of
from groupsim.events.types import Protocol, TopicPartition

if TYPE_CHECKING:
    from tests.adversary.naive import Process

Given = dict[str, set[TopicPartition]]
LOST = {"left": "member-left", "removed": "member-removed"}
"""Words of consumer groups that differ from those of classic ones."""


@dataclass
class Group:
    """`assignment`: the last stored one, or what the records of a consumer group's members have; of that `giving_up` is
    what they have yet to give up. `current`: the members of the generation. `revoked_first`: what somebody has to give
    up before another one can be given it. `lost`, `fresh`: members gone and come since the last rebalance began.
    """

    topics: set[str] = field(default_factory=set)
    consumer: bool = False
    exists: bool = False
    loaded: bool = True
    state: str = "Empty"
    generation: int = 0
    leader: str | None = None
    members: set[str] = field(default_factory=set)
    current: set[str] = field(default_factory=set)
    assignment: Given = field(default_factory=dict)
    giving_up: Given = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    subscribed: dict[str, set[str]] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)
    matched: dict[str, set[str]] = field(default_factory=dict)
    left_out: set[TopicPartition] = field(default_factory=set)
    target_epoch: int = 0
    targets: Given = field(default_factory=dict)
    steps: dict[str, tuple[int, str]] = field(default_factory=dict)
    process_of: dict[str, str] = field(default_factory=dict)
    cause: str = "start"
    started: bool = False
    served: set[TopicPartition] = field(default_factory=set)
    worked: bool = False
    lost: tuple[str, str, str] | None = None
    of_connect: bool = False
    delayed: bool = False
    fresh: set[str] = field(default_factory=set)
    stored: dict[str, Any] = field(default_factory=dict)
    """What a new coordinator finds."""

    def __post_init__(self) -> None:
        self.keep()

    @property
    def rebalancing(self) -> bool:
        """A rebalance runs: of a consumer group, somebody has not reached the target of its epoch."""
        if not self.consumer:
            return self.state in ("PreparingRebalance", "CompletingRebalance")
        reached = all(self.steps.get(each) == (self.target_epoch, "stable") for each in self.members)
        return self.generation > self.target_epoch or not reached

    @property
    def revoked_first(self) -> set[TopicPartition]:
        """Partitions that are to have an owner as soon as somebody has given them up."""
        if not self.consumer:
            return self.left_out
        return set().union(*self.targets.values()) - set().union(*self.assignment.values())

    def subscribes(self, topic: str) -> bool:
        """Some member does, by name or by an expression."""
        return any(
            topic in self.subscribed.get(each, ()) or topic in self.matched.get(self.expressions.get(each, ""), ())
            for each in self.members
        )

    def described(self) -> dict[str, Any]:
        """As an administrator would see it."""
        members = {each: sorted(self.assignment.get(each, ())) for each in sorted(self.members)}
        state = self.state
        if self.consumer:
            waits = "Assigning" if self.generation > self.target_epoch else "Reconciling"
            state = "Empty" if not self.members else waits if self.rebalancing else "Stable"
        return {
            "state": state if self.loaded and self.exists else "Dead",
            "generation": self.generation,
            "members": members,
            "using": {
                each: sorted(self.assignment.get(each, set()) - self.giving_up.get(each, set()))
                for each in sorted(self.members)
                if self.consumer
            },
        }

    def keep(self) -> None:
        """What a new coordinator would find from here on."""
        names = ("state", "generation", "members", "assignment", "subscribed")
        self.stored = deepcopy({name: getattr(self, name) for name in names})

    def remove(self, member: str) -> None:
        """A member is gone."""
        for names in (self.members, self.current, self.away):
            names.discard(member)
        for kept in (self.targets, self.steps, self.giving_up):
            kept.pop(member, None)
        if self.consumer:
            self.assignment.pop(member, None)

    def replace(self, old: str, new: str) -> None:
        """A static member is back under another id."""
        for names in (self.members, self.current):
            if old in names:
                names.discard(old)
                names.add(new)
        every: list[dict[str, Any]] = [self.assignment, self.giving_up, self.targets, self.steps]
        for kept in [*every, self.subscribed, self.expressions]:
            if old in kept:
                kept[new] = kept.pop(old)
        self.away.discard(old)

    def met(self, cause: str) -> None:
        """The cause of the first assignment is `start`, whatever it was."""
        if self.started:
            self.cause = cause

    def grew(self) -> None:
        """It has partitions that it did not have; a rebalance that runs keeps its cause."""
        if not self.rebalancing and not self.revoked_first:
            self.met("topics-changed")


def take(group: Group, event: Event, processes: Mapping[str, Process]) -> None:
    """One fact of a group's coordinator."""
    host, member = getattr(event, "client_host", None), getattr(event, "member", None)
    causes(group, event, processes)
    of_classic(group, event)
    if host is not None and host in processes and member:
        group.process_of[member] = host
    given: set[str] = set()
    if isinstance(event, c.AssignmentStored):
        given = group.members
    elif isinstance(event, k.MemberReconciled) or (isinstance(event, c.MemberReplaced) and event.request is None):
        given = {event.member or ""}
    for member in given:
        process = processes.get(group.process_of.get(member, ""))
        if process is not None and not process.closing:
            process.released, process.given_up = False, set()
    if isinstance(event, c.AssignmentStored):
        held = [x.view for x in processes.values() if not x.gone and x.member in group.members]
        group.left_out = set().union(*held) - set().union(*group.assignment.values())


def causes(group: Group, event: Event, processes: Mapping[str, Process]) -> None:
    """What the group met last."""
    match event:
        case c.AssignmentStored() | k.TargetComputed():
            group.started = True
        case c.MemberReplaced():
            group.met(f"restart {event.client_host}")
        case k.StaticMemberReplaced():
            group.met(f"restart {group.process_of[event.old].rpartition('.')[0]}")
        case g.CoordinatorUnloaded() | g.CoordinatorLoaded():
            group.met("coordinator-failover")
        case c.MemberRemoved() | k.ConsumerMemberRemoved():
            key = group.process_of.get(event.member, "")
            trouble = f"{processes[key].trouble} {key} > " if key and processes[key].trouble else ""
            group.lost = event.member, trouble, LOST.get(event.cause, str(event.cause))
        case c.JoinPhaseCompleted() | g.GroupEmptied():
            group.lost = None
        case c.RebalanceStarted():
            if not (group.left_out and event.cause in ("member-rejoined", "leader-rejoined")):
                key = group.process_of.get(event.member or "", "")
                trouble = f"{processes[key].trouble} {key} > " if key and processes[key].trouble else ""
                group.met(f"{trouble if key or not group.lost else group.lost[1]}{event.cause}")
            group.lost = None
        case k.ConsumerMemberUpdated() if event.member not in group.members:
            group.fresh.add(event.member)
        case k.GroupEpochBumped():
            joined = event.member in group.fresh and event.cause in ("subscription-changed", "expression-changed")
            word = "member-joined" if joined else str(event.cause)
            group.met("".join(group.lost[1:]) if group.lost else word)
            group.lost, group.fresh = None, set()


def of_classic(group: Group, event: Event) -> None:
    """What a coordinator of classic groups says; a consumer group's facts are below."""
    match event:
        case g.GroupCreated():
            group.exists = True
        case c.MemberAdded():
            group.members.add(event.member)
            group.subscribed[event.member] = _topics(event.protocols)
        case c.MemberUpdated():
            group.subscribed[event.member] = _topics(event.protocols)
        case c.MemberReplaced():
            group.replace(event.old, event.member or "")
            group.subscribed[event.member or ""] = _topics(event.protocols)
            if event.request is None:  # it was answered at once: with the current generation
                group.current.add(event.member or "")
                group.keep()
        case c.MemberRemoved():
            group.remove(event.member)
        case c.RebalanceStarted():
            group.state = "PreparingRebalance"
        case c.JoinPhaseCompleted():
            group.state, group.generation = "CompletingRebalance", event.generation
            group.current = set(event.members or ()) - set(event.absent)
        case c.AssignmentStored():
            group.state, group.consumer = "Stable", False
            group.of_connect, group.delayed = event.protocol_type == "connect", delay_of(event) > 0
            group.assignment = {member: set(given) for member, given in (event.assignment or {}).items()}
            group.keep()
        case g.GroupEmptied():
            group.state, group.generation = "Empty", event.generation
            group.members, group.current, group.assignment, group.left_out = set(), set(), {}, set()
            group.delayed = False
            group.keep()
        case g.CoordinatorUnloaded():
            group.loaded, group.state = False, "" if group.consumer else "Dead"
        case g.CoordinatorLoaded():
            group.loaded = True
            if not group.consumer:
                for name, value in deepcopy(group.stored).items():
                    setattr(group, name, value)
                group.current = set(group.members)
        case _:
            of_consumer(group, event)


def of_consumer(group: Group, event: Event) -> None:
    """What a coordinator of consumer groups (KIP-848) says."""
    match event:
        case k.ConsumerGroupCreated():
            group.exists = group.consumer = True
            group.state = ""
            group.members, group.assignment, group.targets, group.steps = set(), {}, {}, {}
            group.generation = group.target_epoch = 0
        case k.GroupUpgraded():
            group.consumer, group.state = True, ""
            group.generation = group.target_epoch = event.generation
            group.members = set(event.assignment)
            group.assignment = {member: set(given) for member, given in event.assignment.items()}
            group.targets = deepcopy(group.assignment)
            group.steps = dict.fromkeys(group.members, (event.generation, "stable"))
        case k.ConsumerMemberUpdated():
            if event.member not in group.members:
                group.steps[event.member] = (0, "stable")
            group.members.add(event.member)
            group.subscribed[event.member] = set(event.topics)
            group.expressions[event.member] = event.expression
        case k.ConsumerMemberRemoved():
            group.remove(event.member)
        case k.StaticMemberReplaced():
            group.replace(event.old, event.member)
            group.steps[event.member] = (0, group.steps[event.member][1])
        case k.StaticMemberAway():
            group.away.add(event.member)
            group.steps[event.member] = (-2, group.steps[event.member][1])
            group.assignment[event.member] -= group.giving_up.pop(event.member, set())
        case k.GroupEpochBumped():
            group.generation = event.epoch
        case k.TargetComputed():
            group.target_epoch = event.epoch
            group.targets.update({member: set(given) for member, given in event.changed.items()})
        case k.MemberReconciled():
            group.giving_up[event.member] = {TopicPartition(*held[:2]) for held in event.pending}
            using = {TopicPartition(*held[:2]) for held in event.assigned}
            group.assignment[event.member] = using | group.giving_up[event.member]
            group.steps[event.member] = (event.epoch, str(event.state))
            group.away.discard(event.member)
        case k.ExpressionResolved():
            group.matched[event.expression] = set(event.topics)
        case k.ExpressionDropped():
            group.matched.pop(event.expression, None)
        case k.GroupDowngraded():
            group.consumer, group.state, group.generation = False, "Stable", event.generation
            group.members, group.current = set(event.assignment), set(event.assignment)
            group.assignment = {member: set(given) for member, given in event.assignment.items()}
            group.giving_up, group.left_out = {}, set()
            group.keep()
        case k.EmptyGroupDropped() | g.GroupDeleted():
            group.consumer, group.state, group.generation, group.exists = False, "Empty", 0, False
            group.members, group.current, group.left_out = set(), set(), set()
            group.assignment, group.giving_up = {}, {}
            group.keep()


def _topics(protocols: tuple[Protocol, ...]) -> set[str]:
    return {topic for offered in protocols for topic in offered.metadata.topics}
