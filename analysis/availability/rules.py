"""The one place where a label is chosen: an ordered table of rules, of which the first that holds decides.

`docs/reference/labels.md` prints it. `analysis.availability.coverage_rules` says in words what is concluded from what
where a recorded log is silent.
"""

from __future__ import annotations

from groupsim.analysis.availability.causes import NO_BROKER, START, of_process
from groupsim.analysis.availability.labels import Label, SubLabel, Verdict
from groupsim.analysis.availability.situation import Rule, Runs, Situation
from groupsim.analysis.process_state import Process


def _nothing(_: Situation) -> None:
    return None


def _group_cause(s: Situation) -> str:
    return s.cause


def _first_serving(s: Situation) -> str:
    return (s.entitled or s.serving)[0].id


def _double(s: Situation) -> SubLabel:
    return (SubLabel.NONE_ENTITLED, SubLabel.ZOMBIE_AND_OWNER, SubLabel.BOTH_ENTITLED)[min(len(s.entitled), 2)]


def _holder(s: Situation) -> str | None:
    return None if s.holder is None else s.holder.id


def _process(s: Situation) -> str | None:
    return None if s.process is None else s.process.id


def _of_process(s: Situation) -> str | None:
    return None if s.process is None else of_process(s.process)


def _paused_in_callback(s: Situation) -> bool:
    return s.holder is not None and (s.knowledge.in_callback(s.holder) or s.partition in s.holder.pending)


def _will_apply(s: Situation) -> bool:
    x: Process | None = s.process
    if x is None or x.released or x.fenced:
        return False
    return s.group.state.delivers(surrendered=s.partition in x.surrendered)


def _between_rebalances(s: Situation) -> bool:
    state = s.group.state
    return not state.rebalancing and not state.empty and (s.partition in s.group.owed or s.process is not None)


def _delayed(s: Situation) -> bool:
    """What a worker still runs and has to stop is in nobody's assignment either."""
    state, tp = s.group.state, s.partition
    return state.delayed and tp not in state.owners and tp not in s.group.owed


def _owner(s: Situation) -> str | None:
    return s.owner


def _clients_only(s: Situation) -> bool:
    return not s.group.coverage.broker


def _unreported(s: Situation) -> bool:
    """There are broker logs, but no log of its owner's process, and it is not known that nobody can have it."""
    empty = s.group.state.empty and s.group.reported.has_coordinator_facts
    return s.group.coverage.broker and s.process is None and not empty and not _nobody_has_any(s)


def _nobody_has_any(s: Situation) -> bool:
    """No assignment was stored since the group had no members; beside logs of clients its founding is left out."""
    return s.group.reported.unassigned and (s.cause != START or not s.group.coverage.clients)


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


SERVED = (
    Rule(
        Label.DOUBLE,
        (SubLabel.NONE_ENTITLED, SubLabel.ZOMBIE_AND_OWNER, SubLabel.BOTH_ENTITLED),
        "two processes or more serve it; the sub-label says how many of them are entitled",
        lambda s: len(s.serving) > 1,
        _first_serving,
        lambda s: s.zombie_trouble,
        sub_label=_double,
    ),
    Rule(
        Label.OK,
        (SubLabel.CLIENT_ONLY,),
        "one process serves it and is entitled (sub-label: there are client logs only)",
        lambda s: bool(s.entitled),
        _first_serving,
        _nothing,
        sub_label=lambda s: s.knowledge.served,
    ),
    Rule(
        Label.ZOMBIE_ONLY,
        (),
        "one process serves it and is not entitled",
        lambda s: bool(s.serving),
        _first_serving,
        lambda s: s.zombie_trouble,
    ),
)

HELD = (
    Rule(
        Label.PAUSED_CALLBACK,
        (),
        "its owner has it, and a callback runs or a commit before the revocation",
        _paused_in_callback,
        _holder,
        _group_cause,
    ),
    Rule(
        Label.PAUSED_APP,
        (),
        "its owner has it, and the application paused it",
        lambda s: s.holder is not None and s.partition in s.holder.paused,
        _holder,
        lambda s: "paused",
    ),
    Rule(
        Label.OWNER_STALLED,
        (),
        "its owner has it and is frozen",
        lambda s: s.holder is not None and s.holder.frozen,
        _holder,
        _of_process,
    ),
    Rule(
        Label.OWNER_STALLED,
        (SubLabel.NO_BROKER,),
        "its owner has it and reaches no broker at all",
        lambda s: s.holder is not None and s.holder.no_broker,
        _holder,
        lambda s: NO_BROKER,
    ),
    Rule(
        Label.OWNER_STALLED,
        (SubLabel.DATA_CUT,),
        "its owner has it and does not reach the brokers of the data",
        lambda s: s.holder is not None and not s.group.connected(s.holder),
        _holder,
        lambda s: f"cut {_holder(s)}",
    ),
    Rule(
        Label.RESTORING,
        (),
        "its owner has it and rebuilds its state",
        lambda s: s.holder is not None and s.partition in s.holder.restoring,
        _holder,
        _group_cause,
    ),
    Rule(
        Label.RESTORING,
        (SubLabel.POSITION,),
        "its owner has it, and its position is not known yet",
        lambda s: s.holder is not None,
        _holder,
        _group_cause,
    ),
)

