"""The one place where a label is chosen: an ordered table of rules, of which the first that holds decides.

`docs/reference/labels.md` prints it.
"""

from __future__ import annotations

from groupsim.analysis.availability.causes import of_process
from groupsim.analysis.availability.labels import Label, SubLabel, Verdict
from groupsim.analysis.availability.recorded import RULES as RECORDED_RULES
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
