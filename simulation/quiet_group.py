"""A group that is old when it begins: its members' heartbeats are where they would be after hours without a rebalance.

The hours are not simulated. After a rebalance all heartbeats of a group come within a few milliseconds, and then each
program's timer is late by a little of its own (recordings of old groups: half an hour of quiet).
"""

from __future__ import annotations

from groupsim.simulation.clients.process import Script
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.group import GroupHandle

LOOK_MS = 3_000
"""One heartbeat interval, by default: a member that comes within it is one of the start."""
QUIET_LOOKS = 2


def has_been_quiet(context: ConsumerContext, group: GroupHandle, for_ms: int) -> None:
    """Once the group has settled, and stayed so for two looks, each member's next heartbeat is that of an old group."""
    context.env.process(_once_settled(context, group, for_ms))


def _once_settled(context: ConsumerContext, group: GroupHandle, for_ms: int) -> Script:
    seen, looks = -1, 0
    while looks < QUIET_LOOKS:
        yield context.env.timeout(LOOK_MS)
        running = [member for member in group.members if member.running]
        same = bool(running) and group.settled(len(running)) and group.generation == seen
        seen, looks = group.generation, looks + 1 if same else 0
    for member in group.members:
        if member.running:
            context.heartbeat_timers.has_been_quiet(member.address, for_ms)
