"""How far the members of one consumer group have come to the target (KIP-848): what convergence asks of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.group import GroupDeleted
from groupsim.events.types import Held, MemberId, TopicPartition

ENDS = (facts.GroupDowngraded, facts.EmptyGroupDropped, GroupDeleted)
READS: tuple[type[Event], ...] = (
    *ENDS,
    facts.ConsumerGroupCreated,
    facts.GroupUpgraded,
    facts.ConsumerMemberUpdated,
    facts.ConsumerMemberRemoved,
    facts.StaticMemberReplaced,
    facts.GroupEpochBumped,
    facts.TargetComputed,
    facts.MemberReconciled,
)
"""The facts that `Reconciliation` needs."""


@dataclass(slots=True)
class Reconciliation:
    """`reached` has the epoch of each member that is STABLE, else None; `counts`: how many reached which."""

    epoch: int = 0
    target_epoch: int = 0
    reached: dict[MemberId, int | None] = field(default_factory=dict)
    held: dict[MemberId, Held] = field(default_factory=dict)
    counts: Counter[int | None] = field(default_factory=Counter)

    @property
    def settled(self) -> bool:
        """Every member is at the target of the group's epoch."""
        return self.epoch == self.target_epoch and self.counts[self.target_epoch] == len(self.reached)

    @property
    def owners(self) -> dict[TopicPartition, MemberId]:
        """What the members may use."""
        return {TopicPartition(topic, n): member for member, held in self.held.items() for topic, n, _ in held}

    def apply(self, event: Event) -> None:
        """Fold one fact."""
        match event:
            case facts.GroupUpgraded():
                self.epoch = self.target_epoch = event.generation
                self.reached = dict.fromkeys(event.assignment, event.generation)
                self.counts = Counter(self.reached.values())
                self.held = {
                    m: tuple((p.topic, p.partition, 0) for p in given) for m, given in event.assignment.items()
                }
            case facts.ConsumerMemberUpdated():
                self._reach(event.member, self.reached.get(event.member))
            case facts.ConsumerMemberRemoved():
                self._remove(event.member)
            case facts.StaticMemberReplaced():
                held = self.held.get(event.old, ())
                self._remove(event.old)  # a process that comes back with its id has it anew
                self.held[event.member] = held
                self._reach(event.member, None)
            case facts.GroupEpochBumped():
                self.epoch = event.epoch
            case facts.TargetComputed():
                self.target_epoch = event.epoch
            case facts.MemberReconciled():
                stable = event.state is facts.MemberState.STABLE
                self._reach(event.member, event.epoch if stable else None)
                self.held[event.member] = event.assigned

    def _remove(self, member: MemberId) -> None:
        if member in self.reached:
            self.counts[self.reached.pop(member)] -= 1
        self.held.pop(member, None)

    def _reach(self, member: MemberId, epoch: int | None) -> None:
        if member in self.reached:
            self.counts[self.reached[member]] -= 1
        self.reached[member] = epoch
        self.counts[epoch] += 1
