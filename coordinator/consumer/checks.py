"""What a ConsumerGroupHeartbeat must look like, in the broker's order; whether a group takes one more member.

Kafka: GroupMetadataManager.throwIfConsumerGroupHeartbeatRequestIsInvalid, throwIfConsumerGroupIsFull.
"""

from __future__ import annotations

from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import JOIN_EPOCH, LEAVE_EPOCH, NO_TIMEOUT
from groupsim.coordinator.modern.members import is_full
from groupsim.coordinator.modern.state import AWAY_EPOCH
from groupsim.coordinator.outcome import Error
from groupsim.events.types import GroupId, MemberId

GROUP_TYPE = "consumer"
"""The name of this protocol in `group.coordinator.rebalance.protocols`."""
MEMBER_ID_REQUIRED_SINCE = 1
"""From this version on a member brings its own id."""


def check_request(group: GroupId, configs: Configs, cmd: ConsumerHeartbeat) -> None:
    """Raises RequestRefused with UNSUPPORTED_VERSION, INVALID_REQUEST or UNSUPPORTED_ASSIGNOR.

    Who may do what is not looked at: a simulated broker has no authorizer.
    """
    if GROUP_TYPE not in configs.coordinator.group_coordinator_rebalance_protocols:
        raise RequestRefused(Error.UNSUPPORTED_VERSION)
    needs_id = cmd.version >= MEMBER_ID_REQUIRED_SINCE or cmd.epoch > JOIN_EPOCH or cmd.epoch == LEAVE_EPOCH
    if needs_id and not cmd.member:
        raise RequestRefused(Error.INVALID_REQUEST)
    if not group or cmd.instance_id == "" or cmd.rack == "":
        raise RequestRefused(Error.INVALID_REQUEST)
    if cmd.epoch == JOIN_EPOCH and not _complete(cmd):
        raise RequestRefused(Error.INVALID_REQUEST)
    if cmd.epoch < AWAY_EPOCH or (cmd.epoch == AWAY_EPOCH and cmd.instance_id is None):
        raise RequestRefused(Error.INVALID_REQUEST)
    if cmd.assignor is not None and cmd.assignor not in configs.consumer.group_consumer_assignors:
        raise RequestRefused(Error.UNSUPPORTED_ASSIGNOR)


def _complete(cmd: ConsumerHeartbeat) -> bool:
    """A first request tells its timeout, that nothing is owned, and what it subscribes to."""
    subscribed = cmd.topics is not None or cmd.expression is not None
    return cmd.rebalance_timeout_ms != NO_TIMEOUT and cmd.owned == () and subscribed


def check_size(group: ConsumerGroup, member: MemberId, instance_id: str | None) -> None:
    """Whatever the epoch. Raises RequestRefused."""
    if is_full(group, group.config.group_consumer_max_size, member, instance_id):
        raise RequestRefused(Error.GROUP_MAX_SIZE_REACHED)
