"""The way to the server-side assignors: what one is asked, and which function answers (Kafka: PartitionAssignor).

A group holds a function `Assign`, so a player of recorded scripts can give the recorded target in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from groupsim.assignors import ASSIGNORS, SHARE_ASSIGNORS
from groupsim.assignors.partition_array import PartitionArray
from groupsim.assignors.spec import Member, Spec
from groupsim.coordinator.topics import Topic
from groupsim.events.types import MemberId, Partitions, TopicId, TopicPartition


class Subscriber(msgspec.Struct, frozen=True):
    """A member: the ids of its subscribed topics, and its part of the previous target."""

    id: MemberId
    instance_id: str | None
    rack: str | None
    topics: tuple[TopicId, ...]
    target: Partitions


@dataclass(frozen=True, slots=True)
class Problem:
    """`assignor` is one of groupsim.assignors; `members` in the order in which they were added.

    `topics` by id, all that somebody subscribes to; `homogeneous`: every member has the same subscription.
    `assignable`: in a share group, the partitions that are initialised, by topic id.
    """

    assignor: str
    members: tuple[Subscriber, ...]
    topics: Mapping[TopicId, Topic]
    homogeneous: bool
    assignable: Mapping[TopicId, Collection[int]] | None = None


Assign = Callable[[Problem], Mapping[MemberId, Partitions]]
"""A problem -> the target of every member, sorted."""


def assign_by_name(problem: Problem) -> dict[MemberId, Partitions]:
    """Ask the assignor that the problem names. Raises AssignorError where Kafka's throws.

    Kafka's choice depends on the ids of the topics; where one is unknown, ids are made up in the order of the topics.
    """
    members = tuple(Member(m.id, m.topics, m.target, instance_id=m.instance_id, rack=m.rack) for m in problem.members)
    counts = {topic.id: topic.partitions for topic in problem.topics.values()}
    uuids = {topic.id: topic.uuid for topic in problem.topics.values() if topic.uuid is not None}
    known = uuids if len(uuids) == len(problem.topics) else {}
    spec = Spec(
        members, counts, topic_ids=known, equal_subscriptions=problem.homogeneous, assignable=problem.assignable
    )
    of_share_groups = SHARE_ASSIGNORS.get(problem.assignor)
    answer = of_share_groups(spec) if of_share_groups else ASSIGNORS[problem.assignor].assign(spec)
    return {member: _sorted(assigned) for member, assigned in answer.items()}


_partition = lru_cache(maxsize=1 << 16)(TopicPartition)
"""One object for each partition: targets of one group have the same ones again and again."""


def _sorted(assigned: Sequence[TopicPartition]) -> Partitions:
    made = assigned.made(_partition) if isinstance(assigned, PartitionArray) else assigned
    return tuple(sorted(made))
