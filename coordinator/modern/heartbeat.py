"""What heartbeats go through in several protocols: the short way, the refusals, the look at the broker's topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from groupsim.assignors.errors import AssignorError
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import ModernHeartbeat, ModernHeartbeatAnswer
from groupsim.coordinator.modern.decision import ModernDecision, session_expiry
from groupsim.coordinator.outcome import Error, Outcome, Reply
from groupsim.coordinator.topics import Topics, metadata_hash
from groupsim.events.base import Event
from groupsim.events.consumer import BumpCause, GroupEpochBumped, MetadataChecked
from groupsim.events.types import MemberId

ACCEPTED = Error.NONE.name
Received = Callable[..., Event]
"""A protocol's own fact that a heartbeat of a `member` at an `epoch` was answered with `error`."""


def unchanged(group: Any, cmd: Any, received: Received, interval_ms: int, session_ms: int) -> Outcome[Any]:
    """A heartbeat that brings no fact about the group, and whose answer tells no assignment."""
    answer = cmd.answer(member=cmd.member, epoch=cmd.epoch, heartbeat_interval_ms=interval_ms)
    fact = received(member=cmd.member, epoch=cmd.epoch, error=ACCEPTED)
    return Outcome(group, (fact,), (Reply(cmd.request, answer),), (session_expiry(cmd.member, session_ms),))


def answered(
    decision: ModernDecision[Any],
    cmd: ModernHeartbeat,
    decide: Callable[[Any, Any], ModernHeartbeatAnswer],
    received: Received,
    keep: Callable[[Any, Any], None] = lambda moved, decision: None,
) -> Outcome[Any]:
    """Any other heartbeat. A refused one changes nothing and does not let the session start anew.

    `keep`: what stays of a refused one, given the state that it led to.
    """
    try:
        answer = decide(decision, cmd)
    except RequestRefused as refusal:
        error, message = refusal.error, refusal.message
    except AssignorError:
        error, message = Error.UNKNOWN_SERVER_ERROR, None
    else:
        decision.record(received(member=answer.member or cmd.member, epoch=answer.epoch, error=ACCEPTED))
        decision.reply(cmd.request, answer)
        return decision.outcome()
    moved = decision.state
    decision.undo()
    keep(moved, decision)
    decision.record(received(member=cmd.member, epoch=cmd.epoch, error=error.name))
    decision.reply(cmd.request, cmd.refused(error, message))
    return decision.outcome()


def refresh(
    decision: ModernDecision[Any],
    subscribed: Callable[[Any], Iterable[str]],
    topics: Topics,
    cause: BumpCause | None,
    member: MemberId | None,
) -> bool:
    """Let the epoch grow for this cause, or because the `subscribed` topics of the group are not what they were.

    Kafka: the middle of GroupMetadataManager.consumerGroupHeartbeat. Topics are looked at if there is a cause, or if
    a subscribed one changed since the last look. Other topics count for nothing, even where the hash is out of date
    because an expression is not resolved yet. Returns whether they were looked at.
    """
    group = decision.group
    last = group.topics_version
    looked = last == topics.version
    if cause is None and looked:
        return False
    due = cause is not None or last is None or topics.changed_since(last, subscribed(group))
    new_hash = group.metadata_hash
    if due:
        new_hash = metadata_hash(topics.named(subscribed(group)), racks=group.behaviour.metadata_hash)
    if cause is None and new_hash != group.metadata_hash:
        cause = BumpCause.TOPICS_CHANGED
    if cause is not None:
        decision.record(GroupEpochBumped(epoch=group.epoch + 1, metadata_hash=new_hash, cause=cause, member=member))
    if not looked:
        decision.record(MetadataChecked(version=topics.version))
    return due
