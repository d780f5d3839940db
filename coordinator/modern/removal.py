"""Members leave or are removed when a timer fires. What that brings about in a protocol is its own function `Remove`.

Kafka: GroupMetadataManager.consumerGroupLeave, scheduleConsumerGroup…Timeout, and the same for the other protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.commands import ModernHeartbeat, RebalanceTimedOut, SessionExpired
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.modern.members import present
from groupsim.coordinator.modern.state import AWAY_EPOCH
from groupsim.coordinator.outcome import Outcome
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.consumer import LossCause
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId

AnyDecision = TypeVar("AnyDecision", bound=ModernDecision[Any])
CAUSES: Mapping[type, LossCause] = {
    SessionExpired: LossCause.SESSION_EXPIRED,
    RebalanceTimedOut: LossCause.REBALANCE_TIMEOUT,
}
"""Why a member is removed when this timer fires: it was silent, or did not give up what it had to."""
Remove = Callable[[AnyDecision, tuple[MemberId, ...], LossCause, Context], None]
"""Remove members; the epoch grows once."""


def leave(decision: AnyDecision, cmd: ModernHeartbeat, remove: Remove[AnyDecision]) -> None:
    """Remove the member, or keep what a static member is assigned until it is back. Raises RequestRefused.

    The session timer of a member that is away runs on.
    """
    member = present(decision.group, cmd.member, cmd.instance_id)
    if cmd.epoch == AWAY_EPOCH:
        decision.record(facts.StaticMemberAway(member=member.id))
    else:
        remove(decision, (member.id,), LossCause.LEFT, cmd.context)


def timed_out(
    decision: AnyDecision, cmd: Any, remove: Remove[AnyDecision], causes: Mapping[type, LossCause] = CAUSES
) -> Outcome[Any]:
    """A timer of a `member` fired: it is gone; the client learns of it with its next request.

    Of the rebalance timeout: if it still has the epoch at which it had to give something up.
    """
    group = decision.group
    member = group.members.get(cmd.member)
    moved_on = isinstance(cmd, RebalanceTimedOut) and member is not None and member.epoch != cmd.epoch
    if group.loaded and member is not None and not moved_on:
        remove(decision, (cmd.member,), causes[type(cmd)], cmd.context)
    return decision.outcome()


def emptied(decision: ModernDecision[Any], bumped: Event, protocol_type: str | None) -> None:
    """The epoch grew because members are gone; perhaps nobody is left."""
    decision.record(bumped)
    if not decision.group.members:
        decision.record(GroupEmptied(generation=decision.group.epoch, protocol_type=protocol_type))
