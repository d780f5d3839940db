"""What an assignor is given and what it returns: names at the edge, arrays inside each algorithm."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.events.types import NO_GENERATION, MemberId, TopicPartition


class RebalanceProtocol(StrEnum):
    """Kafka's ConsumerPartitionAssignor.RebalanceProtocol: what members do with their partitions before they rejoin."""

    EAGER = "EAGER"
    COOPERATIVE = "COOPERATIVE"


EAGER, COOPERATIVE = RebalanceProtocol.EAGER, RebalanceProtocol.COOPERATIVE


@dataclass(frozen=True, slots=True)
class Member:
    """One member as the leader sees it. `owned`: what it reports to own, `generation`: of that report (-1: unknown)."""

    id: MemberId
    topics: tuple[str, ...]
    owned: Sequence[TopicPartition] = ()
    generation: int = NO_GENERATION
    instance_id: str | None = None
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """A problem: members in the order in which the leader got them, and partition counts by topic.

    A topic absent from `partitions` (or with 0) has no metadata. `racks[topic][p]` are the racks of p's replicas.
    `generation_in_user_data`: members of old protocol versions, whose generation travels in the user data only.
    Only the server's assignors look at the next two. `topic_ids`: the id of each topic, by name (as Kafka or UUID
    writes it); without any, ids are made up in the order of names. `equal_subscriptions`: what the coordinator found
    when it compared the members' names and expressions; None compares the topics of the members here.
    Only the assignor of share groups looks at `assignable`: the partitions whose share state is initialised, by topic
    (none of a topic that is absent there); without it, every partition.
    """

    members: tuple[Member, ...]
    partitions: Mapping[str, int]
    racks: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    generation_in_user_data: bool = False
    topic_ids: Mapping[str, str] = field(default_factory=dict)
    equal_subscriptions: bool | None = None
    assignable: Mapping[str, Collection[int]] | None = None


Answer = Mapping[MemberId, Sequence[TopicPartition]]
"""Every member of the Spec, with its partitions in the order in which Kafka's assignor lists them."""
Assign = Callable[[Spec], Answer]
