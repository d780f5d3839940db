"""Which group a first member of another protocol may take over, and what classic requests meet: one table.

Requests that create: see `open_group`. A group with members belongs to its protocol; only consumer groups and classic
ones convert while they have members (`coordinator.consumer.conversion`). An empty group gives way:

| empty group of type | JoinGroup | ConsumerGroupHeartbeat | StreamsGroupHeartbeat | ShareGroupHeartbeat |
| --- | --- | --- | --- | --- |
| classic, or offsets only | joins | takes over | takes over | GROUP_ID_NOT_FOUND |
| consumer | takes over | joins | GROUP_ID_NOT_FOUND | GROUP_ID_NOT_FOUND |
| streams | takes over | GROUP_ID_NOT_FOUND | joins | GROUP_ID_NOT_FOUND |
| share | INCONSISTENT_GROUP_PROTOCOL | GROUP_ID_NOT_FOUND | GROUP_ID_NOT_FOUND | joins |
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.outcome import Error


def replaces_classic(state: object, *, creates: bool, takes_over: bool = True) -> bool:
    """Whether a new group takes the place of an empty classic one, or of offsets that stay; False: of none.

    `creates`: the request may create a group; `takes_over`: also in the place of one. Ids that were issued but never
    joined do not count as members. Raises RequestRefused (GROUP_ID_NOT_FOUND).
    """
    if creates and isinstance(state, ClassicGroup):
        if not state.exists:
            return False
        if takes_over and state.phase is Phase.EMPTY:
            return True
    raise RequestRefused(Error.GROUP_ID_NOT_FOUND)


def check_here(state: Any) -> None:
    """Of a group of any type: raises RequestRefused between unloading and loading."""
    if state.phase is Phase.DEAD if isinstance(state, ClassicGroup) else not state.loaded:
        raise RequestRefused(Error.NOT_COORDINATOR)
