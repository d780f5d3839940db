"""`accounts_of`: the accounts of all groups of a reading, also where an import would refuse it."""

from __future__ import annotations

from collections import defaultdict

from groupsim.incidents.account.group import Account, account_of
from groupsim.incidents.account.life import Said
from groupsim.incidents.account.times import Times
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.clock_check import check_clocks
from groupsim.incidents.facts.clocks import TimedRow, order_rows
from groupsim.incidents.facts.coarse_times import in_order
from groupsim.incidents.facts.impossible_times import without_strays
from groupsim.incidents.facts.logs_in_one_file import taken_apart
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.processes import ProcessLog, split_by_process
from groupsim.incidents.logs.rows import Reading


def accounts_of(reading: Reading, *, session_timeout_ms: int | None = None) -> list[Account]:
    """By group, sorted. Nothing in a reading makes this raise: what is odd is left open."""
    reading, _ = without_strays(reading)
    reading, _ = in_order(taken_apart(reading))
    clocks = check_clocks(reading)
    rows, _ = order_rows(reading, clocks.corrections)
    times = Times(clocks.precision.ms)
    index = Index(rows)
    processes = split_by_process(rows, FactBuilder(), reading.streams)
    return [_account(group, rows, processes, index, times, session_timeout_ms) for group in index.groups()]


def _account(
    group: str,
    rows: list[TimedRow],
    processes: list[ProcessLog],
    index: Index,
    times: Times,
    session_ms: int | None,
) -> Account:
    own = [process for process in processes if process.group == group]
    mine = {id(timed.row) for process in own for _, timed in process.rows}
    places: dict[str, int] = defaultdict(int)
    said = []
    for timed in rows:
        order = places[timed.row.file]
        places[timed.row.file] += 1
        if timed.row.group == group or id(timed.row) in mine:
            said.append(Said(timed.row, times.of(timed), order))
    return account_of(group, own, said, index, times, session_ms)
