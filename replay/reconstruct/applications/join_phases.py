"""Late polls of members that have no log, from how long the coordinator waited for joins.

An existing member hears of a rebalance with its next heartbeat and joins at its next poll. A join phase that lasts much
longer than a heartbeat interval waited for a poll. The coordinator's log does not say of which member; one that was
there each time can have been it, and for what a rebalance costs it does not matter which.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.reconstruct.applications.polls import PollWait
from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation

_SURELY_MS = 1_000
"""A join phase that is this much longer than two heartbeat intervals waited for a poll."""


def waits_for_slowest(
    members: Sequence[Member], generations: Sequence[Generation], heartbeat_ms: int
) -> tuple[int, list[PollWait]] | None:
    """The number of the member that join phases may have waited for, and its waits; None: nothing shows one.

    `heartbeat_ms`: the longest interval that the group may have. Members with a log show their own polls.
    """
    if any(incarnation.logged for member in members for incarnation in member.incarnations):
        return None
    phases = [
        (generation.started_ms, generation.joined_ms)
        for generation in generations
        if generation.started_ms is not None and not generation.initial and not generation.dropped
    ]
    slow = [phase for phase in phases if phase[1] - phase[0] > 2 * heartbeat_ms + _SURELY_MS]
    always = [
        number
        for number, member in enumerate(members)
        if slow and all(any(_waited_for(i, *phase) for i in member.incarnations) for phase in slow)
    ]
    if not always:
        return None
    own = [p for p in phases if any(_waited_for(i, *p) for i in members[always[0]].incarnations)]
    return always[0], [PollWait(None, since, until, heard_within_ms=heartbeat_ms) for since, until in own]


def _waited_for(incarnation: Incarnation, since_ms: int, until_ms: int) -> bool:
    """Whether it was a member before a join phase and after it."""
    begins = -1 if incarnation.starts_ms is None else incarnation.starts_ms
    return begins < since_ms and (incarnation.ends_ms is None or incarnation.ends_ms > until_ms)
