"""LeaveGroup in a consumer group: members of either protocol are removed.

Kafka: GroupMetadataManager.classicGroupLeaveToConsumerGroup.
"""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Leave, LeaveAnswer, Leaving
from groupsim.coordinator.consumer.decision import ConsumerDecision, RequestRefused
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.fence import remove
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.consumer.static_members import present
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.consumer import LossCause
from groupsim.events.types import MemberId


def classic_leave(group: ConsumerGroup, cmd: Leave) -> Outcome[State]:
    """A batch with one result per entry; the epoch grows once, if anybody is removed."""
    decision = ConsumerDecision(group)
    if not group.loaded:
        decision.reply(cmd.request, LeaveAnswer(Error.NOT_COORDINATOR))
        return decision.outcome()
    results = []
    gone: dict[MemberId, None] = {}
    for entry in cmd.members:
        error = Error.NONE
        try:
            gone[_leaver(group, entry)] = None
        except RequestRefused as refusal:
            error = refusal.error
        results.append((entry.member, entry.instance_id, error))
    if gone:
        remove(decision, gone, LossCause.LEFT, cmd.context.topics)
    decision.reply(cmd.request, LeaveAnswer(members=tuple(results)))
    return decision.outcome()


def _leaver(group: ConsumerGroup, entry: Leaving) -> MemberId:
    """The id of the member to remove; an administrator names the instance id alone. Raises RequestRefused."""
    member = entry.member
    if not member and entry.instance_id is not None:
        member = group.statics.get(entry.instance_id, "")
    return present(group, member, entry.instance_id).id
