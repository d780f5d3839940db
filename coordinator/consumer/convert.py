"""From a classic group to a consumer group: replaced if it is empty, else upgraded with its members.

Kafka: GroupMetadataManager.getOrMaybeCreateConsumerGroup, validateOnlineUpgrade, convertToConsumerGroup.
"""

from __future__ import annotations

from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.classic.commands import JoinAnswer, SyncAnswer
from groupsim.coordinator.classic.state import ClassicGroup, Member, Phase
from groupsim.coordinator.config import MigrationPolicy
from groupsim.coordinator.consumer.converted import PROTOCOL_TYPE
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.topics import Topics, metadata_hash
from groupsim.events import classic as classic_facts
from groupsim.events import consumer as facts

UPGRADING = (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.UPGRADE)


def open_group(decision: ConsumerDecision, topics: Topics, *, creates: bool) -> None:
    """Make sure that there is a consumer group: a first native member creates it. Raises RequestRefused."""
    state = decision.state
    if isinstance(state, ConsumerGroup):
        return
    if not creates:
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND)
    if not state.exists or state.phase is Phase.EMPTY:  # ids that were issued but never joined do not count
        decision.record(facts.ConsumerGroupCreated(replaces_classic=state.exists))
    else:
        _upgrade(decision, state, topics)


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
    return allowed and fits and group.protocol_type == PROTOCOL_TYPE


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
