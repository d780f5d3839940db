"""The state of every group, folded again from the stored facts without running anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.analysis.group_state import GroupState
from groupsim.analysis.log_coverage import COORDINATOR
from groupsim.events.base import Recorded, group_of
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.types import GroupId
from groupsim.events.world import GroupDeclared

READS = tuple(sorted(tag for tag, kind in CATALOGUE.items() if kind in COORDINATOR or kind is GroupDeclared))
"""Tags of the facts that change what is replayed; every other one may be left out."""


def replay(facts: Iterable[Recorded], until_ms: int | None = None) -> dict[str, Any]:
    """The state at `until_ms` (facts at that very millisecond included), else at the end.

    `{"groups": {group: {"state", "generation", "leader", "members": {id: {"assigned": [[topic, partition], ...]}}}}}`,
    sorted. `assigned` is what the last stored assignment gives a member. A group that was declared and never created,
    or that only clients speak of, has state `Dead`, as Kafka describes a group it does not know. Of a long run in a
    store, `analysis.snapshots.replay_stored` gives the same without reading all of it.
    """
    books: dict[GroupId, GroupState] = {}
    for fact in facts:
        if until_ms is not None and fact.at_ms > until_ms:
            break
        fold(books, fact)
    return told(books)


def fold(books: dict[GroupId, GroupState], fact: Recorded) -> None:
    """Take one fact into the books of its group."""
    event = fact.event
    if isinstance(event, GroupDeclared):
        books.setdefault(event.group, GroupState())
    elif type(event) in COORDINATOR:
        group = group_of(fact.stream)
        if group is not None:
            books.setdefault(group, GroupState()).apply(event)


def told(books: dict[GroupId, GroupState]) -> dict[str, Any]:
    """All groups in the shape of the command line's contract."""
    return {"groups": {group: described(books[group]) for group in sorted(books)}}


def described(books: GroupState) -> dict[str, Any]:
    """One group's books in the shape of the command line's contract."""
    return {
        "state": books.state if books.has_coordinator_facts else "Dead",
        "generation": books.generation,
        "leader": books.leader,
        "members": {member: {"assigned": [[tp.topic, tp.partition] for tp in given]} for member, given in books.plan()},
    }