SIMULATED_RULES = (
    Rule(
        Label.UNKNOWN,
        (SubLabel.NO_LOG,),
        "its owner is a member of which no fact names a process",
        lambda s: bool(s.owner) and s.process is None,
        lambda s: s.owner,
        _group_cause,
        Runs.SIMULATED,
    ),
)

RECORDED_RULES = (
    Rule(
        Label.GRANT_IN_FLIGHT,
        (SubLabel.CLIENT_ONLY,),
        "there are client logs only: a process was assigned it and has yet to take it into its view",
        lambda s: _clients_only(s) and _assigned_process(s) is not None,
        lambda s: getattr(_assigned_process(s), "id", None),
        _group_cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.WITHHELD,
        (SubLabel.CLIENT_ONLY,),
        "there are client logs only: a process revoked it and has not synced since",
        lambda s: _clients_only(s) and _surrendered(s),
        _surrenderer,
        _group_cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.UNKNOWN,
        (SubLabel.ONLY_CLIENTS,),
        "there are client logs only, and a client without a log may have it",
        _clients_only,
        _nothing,
        _group_cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.GRANT_IN_FLIGHT,
        (SubLabel.CLIENT_ONLY,),
        "it has no owner, every member has a log, and one has not shown yet what it was assigned",
        lambda s: _all_known(s) and _assignment_unreported(s),
        _nothing,
        _group_cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.WITHHELD,
        (SubLabel.CLIENT_ONLY,),
        "a rebalance runs, and a process revoked it and has not synced since",
        _withheld,
        _surrenderer,
        _group_cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.UNKNOWN,
        (SubLabel.NOTHING_YET,),
        "the coordinator's log has not begun",
        lambda s: _concluded(s) and not s.group.reported.has_coordinator_facts,
        _nothing,
        _group_cause,
        Runs.RECORDED,
    ),
    Rule(
        Label.OK,
        (SubLabel.COORDINATOR_ONLY,),
        "the group is Stable: its owner, who has no log, is taken as serving it",
        _served_by_unlogged,
        _owner,
        _nothing,
        Runs.RECORDED,
    ),
    Rule(
        Label.UNKNOWN,
        (SubLabel.NO_LOG, SubLabel.ONLY_BROKER),
        "the group is not Stable, and its owner has no log",
        lambda s: _concluded(s) and not s.group.reported.stable,
        _owner,
        _group_cause,
        Runs.RECORDED,
        lambda s: SubLabel.NO_LOG if s.group.coverage.clients else SubLabel.ONLY_BROKER,
    ),
)
"""What can be concluded of what no process in a recorded log holds, and else UNKNOWN with the reason."""

NOT_HELD = (
    Rule(
        Label.OWNER_DEAD,
        (),
        "the owner's process is gone",
        lambda s: s.process is not None and not s.process.alive,
        _process,
        _of_process,
    ),
    Rule(
        Label.GRANT_IN_FLIGHT,
        (),
        "the owner is alive and will still apply this assignment",
        _will_apply,
        _process,
        _group_cause,
    ),
    Rule(
        Label.DELAYED,
        (),
        "the last assignment of Connect's leader has a delay, and leaves it out",
        _delayed,
        _nothing,
        _group_cause,
    ),
    Rule(
        Label.WITHHELD,
        (),
        "a rebalance runs, and some member subscribes to the topic",
        lambda s: s.group.state.rebalancing and s.group.state.subscribed(s.partition.topic),
        _nothing,
        _group_cause,
    ),
    Rule(
        Label.WITHHELD,
        (),
        "no rebalance runs, and it has an owner, or a cooperative member has to revoke it first",
        _between_rebalances,
        _nothing,
        lambda s: _of_process(s) or s.cause,
    ),
    Rule(Label.UNOWNED, (), "nothing of all this", lambda s: True, _nothing, _group_cause),
)

RULES: tuple[Rule, ...] = (*SERVED, *HELD, *SIMULATED_RULES, *RECORDED_RULES, *NOT_HELD)
"""In the order in which they are tried."""

_FOR = {runs: tuple(rule for rule in RULES if rule.runs in (Runs.ANY, runs)) for runs in Runs}


def rules_for(recorded: bool) -> tuple[Rule, ...]:
    """The rules of a recorded run, or of a simulated one."""
    return _FOR[Runs.RECORDED if recorded else Runs.SIMULATED]


def decide(rules: tuple[Rule, ...], situation: Situation) -> Verdict:
    """The verdict of the first rule that holds; the last one always does."""
    for rule in rules:
        if rule.holds(situation):
            return rule.verdict(situation)
    raise AssertionError("the last rule always holds")
