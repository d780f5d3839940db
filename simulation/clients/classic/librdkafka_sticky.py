"""librdkafka's sticky assignor goes through a topic's partitions from the highest to the lowest.

Probe in every recorded round of 14 runs with librdkafka 2.16: what it does is what Java's does to mirrored partition
numbers (0 for the last one). Where nobody owns anything yet, or subscriptions differ, it sorts them as Java does
(`sortPartitions` in rdkafka_sticky_assignor.c; seen where three members found a group together). Runs with several
topics were not recorded; topics keep their order here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from groupsim.assignors.spec import Assign, Spec
from groupsim.events.types import MemberId, Partitions, TopicPartition


def assign(assignor: Assign, spec: Spec) -> dict[MemberId, Partitions]:
    """What the assignor answers to the mirrored problem, mirrored back."""
    counts = spec.partitions
    if not _sorted_from_the_end(spec):
        return {member: tuple(given) for member, given in assignor(spec).items()}
    members = tuple(replace(m, owned=_mirrored(m.owned, counts)) for m in spec.members)
    racks = {topic: tuple(reversed(by_partition)) for topic, by_partition in spec.racks.items()}
    given = assignor(replace(spec, members=members, racks=racks))
    return {member: _mirrored(given[member], counts) for member in given}


def _sorted_from_the_end(spec: Spec) -> bool:
    """Whether the group has something already and everybody wants the same."""
    owned = any(p.partition < spec.partitions.get(p.topic, 0) for m in spec.members for p in m.owned)
    return owned and len({frozenset(m.topics) for m in spec.members}) == 1


def _mirrored(partitions: Sequence[TopicPartition], counts: Mapping[str, int]) -> Partitions:
    """Partitions counted from the other end of their topic; what metadata does not know stays as it is."""
    return tuple(
        sorted(TopicPartition(p.topic, counts.get(p.topic, 2 * p.partition + 1) - 1 - p.partition) for p in partitions)
    )
