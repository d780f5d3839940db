"""When a target is due, and in which order an assignor sees the members (Kafka: TargetAssignmentBuilder)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groupsim.assignors.java.timeline_map import timeline_order
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.state import AnyMember, ModernGroup


def waits_for_interval(group: ModernGroup[Any, Any], interval_ms: int, context: Context) -> bool:
    """Whether the assignment interval since the last target is not over."""
    return group.target_at_ms is not None and interval_ms > 0 and context.at_ms < group.target_at_ms + interval_ms


def target_is_due(group: ModernGroup[Any, Any], interval_ms: int, context: Context) -> bool:
    """The epoch grew, and the assignment interval since the last target is over."""
    return group.epoch > group.target_epoch and not waits_for_interval(group, interval_ms, context)


def members_in_order(group: ModernGroup[AnyMember, Any], known: ModernGroup[AnyMember, Any]) -> Iterator[AnyMember]:
    """Members as TargetAssignmentBuilder puts them into its map: the group's, then those that are in no record yet.

    `known` is the group before the request.
    """
    before = list(known.members)
    for i in timeline_order(before, known.most_members):
        if before[i] in group.members:
            yield group.members[before[i]]
    yield from (member for id, member in group.members.items() if id not in known.members)
