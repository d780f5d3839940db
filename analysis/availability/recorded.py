"""What is concluded where a recorded log is silent, and where nothing is: then the label is UNKNOWN, with the reason.

Nothing is guessed silently. A broker's log does not tell assignments, a client's log not what other clients do.

- A process whose assignment the books don't tell may commit by its own word, unless the books have put it out.
- What a process gave up in order (revoked, not lost) nobody can have before its next sync: WITHHELD.
- A member without a log, in a Stable group, is taken as serving what is its own: `OK`, sub-label `by the books`; so are
  all partitions of a Stable group of which only the broker speaks. During a rebalance its partitions are UNKNOWN: the
  log does not tell whether it goes on meanwhile, as cooperative members do.
- An Empty group serves nothing (UNOWNED). Where every member has a log, labels are those of a simulated run.
- Where only clients speak (no coordinator fact at all): what is assigned to a process and not yet in its view is
  GRANT_IN_FLIGHT; all else may be in the hands of clients whose log we lack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groupsim.analysis.availability.labels import (
    BY_THE_BOOKS,
    CLIENTS_WORD,
    GRANT_IN_FLIGHT,
    OK,
    UNKNOWN,
    WITHHELD,
    Verdict,
)
from groupsim.analysis.group_state import EMPTY, STABLE
from groupsim.analysis.process_state import Process
from groupsim.events.types import MemberId, TopicPartition

if TYPE_CHECKING:
    from groupsim.analysis.availability.view import GroupView

ONLY_THE_BROKER = "only the broker speaks"
ONLY_CLIENTS = "only clients speak"
NOTHING_YET = "nothing is told yet"
NO_LOG = "no log of a member"


def untold(view: GroupView, x: Process) -> bool:
    """The books can't judge this process: no broker log, or one that does not tell its assignment."""
    return not view.coverage.broker or not (x.member and view.state.assignment_known)


def entitled(view: GroupView, x: Process) -> bool:
    """By the process's own word, unless the books have put its member id out of the group."""
    if not view.state.has_coordinator_facts:
        return True
    if not x.member:
        return view.state.state != EMPTY
    if x.member in view.state.members:
        return view.state.may_commit(x.member)
    return x.member not in view.state.removed


def word(view: GroupView) -> str | None:
    """On whose word a partition counts as served in a recorded run; None where broker and client agree."""
    return None if view.coverage.broker else CLIENTS_WORD


def verdict(view: GroupView, tp: TopicPartition, owner: MemberId | None, x: Process | None) -> Verdict | None:
    """The label of a partition that no process in the log holds; None where the books can be relied on."""
    if not view.coverage.recorded:
        return Verdict(UNKNOWN, NO_LOG, owner, view.causes.now) if owner and x is None else None
    state, cause = view.state, view.causes.now
    if not view.coverage.broker:
        return _from_clients(view, tp)
    if (state.state == EMPTY and state.has_coordinator_facts) or x is not None:
        return None
    if owner is None and state.has_coordinator_facts and _all_known(view):
        return Verdict(GRANT_IN_FLIGHT, CLIENTS_WORD, None, cause) if _part_untold(view) else None
    giver = _surrendered(view, tp)
    if giver is not None and (state.rebalancing or not state.has_coordinator_facts):
        return Verdict(WITHHELD, CLIENTS_WORD, giver.id, cause)
    if not state.has_coordinator_facts:
        return Verdict(UNKNOWN, NOTHING_YET, None, cause)
    if state.state == STABLE:
        return Verdict(OK, BY_THE_BOOKS, owner) if owner is not None or not state.assignment_known else None
    reason = NO_LOG if view.coverage.clients else ONLY_THE_BROKER
    return Verdict(UNKNOWN, reason, owner, cause)


def _all_known(view: GroupView) -> bool:
    """Everybody who can hold a partition has a process whose log tells what it holds.

    These are the members at the last assignment: who came later has nothing yet.
    """
    state = view.state
    if len(state.members_at_last_assignment) < state.size and not state.rebalancing:
        return False
    coverage = view.coverage
    left = state.members_at_last_assignment & set(state.members)
    return bool(state.members_at_last_assignment) and all(
        coverage.logged.get(member) in coverage.views for member in left
    )


def _part_untold(view: GroupView) -> bool:
    """An assignment that nobody tells is in force, and a member has not shown yet what it got."""
    state = view.state
    if state.assignment_known or state.state != STABLE:
        return False
    return any(state.self_reported_generation.get(member) != state.generation for member in state.members)


def _surrendered(view: GroupView, tp: TopicPartition) -> Process | None:
    names = sorted(view.surrendered_by.get(tp, ()))
    return next((x for x in map(view.processes.all.__getitem__, names) if x.alive), None)


def _from_clients(view: GroupView, tp: TopicPartition) -> Verdict:
    cause = view.causes.now
    for _, x in sorted(view.processes.all.items()):
        if x.alive and not x.fenced and x.synced and not x.released and tp in _promised(view, x):
            return Verdict(GRANT_IN_FLIGHT, CLIENTS_WORD, x.id, cause)
    giver = _surrendered(view, tp)
    if giver is not None:
        return Verdict(WITHHELD, CLIENTS_WORD, giver.id, cause)
    return Verdict(UNKNOWN, ONLY_CLIENTS, None, cause)


def _promised(view: GroupView, x: Process) -> tuple[TopicPartition, ...]:
    return view.state.assignment.get(x.member, ()) if x.member else ()
