"""The facts of a streams group (KIP-1071) as those of a consumer group: a task is the partitions that it reads.

Whoever asks which partitions were unavailable, and why, asks it of both kinds of groups in the same words. Standby
tasks serve nobody and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import structs

from groupsim.events import consumer as c
from groupsim.events import streams as s
from groupsim.events.base import Event, Recorded
from groupsim.events.types import Held, MemberId, Partitions, TopicPartition

STREAMS: frozenset[type[Event]] = frozenset(
    {
        s.StreamsGroupCreated,
        s.TopologyStored,
        s.StreamsMemberUpdated,
        s.StreamsMemberRemoved,
        s.StreamsGroupEpochBumped,
        s.StreamsTargetComputed,
        s.StreamsMemberReconciled,
    }
)
"""The facts that stand for others."""
_ASSIGNOR = "sticky"
"""The only one of streams groups."""


@dataclass(slots=True)
class _Group:
    """`inputs`: topics by subtopology; `first`: a member that came before the topology; `new`: since the last epoch."""

    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    first: s.StreamsMemberUpdated | None = None
    members: set[MemberId] = field(default_factory=set)
    new: set[MemberId] = field(default_factory=set)

    def read(self, tasks: Partitions) -> Partitions:
        """What active tasks read, sorted."""
        return tuple(sorted(TopicPartition(t, number) for part, number in tasks for t in self.inputs.get(part, ())))

    def held(self, tasks: Held) -> Held:
        """The same with the epochs since which they are held."""
        return tuple(sorted((t, number, at) for part, number, at in tasks for t in self.inputs.get(part, ())))

    def updated(self, event: s.StreamsMemberUpdated) -> c.ConsumerMemberUpdated:
        """A member subscribes to what its application reads."""
        return c.ConsumerMemberUpdated(
            member=event.member,
            instance_id=event.instance_id,
            rack=event.rack,
            client_id=event.client_id,
            client_host=event.client_host,
            topics=tuple(sorted({topic for topics in self.inputs.values() for topic in topics})),
            rebalance_timeout_ms=event.rebalance_timeout_ms,
        )


class TasksAsPartitions:
    """Translates facts one by one, in the order of the log; facts of other groups stay as they are."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def __call__(self, fact: Recorded) -> tuple[Recorded, ...]:
        """The facts that this one stands for: itself, or one or none of a consumer group."""
        if type(fact.event) not in STREAMS:
            return (fact,)
        event = self._translated(self._groups.setdefault(fact.stream, _Group()), fact.event)
        return () if event is None else (structs.replace(fact, event=event),)

    def _translated(self, group: _Group, event: Event) -> Event | None:
        match event:
            case s.StreamsGroupCreated():
                group.members, group.new = set(), set()
                return c.ConsumerGroupCreated(replaces_classic=event.replaces_classic)
            case s.TopologyStored():
                group.inputs = {part.id: part.inputs for part in event.topology.subtopologies}
                return None if group.first is None else group.updated(group.first)
            case s.StreamsMemberUpdated():
                if event.member not in group.members:
                    group.members.add(event.member)
                    group.new.add(event.member)
                group.first = event if not group.inputs else None
                return group.updated(event)
            case s.StreamsMemberRemoved():
                group.members.discard(event.member)
                return c.ConsumerMemberRemoved(member=event.member, cause=event.cause)
            case s.StreamsGroupEpochBumped():
                joins = event.member in group.new
                group.new = set()
                cause = c.BumpCause.SUBSCRIPTION_CHANGED if joins else c.BumpCause.TOPICS_CHANGED
                return c.GroupEpochBumped(
                    epoch=event.epoch, metadata_hash=event.metadata_hash, cause=cause, member=event.member
                )
            case s.StreamsTargetComputed():
                changed = {member: group.read(tasks.active) for member, tasks in event.changed.items()}
                return c.TargetComputed(epoch=event.epoch, assignor=_ASSIGNOR, changed=changed, at_ms=event.at_ms or 0)
            case s.StreamsMemberReconciled():
                return c.MemberReconciled(
                    member=event.member,
                    epoch=event.epoch,
                    previous_epoch=event.previous_epoch,
                    state=event.state,
                    assigned=group.held(event.active),
                    pending=group.held(event.pending_active),
                )
        return event


def as_partitions(facts: Iterable[Recorded]) -> Iterator[Recorded]:
    """All facts of a run, those of streams groups in the words of consumer groups."""
    translate = TasksAsPartitions()
    for fact in facts:
        if type(fact.event) in STREAMS:
            yield from translate(fact)
        else:
            yield fact
