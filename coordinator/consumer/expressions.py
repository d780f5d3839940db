"""Subscriptions by regular expression: whether one is accepted, when topics are looked for, what is found.

Kafka: GroupMetadataManager.maybeUpdateRegularExpressions, refreshRegularExpressions, handleRegularExpressionsResult.
"""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.consumer.commands import ResolveExpressions
from groupsim.coordinator.consumer.decision import RESOLUTION_TIMER, ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.subscription import metadata_of
from groupsim.coordinator.context import Context
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.expressions.resolve import InvalidExpression, check, resolve
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause

MIN_REFRESH_INTERVAL_MS = 10_000
"""Not configurable (Kafka: GroupMetadataManager.REGEX_BATCH_REFRESH_MIN_INTERVAL_MS)."""
RESOLUTION_MS = 0
"""How long a resolution takes. Another thread matches names after the heartbeat was answered, and with few topics it is
done before the member's next request (seen: script regex-unresolved-leaves)."""


def expression_changed(decision: ConsumerDecision, before: Member, after: Member, context: Context) -> bool:
    """Take in the member's expression, and have expressions resolved if it is time; whether the epoch has to grow.

    It grows if the new expression is resolved already, or is none. An unresolved one brings nothing yet. `decision` has
    the member as it is `after`. Raises RequestRefused.
    """
    group = decision.group  # an expression that is dropped here still counts as resolved
    changed = before.expression != after.expression
    first = changed and after.expression != "" and group.expressions[after.expression] == 1
    if first:
        _check(after.expression)
    if changed:
        drop_unused(decision, (before.expression,))
    if resolution_is_due(group, context, first=first):
        _begin(decision, context)
    return changed and (not after.expression or after.expression in group.resolved)


def drop_unused(decision: ConsumerDecision, expressions: Iterable[str]) -> None:
    """Of the expressions that members had, drop those that nobody has any more, resolved or not."""
    for expression in sorted(set(expressions)):
        if expression and expression not in decision.group.expressions:
            decision.record(facts.ExpressionDropped(expression=expression))


def expressions_resolved(group: ConsumerGroup, cmd: ResolveExpressions) -> Outcome[State]:
    """Topics were found; the epoch grows if they are others than before, but a target waits for a heartbeat."""
    decision = ConsumerDecision(group)
    if not group.loaded:
        return decision.outcome()
    decision.record(facts.ResolutionEnded())
    changed = False
    for expression in cmd.expressions:
        if expression not in group.expressions:
            continue
        topics = resolve(expression, cmd.topics.by_name)
        known = group.resolved.get(expression)
        changed = changed or topics != (known.topics if known is not None else ())
        decision.record(
            facts.ExpressionResolved(
                expression=expression, topics=topics, version=cmd.topics.version, at_ms=cmd.started_ms
            )
        )
    new_hash = metadata_of(decision.group, cmd.context.topics)
    if changed or new_hash != group.metadata_hash:
        cause = BumpCause.EXPRESSION_RESOLVED if changed else BumpCause.TOPICS_CHANGED
        decision.record(facts.GroupEpochBumped(epoch=group.epoch + 1, metadata_hash=new_hash, cause=cause))
        decision.record(facts.MetadataChecked(version=cmd.context.topics.version))
    return decision.outcome()


def _check(expression: str) -> None:
    try:
        check(expression)
    except InvalidExpression:
        raise RequestRefused(Error.INVALID_REGULAR_EXPRESSION) from None


def resolution_is_due(group: ConsumerGroup, context: Context, *, first: bool) -> bool:
    """Whether a heartbeat at this moment has all expressions of the group resolved.

    Not while a resolution runs, nor within ten seconds of the last one; then if one is unresolved, if any topic was
    created since, or if the last one is old. `first`: the member brings an expression that nobody had.
    """
    if not group.expressions or group.resolving:
        return False
    last = next(iter(group.resolved.values()), None)
    if last is None:
        return True
    age = context.at_ms - last.at_ms
    if age <= MIN_REFRESH_INTERVAL_MS:
        return False
    return (
        first
        or len(group.expressions) != len(group.resolved)
        or last.version < context.topics.created
        or age > group.config.group_consumer_regex_refresh_interval_ms
    )


def _begin(decision: ConsumerDecision, context: Context) -> None:
    """Resolve them beside the group, against the topics of this moment."""
    expressions = tuple(sorted(decision.group.expressions))
    decision.record(facts.ResolutionStarted(expressions=expressions, version=context.topics.version))
    command = ResolveExpressions(expressions=expressions, topics=context.topics, started_ms=context.at_ms)
    decision.arm(RESOLUTION_TIMER, RESOLUTION_MS, command)
