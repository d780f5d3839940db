"""From a classic group to a consumer group (Kafka: GroupMetadataManager.getOrMaybeCreateConsumerGroup)."""

from __future__ import annotations

from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Error
from groupsim.events import consumer as facts


def open_group(decision: ConsumerDecision, *, creates: bool) -> None:
    """Make sure that there is a consumer group: a first native member creates it. Raises RequestRefused."""
    state = decision.state
    if isinstance(state, ConsumerGroup):
        if not state.loaded:
            raise RequestRefused(Error.NOT_COORDINATOR)
        return
    if not creates or not _replaceable(state):
        raise RequestRefused(Error.GROUP_ID_NOT_FOUND)
    decision.record(facts.ConsumerGroupCreated(replaces_classic=state.exists))


def _replaceable(group: ClassicGroup) -> bool:
    """A group that does not exist, or has no members (ids that were issued but never joined do not count)."""
    return not group.exists or (group.phase is not Phase.DEAD and not group.members)
