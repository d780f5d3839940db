"""A group that is old when it begins: its members' heartbeats are where they would be after hours without a rebalance.

The hours are not simulated. After a rebalance all heartbeats of a group come within a few milliseconds, and then each
program's timer is late by a little of its own (recordings of old groups: half an hour of quiet). What is done to such a
group comes at any time between two heartbeats: so does the end of a wait for it to be stable.
"""

from __future__ import annotations

from groupsim.simulation.clients.process import Script
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.group import GroupHandle

LOOK_MS = 3_000
"""One heartbeat interval, by default: a member that comes within it is one of the start."""
QUIET_LOOKS, MOST_LOOKS = 2, 200
"""So many in which nothing changes; a group that has not settled after so many never grows old."""


def has_been_quiet(context: ConsumerContext, group: GroupHandle, for_ms: int) -> None:
    """Once the group has settled, and stayed so for two looks, each member's next heartbeat is that of an old group.

    Until each has sent it, and for a random part of an interval more, `group.stable()` does not fire.
    """
    group.grow_old()
    context.env.process(_once_settled(context, group, for_ms))


def _once_settled(context: ConsumerContext, group: GroupHandle, for_ms: int) -> Script:
    seen, looks, timers = -1, 0, context.heartbeat_timers
    for _ in range(MOST_LOOKS):
        if looks == QUIET_LOOKS:
            break
        yield context.env.timeout(LOOK_MS)
        running = [member for member in group.members if member.running]
        same = bool(running) and group.settled(len(running)) and group.generation == seen
        seen, looks = group.generation, looks + 1 if same else 0
    old = [member for member in group.members if member.running]
    for member in old:
        timers.has_been_quiet(member.address, for_ms)
    while group.generation == seen and any(member.running and timers.is_due(member.address) for member in old):
        yield context.env.timeout(LOOK_MS)
    interval_ms = max((timers.quiet_interval_ms(member.address) for member in old), default=0)
    instant_ms = round(interval_ms * context.rng.stream(f"{group.name}/quiet").random())
    until_old_ms = 2 * interval_ms  # the next heartbeat, and the one that is an old group's
    yield context.env.timeout(until_old_ms + instant_ms)
    group.is_old()
