"""The rules for what no process in a recorded log holds: what can be concluded, and else UNKNOWN with the reason.

`analysis.availability.knowledge` says in words what is concluded from what.
"""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label, SubLabel
from groupsim.analysis.availability.situation import Rule, Runs, Situation
from groupsim.analysis.process_state import Process


def _cause(s: Situation) -> str:
    return s.cause


def _owner(s: Situation) -> str | None:
    return s.owner


def _nobody(_: Situation) -> None:
    return None


def _clients_only(s: Situation) -> bool:
    return not s.group.coverage.broker


def _unreported(s: Situation) -> bool:
    """There are broker logs, but no log of its owner's process, and the group is not known to be empty."""
    empty = s.group.state.empty and s.group.reported.has_coordinator_facts
    return s.group.coverage.broker and s.process is None and not empty


def _assigned_process(s: Situation) -> Process | None:
    """A live process that was assigned it by its own report and will still take it into its view."""
    for _, x in sorted(s.group.processes.all.items()):
        waiting = x.alive and not x.fenced and x.synced and not x.released
        if waiting and x.member and s.partition in s.group.state.assigned(x.member):
            return x
    return None


def _surrendered(s: Situation) -> bool:
    return s.surrendered_by is not None


def _surrenderer(s: Situation) -> str | None:
    x = s.surrendered_by
    return None if x is None else x.id


def _all_known(s: Situation) -> bool:
    """It has no owner, and whoever could hold a partition has a process whose log has what it holds.

    These are the members at the last assignment: who came later has nothing yet.
    """
    state, coverage = s.group.reported, s.group.coverage
    if s.owner is not None or not state.has_coordinator_facts or not _unreported(s):
        return False
    members = state.members_at_last_assignment
    if len(members) < state.size and not s.group.state.rebalancing:
        return False
    return bool(members) and all(coverage.logged.get(m) in coverage.views for m in members if m in state.members)


def _assignment_unreported(s: Situation) -> bool:
    """An assignment that no log has is in force, and a member has not shown yet what it got."""
    state = s.group.reported
    if state.assignment_known or not state.stable:
        return False
    return any(state.self_reported_generation.get(member) != state.generation for member in state.members)


def _withheld(s: Situation) -> bool:
    running = s.group.state.rebalancing or not s.group.reported.has_coordinator_facts
    return _concluded(s) and running and _surrendered(s)


def _concluded(s: Situation) -> bool:
    """No process in the log has to do with it, and not everybody is known."""
    return _unreported(s) and not _all_known(s)


def _served_by_unlogged(s: Situation) -> bool:
    return _concluded(s) and s.group.reported.stable and _may_be_served(s)


def _may_be_served(s: Situation) -> bool:
    return s.owner is not None or not s.group.reported.assignment_known


RULES = (
    Rule(
        Label.GRANT_IN_FLIGHT,
        (SubLabel.CLIENT_ONLY,),
        "there are client logs only: a process was assigned it and has yet to take it into its view",
        lambda s: _clients_only(s) and _assigned_process(s) is not None,
        lambda s: getattr(_assigned_process(s), "id", None),
        _cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.WITHHELD,
        (SubLabel.CLIENT_ONLY,),
        "there are client logs only: a process revoked it and has not synced since",
        lambda s: _clients_only(s) and _surrendered(s),
        _surrenderer,
        _cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.UNKNOWN,
        (SubLabel.ONLY_CLIENTS,),
        "there are client logs only, and a client without a log may have it",
        _clients_only,
        _nobody,
        _cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.GRANT_IN_FLIGHT,
        (SubLabel.CLIENT_ONLY,),
        "it has no owner, every member has a log, and one has not shown yet what it was assigned",
        lambda s: _all_known(s) and _assignment_unreported(s),
        _nobody,
        _cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.WITHHELD,
        (SubLabel.CLIENT_ONLY,),
        "a rebalance runs, and a process revoked it and has not synced since",
        _withheld,
        _surrenderer,
        _cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.UNKNOWN,
        (SubLabel.NOTHING_YET,),
        "the coordinator's log has not begun",
        lambda s: _concluded(s) and not s.group.reported.has_coordinator_facts,
        _nobody,
        _cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.OK,
        (SubLabel.COORDINATOR_ONLY,),
        "the group is Stable: its owner, who has no log, is taken as serving it",
        _served_by_unlogged,
        _owner,
        _nobody,
        Runs.RECORDED,
    ),
    Rule(
        Label.UNKNOWN,
        (SubLabel.NO_LOG, SubLabel.ONLY_BROKER),
        "the group is not Stable, and its owner has no log",
        lambda s: _concluded(s) and not s.group.reported.stable,
        _owner,
        _cause,
        Runs.RECORDED,
        lambda s: SubLabel.NO_LOG if s.group.coverage.clients else SubLabel.ONLY_BROKER,
    ),
)
