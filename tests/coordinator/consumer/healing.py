"""What well-behaved members of either protocol do, and a group that is left in peace with only such members."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from groupsim.coordinator.classic.commands import Join, Sync
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.commands import Load
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.modern.commands import SessionExpired
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.topics import Topic
from groupsim.events.types import Partitions, Protocol, Subscription, TopicPartition
from tests.coordinator.consumer.clockwork import Clockwork

BOTH = ("a", "b")
REQUEST = 1_000_000
"""The number of all requests made here; nobody waits for an answer."""


def follow(clock: Clockwork, member_id: str, topics: tuple[str, ...] | None = None, **says: Any) -> None:
    """The member does what its group expects of it now; `topics` changes its subscription."""
    group = clock.state
    if not isinstance(group, ConsumerGroup):
        assert isinstance(group, ClassicGroup)
        known = group.members.get(member_id)
        if known is not None:
            _rejoin(clock, member_id, known.instance_id, known.protocols, (), topics)
        return
    member = group.members.get(member_id)
    if member is None:
        return
    if member.classic is not None:
        owned = tuple(sorted(member.assigned))
        _rejoin(clock, member_id, member.instance_id, member.classic.protocols, owned, topics)
    elif member.epoch > 0:
        owned = tuple(sorted(member.assigned))
        _beat(clock, member_id, member.epoch, member.instance_id, owned=owned, topics=topics, **says)
    else:
        again = topics if topics is not None else member.topics
        _beat(clock, member_id, 0, member.instance_id, owned=(), topics=again, rebalance_timeout_ms=20_000, **says)


def heal(clock: Clockwork, rounds: int = 8) -> None:
    """Everybody follows, votes for one assignor and subscribes to two topics; one of these grows.

    A first member without topics, which has epoch 0 before Kafka 4.3, expires: a static one could not join again.
    """
    clock.do(Load())
    if isinstance(clock.state, ConsumerGroup):
        for member in [m.id for m in clock.state.members.values() if m.epoch == 0]:
            clock.do(SessionExpired(member=member))
    b = clock.topics.by_name.get("b", Topic("b#healed", "b", 2))
    clock.topics = clock.topics.with_topic(replace(b, partitions=b.partitions + 1))
    if "a" not in clock.topics.by_name:
        clock.topics = clock.topics.with_topic(Topic("a#healed", "a", 2))
    for _ in range(rounds):
        clock.now += 2_000
        for member in clock.members:
            follow(clock, member, BOTH, assignor="uniform", expression="")


def converged(clock: Clockwork) -> bool:
    """Every member of a consumer group has its target, and together they have all partitions."""
    group = clock.state
    if not isinstance(group, ConsumerGroup) or not group.members:
        return True
    given = {m: tuple(sorted(member.assigned)) for m, member in group.members.items()}
    everything = sorted(
        TopicPartition(topic.id, n) for topic in clock.topics.named(BOTH) for n in range(topic.partitions)
    )
    return (
        group.phase is Phase.STABLE
        and given == group.targets
        and sorted(p for held in given.values() for p in held) == everything
    )


def _beat(clock: Clockwork, member: str, epoch: int, instance: str | None, **sent: Any) -> None:
    clock.do(ConsumerHeartbeat(request=REQUEST, member=member, epoch=epoch, instance_id=instance, **sent))


def _rejoin(
    clock: Clockwork,
    member: str,
    instance: str | None,
    said: tuple[Protocol, ...],
    owned: Partitions,
    topics: tuple[str, ...] | None,
) -> None:
    """JoinGroup and SyncGroup with the protocols that it named before; a leader gives everything to itself."""
    named = tuple(sorted(TopicPartition(p.topic.partition("#")[0], p.partition) for p in owned))
    offers = tuple(
        Protocol(p.name, Subscription(topics=p.metadata.topics if topics is None else topics, owned=named))
        for p in said
    )
    clock.do(Join(request=REQUEST, member=member, instance_id=instance, protocols=offers))
    clock.ring_due()
    sync(clock, member)


def sync(clock: Clockwork, member: str) -> None:
    """SyncGroup at the member's generation."""
    known = clock.state.members.get(member)
    epoch = getattr(known, "epoch", None)
    generation = clock.state.generation if epoch is None else epoch
    plan = (
        () if isinstance(clock.state, ConsumerGroup) else ((member, tuple(TopicPartition("a", n) for n in range(4))),)
    )
    clock.do(Sync(request=REQUEST, member=member, generation=generation, assignment=plan, version=4))
