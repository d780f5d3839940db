"""From a consumer group back to a classic one, when its last native member is gone.

Kafka: GroupMetadataManager.validateOnlineDowngradeWithFencedMembers, validateOnlineDowngradeWithReplacedMember,
convertToClassicGroup.
"""

from __future__ import annotations

from collections.abc import Collection

from groupsim.coordinator.classic import votes
from groupsim.coordinator.classic.decision import ClassicDecision
from groupsim.coordinator.classic.rebalance import prepare
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.config import MigrationPolicy
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.topics import Topics
from groupsim.events import consumer as facts
from groupsim.events.classic import RebalanceCause
from groupsim.events.consumer import LossCause
from groupsim.events.types import MemberId

DOWNGRADING = (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.DOWNGRADE)


def downgrades_without(group: ConsumerGroup, gone: Collection[MemberId]) -> bool:
    """Whether the group becomes classic when these members are gone: some stay, and all of them are classic."""
    staying = [member for member in group.members.values() if member.id not in gone]
    return bool(staying) and all(m.classic is not None for m in staying) and _may_downgrade(group, len(staying))


def downgrades_with(group: ConsumerGroup, instance_id: str) -> bool:
    """Whether the group becomes classic when a classic member takes over: its holder is the last native member."""
    holder = group.statics.get(instance_id)
    natives = [member.id for member in group.members.values() if member.classic is None]
    return natives == [holder] and _may_downgrade(group, len(group.members))


def _may_downgrade(group: ConsumerGroup, size: int) -> bool:
    allowed = group.config.group_consumer_migration_policy in DOWNGRADING
    return allowed and size <= group.configs.classic.group_max_size


def remove_and_downgrade(
    decision: ConsumerDecision, gone: tuple[MemberId, ...], cause: LossCause, topics: Topics
) -> None:
    """The last native member is removed; those who stay rebalance. The epoch does not grow."""
    convert(decision, topics, gone, cause)
    reason = f"Downgrade group {decision.state.id} from consumer to classic for member leaving."
    rebalance(decision, reason, gone[0])


def convert(
    decision: ConsumerDecision,
    topics: Topics,
    gone: tuple[MemberId, ...] = (),
    cause: LossCause | None = None,
    joiner: MemberId | None = None,
    epoch: int | None = None,
) -> None:
    """A classic group of those who stay, each with its target; its generation is `epoch`, or the group's.

    `joiner` is put last: it leads only alone.
    """
    group = decision.group
    generation = group.epoch if epoch is None else epoch
    members = [group.members[m] for m in sorted(group.members) if m not in gone]
    candidates = tuple(m.id for m in members if m.id != joiner) or tuple(m.id for m in members)
    offers = [[p.name for p in m.classic.protocols] for m in members if m.classic is not None]
    decision.record(
        facts.GroupDowngraded(
            generation=generation,
            protocol=votes.vote(offers),
            leader=group.elect(generation, candidates),
            assignment={m.id: topics.names_of(group.targets.get(m.id, ())) for m in members},
            removed=gone,
            cause=cause,
            expressions=tuple(sorted(group.resolved)),
        )
    )
    for removed in gone:
        decision.disarm_timers(removed)
    after = _classic(decision)
    for member in after.group.members.values():
        after.arm_session(member)
    decision.take(after.outcome())


def rebalance(decision: ConsumerDecision, reason: str, member: MemberId) -> None:
    """The members of the classic group have to join anew."""
    after = _classic(decision)
    prepare(after, RebalanceCause.DOWNGRADED, reason, member)
    decision.take(after.outcome())


def _classic(decision: ConsumerDecision) -> ClassicDecision:
    assert isinstance(decision.state, ClassicGroup)
    return ClassicDecision(decision.state)
