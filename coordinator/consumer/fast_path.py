"""The usual heartbeat: the member is at its target and says nothing new, so only its session starts anew.

`heartbeat` comes to the same in many steps; nearly all heartbeats are such ones, so they have a short way.
"""

from __future__ import annotations

from groupsim.coordinator.consumer.commands import JOIN_EPOCH, NO_TIMEOUT, ConsumerHeartbeat
from groupsim.coordinator.consumer.expressions import resolution_is_due
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.events.consumer import MemberState

STABLE = MemberState.STABLE


def changes_nothing(group: ConsumerGroup, cmd: ConsumerHeartbeat) -> bool:
    """Whether the request is accepted, brings no fact about the group, and its answer tells no assignment.

    False means that it has to be looked at step by step, not that something changes. The group and the member wait for
    nothing: a vote among several, and topics that were not looked at yet, count anew in every heartbeat.
    """
    member, epoch = group.members.get(cmd.member), group.target_epoch
    return (
        member is not None
        and member.epoch == cmd.epoch == epoch > JOIN_EPOCH
        and member.state is STABLE
        and group.epoch <= epoch
        and group.topics_version == cmd.context.topics.version
        and group.loaded
        and not (member.assignor and len(group.votes) > 1)
        and not (group.expressions and resolution_is_due(group, cmd.context, first=False))
        and _says_nothing(group, member, cmd)
    )


def _says_nothing(group: ConsumerGroup, member: Member, cmd: ConsumerHeartbeat) -> bool:
    """What it owns it may say: that counts only while it has to give something up, or with all the rest."""
    return (
        cmd.topics is None
        and cmd.expression is None
        and cmd.assignor is None
        and cmd.rack is None
        and member.classic is None
        and cmd.client_id == member.client_id
        and cmd.client_host == member.client_host
        and (cmd.rebalance_timeout_ms == NO_TIMEOUT or cmd.rebalance_timeout_ms == member.rebalance_timeout_ms)
        and cmd.instance_id == member.instance_id
    )
