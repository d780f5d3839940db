"""Rows that name no group, in a log of one client of one group: they are of that group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

from msgspec import structs

from groupsim.incidents.logs.rows import Reading, Row, is_broker


def with_groups(reading: Reading, asked: Set[str]) -> Reading:
    """The reading with its rows without a group in that of their log, where it names one group and at most one client.

    Where no line of any log names a group, they are of the one that was `asked` for.
    """
    every = [*reading.rows, *reading.context, *reading.evidence]
    groups: dict[str, set[str]] = defaultdict(set)
    clients: dict[str, set[str]] = defaultdict(set)
    of_brokers = {row.file for row in every if is_broker(row)}
    for row in every:
        if row.group is not None:
            groups[row.file].add(row.group)
        if row.client is not None:
            clients[row.file].add(row.client)
    only = {file: next(iter(named)) for file, named in groups.items() if len(named) == 1}
    if not groups and len(asked) == 1:
        only = dict.fromkeys((row.file for row in every), next(iter(asked)))
    only = {file: group for file, group in only.items() if len(clients[file]) <= 1 and file not in of_brokers}
    if only:
        reading.rows = _named(reading.rows, only)
        reading.context = _named(reading.context, only)
        reading.evidence = _named(reading.evidence, only)
    return reading


def _named(rows: Sequence[Row], only: dict[str, str]) -> list[Row]:
    return [
        structs.replace(row, group=only[row.file]) if row.group is None and row.file in only else row for row in rows
    ]
