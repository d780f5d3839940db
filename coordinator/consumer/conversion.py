"""A classic group, or none, becomes a consumer group; a consumer group without native members becomes classic.

Kafka: GroupMetadataManager.getOrMaybeCreateConsumerGroup, validateOnlineUpgrade, convertToConsumerGroup;
validateOnlineDowngradeWithFencedMembers, validateOnlineDowngradeWithReplacedMember, convertToClassicGroup.
"""

from __future__ import annotations

from collections.abc import Collection

from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.classic import votes
from groupsim.coordinator.classic.commands import JoinAnswer, SyncAnswer
from groupsim.coordinator.classic.decision import ClassicDecision
from groupsim.coordinator.classic.rebalance import prepare
from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE, ClassicGroup, Member, Phase
from groupsim.coordinator.config import MigrationPolicy
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.conversion import replaces_classic
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.topics import Topics, metadata_hash
from groupsim.events import classic as classic_facts
from groupsim.events import consumer as facts
from groupsim.events.classic import RebalanceCause
from groupsim.events.consumer import LossCause
from groupsim.events.types import MemberId

UPGRADING = (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.UPGRADE)
DOWNGRADING = (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.DOWNGRADE)


def open_group(decision: ConsumerDecision, topics: Topics, *, creates: bool) -> None:
    """Make sure that there is a consumer group: a first native member creates it. Raises RequestRefused."""
    state = decision.state
    if isinstance(state, ConsumerGroup):
        return
    if creates and isinstance(state, ClassicGroup) and state.exists and state.phase is not Phase.EMPTY:
        _upgrade(decision, state, topics)
    else:
        decision.record(facts.ConsumerGroupCreated(replaces_classic=replaces_classic(state, creates=creates)))


def _upgrade(decision: ConsumerDecision, group: ClassicGroup, topics: Topics) -> None:
    """Go on with the classic members, at their generation. Raises RequestRefused.

    Parked requests are answered first, and stay answered where the upgrade fails (defect
    `answered-before-refused`).
    """
    if not _may_upgrade(group):
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND)
    _refuse_parked(decision, group)
    decision.keep()
    if any(not _readable(member, group.protocol) for member in group.members.values()):
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND)
    assignment = {m: topics.ids_of(group.members[m].assignment) for m in sorted(group.members)}
    assigned = [p for partitions in assignment.values() for p in partitions]
    listed = all(group.protocol in {p.name for p in member.protocols} for member in group.members.values())
    # Defect `lost-protocol`: Kafka throws IllegalArgumentException and IllegalStateException.
    if not listed or len(assigned) != len(set(assigned)):
        raise RequestRefused(Error.UNKNOWN_SERVER_ERROR)
    version = group.configs.coordinator.broker_version
    names = {name for member in group.members.values() for name in member.metadata(group.protocol).topics}
    decision.record(
        facts.GroupUpgraded(
            generation=group.generation,
            metadata_hash=metadata_hash(topics.named(names), racks=behaviour(version).metadata_hash),
            assignment=assignment,
        )
    )
    for member in group.members.values():
        decision.arm_session(member.id, member.session_timeout_ms)


def _may_upgrade(group: ClassicGroup) -> bool:
    config = group.configs.consumer
    allowed = config.group_consumer_migration_policy in UPGRADING
    fits = len(group.members) <= config.group_consumer_max_size
    return allowed and fits and group.protocol_type == CONSUMER_PROTOCOL_TYPE


def _readable(member: Member, protocol: str | None) -> bool:
    """Its metadata parse, and nothing of its assignment would be lost (Kafka: ConsumerGroup.fromClassicGroup)."""
    return member.metadata(protocol).unreadable is None and member.user_data is None


def _refuse_parked(decision: ConsumerDecision, group: ClassicGroup) -> None:
    """Members that wait for a rebalance have to join the consumer group."""
    error = Error.REBALANCE_IN_PROGRESS
    waiting = [m for m in group.members.values() if m.join_request is not None or m.sync_request is not None]
    for member in waiting:
        decision.reply(member.join_request, JoinAnswer(error=error, member=member.id))
        decision.reply(member.sync_request, SyncAnswer(error=error))
    if waiting:
        decision.record(classic_facts.ParkedRequestsRefused(error=error.name))


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
    downgrade(decision, topics, gone, cause)
    reason = f"Downgrade group {decision.state.id} from consumer to classic for member leaving."
    rebalance_downgraded(decision, reason, gone[0])


def downgrade(
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


def rebalance_downgraded(decision: ConsumerDecision, reason: str, member: MemberId) -> None:
    """The members of the classic group have to join anew."""
    after = _classic(decision)
    prepare(after, RebalanceCause.DOWNGRADED, reason, member)
    decision.take(after.outcome())


def _classic(decision: ConsumerDecision) -> ClassicDecision:
    assert isinstance(decision.state, ClassicGroup)
    return ClassicDecision(decision.state)
