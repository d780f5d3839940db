"""When the coordinator stored an assignment, where no broker's log says it: between two lines of clients.

The facts have it with the first member that got its part; the leader had sent it before. In between, what an owner
still served may be another one's already, and of a new group nobody had anything before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.doubts.ownership import Ownership, Stored
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.steps_not_logged import NOT_LOGGED, numbered
from groupsim.incidents.facts.support import new_groups
from groupsim.incidents.facts.typed_fields import int_in, pairs, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import ONE_INSTANT_MS
from groupsim.storage.log_gaps import Doubt

_JOINS = (RowKind.JOINING, RowKind.REJOIN_REQUESTED)
_HEARS = (RowKind.SYNCED, RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED, RowKind.LOST)


def given_to_others(clients: Sequence[ClientFacts], owned: Ownership) -> Iterator[Doubt]:
    """What an owner revokes as soon as it has its part of an assignment that no log shows: since that was stored.

    By the cooperative protocol; others have it only in the next generation, but it is the owner's no longer.
    """
    for client in clients:
        synced: int | None = None
        for _, (at, row) in client.process.rows:
            if row.kind == RowKind.SYNCED:
                synced = int_in(row.detail.get("generation"))
            elif row.kind != RowKind.REVOKED:
                synced = synced if row.kind == RowKind.REJOIN_REQUESTED else None
            elif (
                found := owned.stored_in.get((client.process.group, synced or 0))
            ) is not None and found.moved is None:
                which = pairs(partitions_in(row.detail.get("partitions")))
                if which and found.at < at:
                    why = f"{client.process.name} had these until {iso(at)}, but perhaps not since {iso(found.at)}"
                    yield Doubt(client.process.group, found.at, at, which, why, inexact=True)


def not_heard(clients: Sequence[ClientFacts], owned: Ownership) -> Iterator[Doubt]:
    """What a member held while it did not get its part of an assignment that no log shows: since that was stored.

    The next rebalance was quicker than its request. It served on, but its partitions may have been another one's.
    """
    for client in clients:
        group, name = client.process.group, client.process.name
        generation: int | None = None
        missed: Stored | None = None
        for _, (at, row) in client.process.rows:
            if row.kind == RowKind.JOINED:
                generation = int_in(row.detail.get("generation"))
                found = owned.stored_in.get((group, generation or 0))
                if missed is None and found is not None and found.moved is None:
                    missed = found
            elif row.kind in _HEARS and missed is not None:
                held = owned.held(group, name, missed.at, missed.at)
                if held and missed.at < at and (row.kind == RowKind.LOST or generation != missed.generation):
                    why = (
                        f"{name} had these until {iso(at)}, but did not get its part of generation {missed.generation},"
                        f" which was stored at {iso(missed.at)}"
                    )
                    yield Doubt(group, missed.at, at, pairs(held), why, inexact=True)
                missed = None


def perhaps_stored(
    rows: Sequence[TimedRow], index: Index, owned: Ownership, known: AbstractSet[str]
) -> Iterator[Doubt]:
    """What an assignment takes from its owners that its leader sent and nobody got; not of groups in `known`.

    The next rebalance began before the answers, or before the coordinator had stored it.
    """
    for group in sorted(index.client_groups - known):
        stored = owned.stored[group]
        for generation, plan in index.plans(group):
            later = bisect_left(stored, plan.at, key=lambda each: each.at)
            if later < len(stored) and stored[later].generation == generation:
                continue
            ended = stored[later].at if later < len(stored) else rows[-1].at
            why = f"generation {generation} was assigned at {iso(plan.at)}, and no log shows whether that was stored"
            for tp, given_up in owned.taken(group, plan.plan, plan.at):
                until = ended if given_up is None else min(given_up, ended)
                if plan.at < until:
                    yield Doubt(group, plan.at, until, pairs((tp,)), why, inexact=True)


def stored_between(
    rows: Sequence[TimedRow], index: Index, owned: Ownership, known: AbstractSet[str]
) -> Iterator[Doubt]:
    """The time from what the leader sent, or else the first join, to the first answer; of groups in `known`: if the
    broker's line on it is lost.

    A new group is created, and empty, while its first member asks for an id, before it joins with that.
    """
    new = frozenset(new_groups(rows))
    lost = {numbered(row) for _, row in rows if NOT_LOGGED in row.detail and row.kind == RowKind.ASSIGNMENT_RECEIVED}
    for group in sorted(owned.stored):
        plans = index.plans(group)
        for nth, (at, generation, moved) in enumerate(owned.stored[group]):
            if group in known and (group, generation) not in lost:
                continue
            plan = index.plan(group, generation, at)
            sent = index.first_join(group, generation, at) if plan is None else plan.at
            first = nth == 0 and group in new
            if first and sent is not None and plans:  # one before it may have been stored, too, and nobody got it
                sent = min(sent, plans[0][1].at)
            if sent is not None and sent < at and (first or moved is None or moved):
                which = None if first or moved is None else pairs(moved)
                why = f"an assignment was stored between {iso(sent)} and {iso(at)}; when is in the broker's log"
                yield Doubt(group, sent, at, which, why, inexact=True)
    for group, asked, joins in _created(rows, new - known):
        why = f"the group was created between {iso(asked)} and {iso(joins)}; when is in the broker's log"
        yield Doubt(group, asked, joins, None, why, inexact=True)


def _created(rows: Sequence[TimedRow], groups: AbstractSet[str]) -> Iterator[tuple[str, int, int]]:
    """From a group's first request to join to the begin of its first rebalance, for which the second one asks.

    A static member asks once, and joins with that.
    """
    asked: dict[str, tuple[int, str, str | None]] = {}
    left = set(groups)
    for at, row in rows:
        if row.group not in left:
            continue
        if row.kind == RowKind.JOINED:
            left.discard(row.group)
        elif row.kind in _JOINS:
            begun, *first = asked.setdefault(row.group, (at, row.file, row.client))
            if begun < at and [row.file, row.client] == first:
                left.discard(row.group)
                yield row.group, begun, at + ONE_INSTANT_MS
