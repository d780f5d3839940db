"""What an administrator sees of a consumer group (Kafka: ConsumerGroup.asDescribedGroup)."""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.votes import preferred
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.topics import Topics
from groupsim.events.types import Partitions, TopicPartition


@dataclass(frozen=True, slots=True)
class DescribedMember:
    """A member: `assignment` is what it holds, also what it has to give up; partitions of existing topics only."""

    member: Member
    assignment: Partitions
    target: Partitions


@dataclass(frozen=True, slots=True)
class DescribedGroup:
    """ConsumerGroupDescribe response; members sorted by id."""

    phase: Phase
    epoch: int
    target_epoch: int
    assignor: str
    members: tuple[DescribedMember, ...]


def describe(group: ConsumerGroup, topics: Topics) -> DescribedGroup:
    """The group as it is now, with the broker's present topics."""
    existing = {topic.id for topic in topics.by_name.values()}

    def shown(partitions: set[TopicPartition]) -> Partitions:
        return tuple(sorted(p for p in partitions if p.topic in existing))

    return DescribedGroup(
        phase=group.phase,
        epoch=group.epoch,
        target_epoch=group.target_epoch,
        assignor=preferred(group),
        members=tuple(
            DescribedMember(
                member=member,
                assignment=shown({*member.assigned, *member.pending}),
                target=shown(set(group.targets.get(member_id, ()))),
            )
            for member_id, member in sorted(group.members.items())
        ),
    )
