"""What is concluded where a recorded log is silent, and where nothing is: then the label is UNKNOWN, with the reason.

Nothing is guessed silently. A broker's log does not tell assignments, a client's log not what others do:

- only the broker speaks: a Stable group is taken as serving everything (`OK`, sub-label `broker's word`); an Empty one
  serves nothing (`UNOWNED`); in between members may or may not go on (the log does not tell which protocol): UNKNOWN.
- only clients speak: a client that synced and did not reset its generation may commit (sub-label `client's word`).
  What it gave up in order (revoked, not lost) nobody can have before its next sync: WITHHELD. What is assigned to it
  and not yet in its view: GRANT_IN_FLIGHT. All else may be in the hands of clients whose log we lack: UNKNOWN.
- both speak, and every member has a log: labels as in a simulated run. Where members have none: as the broker says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.books import EMPTY, STABLE
from analysis.labels import (
    BROKERS_WORD,
    CLIENTS_WORD,
    GRANT_IN_FLIGHT,
    OK,
    UNKNOWN,
    WITHHELD,
    Verdict,
)
from analysis.processes import Process
from events.types import MemberId, TopicPartition

if TYPE_CHECKING:
    from analysis.group import GroupView

ONLY_THE_BROKER = "only the broker speaks"
ONLY_CLIENTS = "only clients speak"
NOTHING_YET = "nothing is told yet"
NO_LOG = "no log of a member"


def untold(view: GroupView, x: Process) -> bool:
    """The books can't judge this process: no broker log, or one that does not tell its assignment."""
    return not view.witness.broker or not (x.member and view.books.told)


def entitled(view: GroupView, x: Process) -> bool:
    """By the process's own word, unless the broker's log has put its member id out of the group."""
    if not view.witness.broker:
        return x.synced
    if not x.member:
        return view.books.state != EMPTY
    if x.member in view.books.members:
        return view.books.in_force(x.member)
    return x.member not in view.books.gone


def word(view: GroupView) -> str | None:
    """On whose word a partition counts as served in a recorded run; None where broker and client agree."""
    return None if view.witness.broker else CLIENTS_WORD


def verdict(view: GroupView, tp: TopicPartition, owner: MemberId | None, x: Process | None) -> Verdict | None:
    """The label of a partition that no process in the log holds; None where the books can be relied on."""
    if not view.witness.recorded:
        return Verdict(UNKNOWN, NO_LOG, owner, view.causes.now) if owner and x is None else None
    if not view.witness.broker:
        return _from_clients(view, tp)
    if not view.books.spoken:
        return Verdict(UNKNOWN, NOTHING_YET, None, view.causes.now)
    if view.books.state == EMPTY or x is not None:
        return None
    members = view.books.members
    if owner is None and members and all(view.processes.of(m) for m in members):
        return None
    if view.books.state == STABLE and (owner is not None or not view.books.told):
        return Verdict(OK, BROKERS_WORD, owner)
    if view.books.told and owner is None and not view.books.rebalancing:
        return None
    reason = NO_LOG if view.witness.clients else ONLY_THE_BROKER
    return Verdict(UNKNOWN, reason, owner, view.causes.now)


def _from_clients(view: GroupView, tp: TopicPartition) -> Verdict:
    cause = view.causes.now
    for _, x in sorted(view.processes.all.items()):
        if x.alive and not x.fenced and x.synced and not x.released and tp in _promised(view, x):
            return Verdict(GRANT_IN_FLIGHT, CLIENTS_WORD, x.id, cause)
    for _, x in sorted(view.processes.all.items()):
        if x.alive and tp in x.surrendered:
            return Verdict(WITHHELD, CLIENTS_WORD, x.id, cause)
    return Verdict(UNKNOWN, ONLY_CLIENTS, None, cause)


def _promised(view: GroupView, x: Process) -> tuple[TopicPartition, ...]:
    return view.books.assignment.get(x.member, ()) if x.member else ()
