"""What is wrong with an answer, partition by partition. Kafka's own defects are reproduced, so they occur."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from groupsim.assignors.spec import Answer, Spec
from groupsim.events.types import MemberId, TopicPartition


class Kind(StrEnum):
    """What an assignor must never do, by the names in `metrics`."""

    UNSUBSCRIBED = "assigned_unsubscribed"
    NONEXISTENT = "assigned_nonexistent"
    TWICE = "assigned_twice"


_SENTENCES = {
    Kind.UNSUBSCRIBED: "{0} is given to {1!r}, which does not subscribe to {0.topic!r}",
    Kind.NONEXISTENT: "{0} is given to {1!r}, but {0.topic!r} has no such partition",
    Kind.TWICE: "{0} is given to {1!r} although another member has it, too",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One wrong assignment; `str()` is the sentence."""

    kind: Kind
    member: MemberId
    partition: TopicPartition

    def __str__(self) -> str:
        return _SENTENCES[self.kind].format(self.partition, self.member)


def violations(spec: Spec, answer: Answer) -> Iterator[Violation]:
    """Every wrong assignment, members in the problem's order. Their numbers by kind are those of `metrics`."""
    seen: set[TopicPartition] = set()
    for member in spec.members:
        for partition in answer.get(member.id, ()):
            if partition.topic not in member.topics:
                yield Violation(Kind.UNSUBSCRIBED, member.id, partition)
            if partition.partition >= spec.partitions.get(partition.topic, 0):
                yield Violation(Kind.NONEXISTENT, member.id, partition)
            if partition in seen:
                yield Violation(Kind.TWICE, member.id, partition)
            seen.add(partition)
