"""The state after a conversion: a classic group as a consumer group, and the other way round.

Kafka: ConsumerGroup.fromClassicGroup, ClassicGroup.fromConsumerGroup.
"""

from __future__ import annotations

from collections import Counter

from groupsim.coordinator.classic import state as classic
from groupsim.coordinator.classic.evolve import remember
from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE, ClassicGroup, Phase
from groupsim.coordinator.consumer.owners import Owners
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.events import consumer as facts
from groupsim.events.consumer import ClassicMetadata


def upgraded(group: ClassicGroup, e: facts.GroupUpgraded) -> ConsumerGroup:
    """Every member is Stable at the generation, with what it was assigned last."""
    members = {m: _native(group, m, e) for m in group.members}
    held = [p for member in members.values() for p in member.assigned]
    return ConsumerGroup(
        id=group.id,
        configs=group.configs,
        elect=group.elect,
        assign=group.assign,
        epoch=e.generation,
        metadata_hash=e.metadata_hash,
        target_epoch=e.generation,
        members=members,
        most_members=len(members),
        targets={m: e.assignment.get(m, ()) for m in members},
        statics=group.statics,
        owners=Owners().after((), held),
    )


def _native(group: ClassicGroup, member_id: str, e: facts.GroupUpgraded) -> Member:
    member = group.members[member_id]
    subscription = member.metadata(group.protocol)
    return Member(
        id=member_id,
        instance_id=member.instance_id,
        rack=subscription.rack,
        client_id=member.client_id,
        client_host=member.client_host,
        topics=tuple(sorted(set(subscription.topics))),
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        classic=ClassicMetadata(session_timeout_ms=member.session_timeout_ms, protocols=member.protocols),
        epoch=e.generation,
        previous_epoch=e.generation,
        assigned=dict.fromkeys(e.assignment.get(member_id, ()), e.generation),
    )


def downgraded(group: ConsumerGroup, e: facts.GroupDowngraded) -> ClassicGroup:
    """A Stable classic group of the classic members, each with its target; it is durable as it is."""
    members = {m: _classic(group.members[m], e) for m in group.members if m not in e.removed}
    offers = Counter(protocol.name for member in members.values() for protocol in member.protocols)
    return remember(
        ClassicGroup(
            id=group.id,
            configs=group.configs,
            elect=group.elect,
            assign=group.assign,
            exists=True,
            phase=Phase.STABLE,
            previous=Phase.STABLE,
            generation=e.generation,
            protocol_type=CONSUMER_PROTOCOL_TYPE,
            protocol=e.protocol,
            leader=e.leader,
            subscribed=classic.subscribed_topics(members.values(), e.protocol),
            members=members,
            offers=dict(offers),
            statics={i: m for i, m in group.statics.items() if m in members},
        )
    )


def _classic(member: Member, e: facts.GroupDowngraded) -> classic.Member:
    assert member.classic is not None
    return classic.Member(
        id=member.id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        session_timeout_ms=member.classic.session_timeout_ms,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        protocols=member.classic.protocols,
        assignment=e.assignment.get(member.id, ()),
        assigned=True,
    )
