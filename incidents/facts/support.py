"""Whether logs support a figure: rows need times, and something about rebalances must have been recognised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow, steps_back
from groupsim.incidents.facts.doubts.missing_logs import unnamed_partitions
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Reading, Row, is_broker
from groupsim.wording.numbers import counted

_TIMELESS = 0.2
"""A log is refused if more than this share of its rows about groups have no time."""
_FEWEST = 3
_REBALANCE = frozenset(
    [
        RowKind.REBALANCE_START,
        RowKind.STABILIZED,
        RowKind.ASSIGNMENT_RECEIVED,
        RowKind.MEMBER_FAILED,
        RowKind.MEMBER_LEFT,
        RowKind.MEMBER_ID_CREATED,
        RowKind.GROUP_EMPTY,
        RowKind.STATIC_MEMBER_REPLACED,
        RowKind.JOINING,
        RowKind.JOINED,
        RowKind.SYNCED,
        RowKind.ASSIGNED,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.LEAVE_SENT,
        RowKind.POLL_TIMEOUT,
        RowKind.SESSION_EXPIRED,
        RowKind.WORKER_ASSIGNED,
        RowKind.STATE_CHANGE,
        RowKind.MEMBER_JOINED,
        RowKind.GROUP_EPOCH_BUMPED,
        RowKind.TARGET_ASSIGNMENT,
        RowKind.MEMBER_STATE,
    ]
)
"""Kinds of rows that say something about members and assignments."""


def require_times(reading: Reading) -> None:
    """Raise LogError for a log whose rows have no times, if others have: a figure without its rows would be false."""
    by_program: dict[tuple[str, bool], list[Row]] = defaultdict(list)
    for row in reading.rows:
        by_program[row.file, is_broker(row)].append(row)
    timeless = {key: sum(row.at is None for row in rows) for key, rows in by_program.items()}
    if all(timeless[key] == len(rows) for key, rows in by_program.items()):
        return
    for (file, broker), rows in by_program.items():
        count = timeless[file, broker]
        if len(rows) >= _FEWEST and count > max(1, _TIMELESS * len(rows)):
            raise LogError(
                f"{file}: {count} of the {len(rows)} rows that {'the broker' if broker else 'a client'} wrote about"
                " groups have no time, so the total would be wrong; export this log with its times, give their day with"
                " --date, or leave it out"
            )


def new_groups(rows: Sequence[TimedRow]) -> list[str]:
    """The groups whose first generation is in the logs, sorted: nothing came before it."""
    first: dict[str, int] = {}
    for _, row in rows:
        known = [int_in(row.detail.get(name)) for name in ("old_generation", "generation", "epoch")]
        numbers = [number for number in known if number is not None]
        # a member that joins has epoch 0 in any group, one that leaves a negative one
        joins = row.kind in (RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT) and max(numbers, default=0) <= 0
        if row.group is not None and numbers and not joins:
            bumped = row.kind == RowKind.GROUP_EPOCH_BUMPED  # to 2 by a new group's first member
            first.setdefault(row.group, min(numbers) - bumped)
    return sorted(group for group, number in first.items() if number <= 1)


def times_in_doubt(reading: Reading) -> list[str]:
    """Why the times of these rows, or their order, are not known: then no total has a bound; empty if they are."""
    return [*reading.uncertain, *_timeless(reading), *steps_back(reading)]


def _timeless(reading: Reading) -> list[str]:
    """That a log has lost the time of one line: its first may be cut, or a line was typed off."""
    bare: dict[str, list[Row]] = defaultdict(list)
    timed: set[str] = set()
    for row in reading.rows:
        if row.at is None:
            bare[row.file].append(row)
        else:
            timed.add(row.file)
    return [
        f"{file}: line {rows[0].line} is about a group and has no time, so it is left out"
        for file, rows in bare.items()
        if len(rows) == 1 and file in timed
    ]


def unsupported(
    reading: Reading,
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    topics: AbstractSet[str],
) -> list[str]:
    """Why no total can be taken from these rows, as sentences; none if one can. `topics`: of known partition counts.

    Of members in `__consumer_offsets` its commits give bounds to the time when they died.
    """
    why = times_in_doubt(reading)
    from_topic = {member for history in reading.topic.values() for member in history.ledger.memberships}
    removed = sum(timed.row.kind == RowKind.MEMBER_FAILED and timed.row.member not in from_topic for timed in rows)
    if removed and all(is_broker(timed.row) for timed in rows):
        topic = any(timed.row.program is Program.OFFSETS_TOPIC for timed in rows)
        why.append(
            f"{'no client logs' if topic else 'only broker logs'} were given, and in"
            f" {'those of brokers' if topic else 'them'} {counted(removed, 'session')} of members timed out: when these"
            " members died is in the clients' logs"
        )
    if reading.counts.unrecognised and not any(timed.row.kind in _REBALANCE for timed in rows):
        why.append(
            f"{counted(reading.counts.unrecognised, 'line')} about groups could not be recognised, and no recognised"
            " line is about members or assignments; `--unrecognised` lists them"
        )
    return [*why, *unnamed_partitions(rows, clients, index, reading.topic, topics)]
