"""A broker gives a group up, another takes it over (spec: T31, T32)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import SessionExpired
from groupsim.coordinator.classic.decision import JOIN_TIMER, SYNC_TIMER, Decision, heartbeat_timer
from groupsim.coordinator.classic.rebalance import prepare
from groupsim.coordinator.classic.state import Group, Phase
from groupsim.coordinator.outcome import Arm, Error, Outcome
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded


def unload(group: Group) -> Outcome:
    """Whoever waits is sent to look for the new coordinator."""
    draft = Decision(group)
    for member in sorted(group.members):
        draft.release(group.members[member], Error.NOT_COORDINATOR)
        draft.disarm(heartbeat_timer(member))
    for pending in sorted(group.pending):
        draft.disarm(heartbeat_timer(pending))
    draft.disarm(JOIN_TIMER)
    draft.disarm(SYNC_TIMER)
    draft.record(CoordinatorUnloaded())
    return draft.outcome()


def load(group: Group) -> Outcome:
    """Only durable facts are known; a group over its size limit rebalances at once."""
    draft = Decision(group)
    draft.record(CoordinatorLoaded())
    for alarm in resume(draft.group):
        draft.arm(alarm.key, alarm.after_ms, alarm.command)
    limit = group.config.group_max_size
    if len(draft.group.members) > limit:
        prepare(draft, "over-capacity", f"Freshly-loaded group is over capacity ({limit})", None)
    return draft.outcome()


def resume(group: Group) -> tuple[Arm, ...]:
    """Every member of a loaded group gets its whole session timeout."""
    if group.phase is not Phase.STABLE:
        return ()
    members = [group.members[m] for m in sorted(group.members)]
    return tuple(Arm(heartbeat_timer(m.id), m.session_timeout_ms, SessionExpired(m.id)) for m in members)
