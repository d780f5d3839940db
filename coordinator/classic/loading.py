"""Failover: a broker gives a group up, another takes it over (docs/model/failover.md)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import SessionExpired
from groupsim.coordinator.classic.decision import JOIN_TIMER, SYNC_TIMER, ClassicDecision, session_timer
from groupsim.coordinator.classic.rebalance import prepare
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.outcome import Arm, Error, Outcome
from groupsim.events.classic import RebalanceCause
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded


def unload(group: ClassicGroup) -> Outcome[ClassicGroup]:
    """Every parked request is answered NOT_COORDINATOR."""
    decision = ClassicDecision(group)
    for member in sorted(group.members):
        decision.refuse_parked(group.members[member], Error.NOT_COORDINATOR)
        decision.disarm(session_timer(member))
    for pending in sorted(group.pending):
        decision.disarm(session_timer(pending))
    decision.disarm(JOIN_TIMER)
    decision.disarm(SYNC_TIMER)
    decision.record(CoordinatorUnloaded())
    return decision.outcome()


def load(group: ClassicGroup) -> Outcome[ClassicGroup]:
    """Only durable facts are known; a group over its size limit rebalances at once."""
    decision = ClassicDecision(group)
    decision.record(CoordinatorLoaded())
    for timer in resume(decision.group):
        decision.arm(timer.key, timer.after_ms, timer.command)
    limit = group.config.group_max_size
    if len(decision.group.members) > limit:
        prepare(decision, RebalanceCause.OVER_CAPACITY, f"Freshly-loaded group is over capacity ({limit})", None)
    return decision.outcome()


def resume(group: ClassicGroup) -> tuple[Arm, ...]:
    """The session of every member of a loaded group starts anew."""
    if group.phase is not Phase.STABLE:
        return ()
    members = [group.members[m] for m in sorted(group.members)]
    return tuple(Arm(session_timer(m.id), m.session_timeout_ms, SessionExpired(m.id)) for m in members)
