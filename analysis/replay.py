"""The state of every group, folded again from the stored facts without running anything."""

from __future__ import annotations

from typing import Any

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.group_state import AnyGroupState, converted
from groupsim.analysis.log_coverage import CONSUMER, COORDINATOR
from groupsim.events.base import Recorded, group_of
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.tasks_as_partitions import STREAMS
from groupsim.events.types import GroupId
from groupsim.events.world import GroupDeclared

_FOLDED = COORDINATOR | CONSUMER
_READ = _FOLDED | STREAMS
READS = tuple(sorted(tag for tag, kind in CATALOGUE.items() if kind in _READ or kind is GroupDeclared))
"""Tags of the facts that change what is replayed; every other one may be left out."""


def fold(states: dict[GroupId, AnyGroupState], fact: Recorded) -> None:
    """Fold one fact into the state of its group."""
    event = fact.event
    if isinstance(event, GroupDeclared):
        states.setdefault(event.group, ClassicGroupState())
    elif type(event) in _FOLDED:
        group = group_of(fact.stream)
        if group is not None:
            states[group] = converted(states.get(group) or ClassicGroupState(), event)
            states[group].apply(event)


def replayed(states: dict[GroupId, AnyGroupState]) -> dict[str, Any]:
    """All groups in the shape of the command line's contract, sorted.

    `{"groups": {group: {"state", "generation", "leader", "members": {id: {"assigned": [[topic, partition], ...]}}}}}`.
    `assigned` is what the last stored assignment gives a member; in a consumer group, whose epoch is `generation`, what
    the member may use or has yet to give up. A group that was declared and never created, or of which there are client
    logs only, has state `Dead`, as Kafka describes a group it does not know.
    """
    return {"groups": {group: described(states[group]) for group in sorted(states)}}


def described(state: AnyGroupState) -> dict[str, Any]:
    """One group in the shape of the command line's contract."""
    return {
        "state": state.state if state.has_coordinator_facts else "Dead",
        "generation": state.generation,
        "leader": state.leader,
        "members": {member: {"assigned": [[tp.topic, tp.partition] for tp in given]} for member, given in state.plan()},
    }
