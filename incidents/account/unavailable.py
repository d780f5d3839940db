"""How many partitions of a group were unavailable when, at least and at most: the account as counts over time.

The lower count leaves out the time before a line names a partition, and before it is possibly available for the first
time: it may not have existed, and nobody may have wanted it. The upper count adds callbacks, and the time until an
application knew where to start reading, as far as lines show them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from groupsim.events.types import TopicPartition
from groupsim.incidents.account.evidence import shows_callback_over
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.incarnation import Incarnation, Said
from groupsim.incidents.account.spans import INF, Span, Spans, both, union, without
from groupsim.incidents.account.times import Tolerance
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.storage.log_gaps import Counts

_GIVES_UP = frozenset([RowKind.REVOKED, RowKind.LOST])
_CALLBACKS = _GIVES_UP | {RowKind.ASSIGNED}
_OFFSETS = frozenset([RowKind.CLIENT_POSITION, RowKind.CLIENT_NO_OFFSET])


class Unavailable(NamedTuple):
    """Of one group, by UTC milliseconds. `most`: None where there may be partitions that no line names."""

    least: Counts
    most: Counts | None


def unavailable(
    account: Account,
    within: Span,
    *,
    partitions: int = 0,
    are_all: bool = False,
    stands_for: Mapping[TopicPartition, int] | None = None,
    broker_ends: int = INF,
) -> Unavailable:
    """In a span of time (UTC ms).

    `partitions`: so many there are at least, and `are_all`: there are no more; else there are no more if the account is
    whole. `stands_for`: for how many partitions one of the account stands, if for several. `broker_ends`: when the
    broker's logs end; whether a process is still a member afterwards, only a later line of its own shows.
    """
    stands_for = stands_for or {}
    moved = {own.name: account.moved_after(own) for own in account.incarnations}
    paused_in = {own.name: union(paused(own), [(moved[own.name], INF)]) for own in account.incarnations}
    if account.broker:
        for own in account.incarnations:
            paused_in[own.name] = union(paused_in[own.name], [(max(broker_ends, own.last.lo), INF)])
    least: list[tuple[int, Spans]] = []
    most: list[tuple[int, Spans]] = []
    for partition in account.named:
        many = stands_for.get(partition, 1)
        given = (
            both([(at, INF)], account.entitled[name].possibly(partition)) for name, at in moved.items() if at < INF
        )
        possibly = union(account.possibly_available(partition), *given)
        if possibly:
            since = max(possibly[0][0], account.first_named.get(partition, INF))
            least.append((many, without([(since, INF)], possibly)))
        most.append((many, without([within], surely_served(account, partition, paused_in))))
    if not (are_all or account.whole):
        return Unavailable(counts(least, within), None)
    unnamed = partitions - sum(many for many, _ in most)
    return Unavailable(counts(least, within), counts([*most, (max(0, unnamed), [within])], within))


def counts(counted: Iterable[tuple[int, Spans]], within: Span) -> Counts:
    """How many when, of so many in spans each."""
    steps: defaultdict[int, int] = defaultdict(int)
    for many, spans in counted:
        for since, until in both(spans, [within]):
            steps[since] += many
            steps[until] -= many
    found: list[tuple[int, int]] = []
    for at, step in sorted(steps.items()):
        if step:
            found.append((at, step + (found[-1][1] if found else 0)))
    return found


def surely_served(account: Account, partition: TopicPartition, paused_in: Mapping[str, Spans]) -> Spans:
    """When a process surely runs, holds the partition, is entitled to it, and is in no callback that lines show."""
    return union(
        *(without(served, paused_in[own.name]) for own, served in account.surely_by_process(partition) if served)
    )


def paused(own: Incarnation) -> Spans:
    """When a process was, or may have been, in a callback, or did not know yet where to start.

    A callback that gives partitions up ends before the next line that shows it over, one that takes them before the
    first line on an offset; without any such line it counts as over at once. A member that has its part says at once
    what it takes and gives up; until it does, a callback may have run of which the line is missing. One that is fenced
    may have been frozen since its line before it woke: brokers may have shorter sessions than by default.
    """
    found: list[Span] = []
    joined: Said | None = None
    callback: Said | None = None
    says_positions = any(said.row.kind == RowKind.CLIENT_POSITION for said in own.said)
    for said in own.said:
        kind = said.row.kind
        if said.row.detail.get("to") == "FENCED":
            found.append((own.said[max(0, own.line_before(said.when.lo - Tolerance.SAYS_SO))].when.lo, said.when.hi))
        if kind in (RowKind.JOINED, RowKind.SYNCED):
            joined = said
        elif joined is not None and shows_callback_over(said.row, joined.row):
            found.append((joined.when.lo, said.when.hi))
            joined = None
        if callback is not None:
            found_offset = callback.row.kind == RowKind.ASSIGNED and kind in _OFFSETS
            if found_offset or shows_callback_over(said.row, callback.row):
                found += _as_long(callback, said.when.hi, at_once=not (found_offset or says_positions))
                callback = None
        if callback is None and kind in _CALLBACKS:
            callback = said
    if callback is not None:
        found += _as_long(callback, INF, at_once=not says_positions)
    return union(found)


def _as_long(callback: Said, until: int, *, at_once: bool) -> list[Span]:
    """From its line on; `at_once`: one that takes partitions counts as over at once."""
    takes = callback.row.kind == RowKind.ASSIGNED
    nothing = takes and not callback.row.detail.get("partitions")
    return [] if takes and (at_once or nothing) else [(callback.when.lo, until)]
