"""Subscriptions by regular expression: what a change means for the group, and which expressions nobody has any more.

Kafka: GroupMetadataManager.maybeUpdateRegularExpressions.
"""

from __future__ import annotations

from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.state import Member
from groupsim.events import consumer as facts


def expression_changed(decision: ConsumerDecision, before: Member, after: Member) -> bool:
    """Drop an expression that nobody has any more; whether the epoch has to grow at once.

    It grows if the new expression is resolved already, or is none. An unresolved one brings nothing yet.
    """
    if before.expression == after.expression:
        return False
    drop_unused(decision)
    return not after.expression or after.expression in decision.group.resolved


def drop_unused(decision: ConsumerDecision) -> None:
    """Drop the resolved expressions that no member subscribes to."""
    group = decision.group
    used = {member.expression for member in group.members.values()} if group.resolved else set()
    for expression in sorted(group.resolved.keys() - used):
        decision.record(facts.ExpressionDropped(expression=expression))
