"""A rolling restart of several groups beside each other, so that they can be compared."""

from __future__ import annotations

from collections.abc import Collection

from groupsim.simulation.clients.process import Script
from groupsim.simulation.group import GroupHandle
from groupsim.simulation.world import World


def roll(
    world: World, groups: Collection[GroupHandle], *, downtime: int, within: int | None = None, pause: int = 0
) -> Script:
    """Restart the members of groups of one size, one after the other; those of the same place restart together.

    `downtime`: of each member (ms). `within`: by when a group has to be stable again (ms; None: whenever).
    `pause`: how long each step waits after that (ms).
    """
    for together in zip(*(group.members for group in groups), strict=True):
        yield from [member.restart(downtime=downtime) for member in together]
        for group in groups:
            yield group.stable(members=len(group.members), within=within)
        if pause:
            yield world.sleep(pause)
