"""The members of one consumer group with their epochs, and since when they hold what they hold: who may commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.group import CommitAccepted, GroupDeleted
from groupsim.events.types import Held, MemberId, TopicPartition

AWAY_EPOCH = -2
READS: tuple[type[Event], ...] = (
    facts.ConsumerGroupCreated,
    facts.GroupUpgraded,
    facts.GroupDowngraded,
    facts.EmptyGroupDropped,
    facts.EmptyGroupForgotten,
    facts.ConsumerMemberUpdated,
    facts.ConsumerMemberRemoved,
    facts.StaticMemberReplaced,
    facts.StaticMemberAway,
    facts.MemberReconciled,
    GroupDeleted,
)
"""The facts that `MemberEpochs` needs."""


@dataclass(slots=True)
class MemberEpochs:
    """`exists`: the group is a consumer group now. `held`: partition, by topic id -> assignment epoch, by member.

    `holders`: the same by partition. `pending`: what of this each has to give up; a static member that is away has
    given it up (Kafka 4.4).
    """

    exists: bool = False
    epochs: dict[MemberId, int] = field(default_factory=dict)
    held: dict[MemberId, dict[TopicPartition, int]] = field(default_factory=dict)
    holders: dict[TopicPartition, set[MemberId]] = field(default_factory=dict)
    pending: dict[MemberId, frozenset[TopicPartition]] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        """Take in the next fact of the group."""
        match event:
            case facts.ConsumerGroupCreated():
                self.exists = True
            case facts.GroupUpgraded(generation=generation):
                self.exists = True
                self.epochs = dict.fromkeys(event.assignment, generation)
                self.held, self.holders = {}, {}
                for member, given in event.assignment.items():
                    self._hold(member, dict.fromkeys(given, generation))
            case GroupDeleted() | facts.GroupDowngraded() | facts.EmptyGroupDropped() | facts.EmptyGroupForgotten():
                self.exists = False
                self.epochs, self.held, self.holders = {}, {}, {}
            case facts.ConsumerMemberUpdated():
                self.epochs.setdefault(event.member, 0)
            case facts.ConsumerMemberRemoved():
                self.epochs.pop(event.member, None)
                self._hold(event.member, {})
            case facts.StaticMemberReplaced():
                self.epochs.pop(event.old, None)
                self.epochs[event.member] = 0
                held = self.held.get(event.old, {})
                self._hold(event.old, {})
                self._hold(event.member, held)
            case facts.StaticMemberAway():
                self.epochs[event.member] = AWAY_EPOCH
                kept = self.held.get(event.member, {}).keys() - self.pending.pop(event.member, frozenset())
                self._hold(event.member, dict.fromkeys(sorted(kept), 0))
            case facts.MemberReconciled():
                self.epochs[event.member] = event.epoch
                self._hold(event.member, _since((*event.assigned, *event.pending)))
                self.pending[event.member] = frozenset(_since(event.pending))

    def _hold(self, member: MemberId, held: dict[TopicPartition, int]) -> None:
        before = self.held.pop(member, {}).keys()
        for partition in before - held.keys():
            self.holders[partition].discard(member)
        if held:
            self.held[member] = held
        for partition in held.keys() - before:
            self.holders.setdefault(partition, set()).add(member)

    def objection(self, commit: CommitAccepted) -> str:
        """Why Kafka would have refused it; empty if it would not (KIP-848, KIP-1251)."""
        outside = not commit.member and commit.transactional
        if outside or (commit.generation < 0 and not self.epochs):
            return ""
        epoch = self.epochs.get(commit.member)
        if epoch is None:
            return "but it is not a member"
        if commit.generation > epoch:
            return f"but the member is at epoch {epoch}"
        if commit.generation == epoch:
            return ""
        held = _by_name(self.held.get(commit.member, {}))
        late = [(t, n) for t, n, _ in commit.offsets if commit.generation < held.get(TopicPartition(t, n), epoch)]
        if late:
            topic, number = late[0]
            return f"but the member, at epoch {epoch}, has not held {topic}-{number} since then"
        return ""


def _since(held: Held) -> dict[TopicPartition, int]:
    return {TopicPartition(topic, number): epoch for topic, number, epoch in held}


def _by_name(held: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """A commit names topics: of a topic that was deleted and created again, the newer one counts."""
    return {TopicPartition(topic.partition("#")[0], number): epoch for (topic, number), epoch in sorted(held.items())}
