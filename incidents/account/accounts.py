"""`accounts_of`: the accounts of all groups of a reading, also where an import would refuse it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import structs

from groupsim.incidents.account.group import Account, account_of
from groupsim.incidents.account.incarnation import Said
from groupsim.incidents.account.times import NO_TIME, Times
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.clock_check import ClockCheck, check_clocks
from groupsim.incidents.facts.clocks import TimedRow, order_rows, rows_by_file
from groupsim.incidents.facts.coarse_times import in_order
from groupsim.incidents.facts.group_kinds import GroupKinds
from groupsim.incidents.facts.impossible_times import without_strays
from groupsim.incidents.facts.logs_in_one_file import taken_apart
from groupsim.incidents.facts.processes import ProcessLog, split_by_process
from groupsim.incidents.logs.rows import Reading

NOT_NAMED = "(not named)"
"""The group of lines of which none names one."""


def accounts_of(reading: Reading, *, session_timeout_ms: int | None = None) -> list[Account]:
    """By group, sorted; one of NOT_NAMED where no line names a group. Nothing in a reading makes this raise.

    `session_timeout_ms`: the session's length, if the user gives it. Files in which no line has a time count, too: of
    their lines only the order is known.
    """
    reading, _ = without_strays(_named(reading))
    reading, _ = in_order(taken_apart(reading))
    return accounts_in_order(reading, check_clocks(reading), session_timeout_ms)


def accounts_in_order(reading: Reading, clocks: ClockCheck, session_timeout_ms: int | None = None) -> list[Account]:
    """The same of a reading whose lines are in order, each in the log that wrote it, and whose clocks are known."""
    timed, _ = order_rows(reading, clocks.corrections)
    untimed = {file: rows for file, rows in rows_by_file(reading).items() if all(row.at is None for row in rows)}
    rows = [*(TimedRow(NO_TIME, row) for of_file in untimed.values() for row in of_file), *timed]
    times = Times(clocks.precision.ms, untimed.keys())
    kinds = GroupKinds(timed.row for timed in rows)
    processes = split_by_process(rows, FactBuilder(), reading.streams)
    logs: dict[str, list[ProcessLog]] = defaultdict(list)
    for process in processes:
        logs[process.group].append(process)
    said = _by_group(rows, processes, times)
    return [
        account_of(group, logs[group], said[group], kinds, times.off_ms, session_timeout_ms) for group in kinds.groups()
    ]


def _named(reading: Reading) -> Reading:
    """The reading with a group for its lines, if none of them names one."""
    if any(row.group is not None for rows in (reading.rows, reading.context) for row in rows):
        return reading
    rows, context = (
        [structs.replace(row, group=NOT_NAMED) for row in each] for each in (reading.rows, reading.context)
    )
    return structs.replace(reading, rows=rows, context=context)


def _by_group(rows: Sequence[TimedRow], processes: Sequence[ProcessLog], times: Times) -> dict[str, list[Said]]:
    """The lines that name each group, and those of its processes that name none, in order."""
    of_process = {
        id(timed.row): process.group
        for process in processes
        for _, timed in process.rows
        if timed.row.group != process.group
    }
    places: dict[str, int] = defaultdict(int)
    found: dict[str, list[Said]] = defaultdict(list)
    for timed in rows:
        order = places[timed.row.file]
        places[timed.row.file] += 1
        said = Said(timed.row, times.of(timed), order)
        for group in (timed.row.group, of_process.get(id(timed.row))):
            if group is not None:
                found[group].append(said)
    return found
