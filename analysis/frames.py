"""From folds to pandas tables. Every table has fixed columns and dtypes, also when it is empty.

dtypes: names and labels are `string` (missing: `<NA>`), numbers `int64`, numbers that may be missing `Int64`. All
`*_ms` columns are simulated milliseconds since the run's start (of a recorded run: since its origin).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import pandas as pd

from analysis.labels import Interval
from analysis.rebalances import Rebalance
from events import client
from events.base import Recorded, group_of

FACTS = {
    "seq": "int64",
    "at_ms": "int64",
    "type": "string",
    "group": "string",
    "process": "string",
    "member": "string",
    "stream": "string",
    "body": "string",
    "source": "string",
}
"""One row a fact. `body`: the fact's fields as JSON; `source`: `file:line` of a recorded one."""

AVAILABILITY = {
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "label": "string",
    "sub_label": "string",
    "member": "string",
    "cause": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
    "available": "bool",
}
"""One row an interval (`analysis.availability`): every partition's time from the start to the end, without gaps."""

REBALANCES = {
    "group": "string",
    "generation": "Int64",
    "cause": "string",
    "started_ms": "int64",
    "ended_ms": "Int64",
    "duration_ms": "Int64",
    "members": "Int64",
    "moved": "Int64",
    "revoked": "Int64",
    "rounds": "int64",
    "slowest_member": "string",
}
"""One row a rebalance (`analysis.rebalances.Rebalance` says what each column means); moved, revoked: partitions."""


def table(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Rows as a frame of exactly these columns and dtypes, numbered from 0."""
    kept = list(rows)
    data = {
        name: pd.array([row[name] for row in kept], dtype=dtype)  # type: ignore[call-overload]
        for name, dtype in columns.items()
    }
    return pd.DataFrame(data, columns=list(columns))


def facts_frame(facts: Iterable[Recorded]) -> pd.DataFrame:
    """Columns `FACTS`, in order of seq."""
    encoder = msgspec.json.Encoder(order="deterministic")
    rows = (
        {
            "seq": fact.seq,
            "at_ms": fact.at_ms,
            "type": type(fact.event).__name__,
            "group": group_of(fact.stream),
            "process": fact.event.process if isinstance(fact.event, client.ClientEvent) else None,
            "member": getattr(fact.event, "member", None) or None,
            "stream": fact.stream,
            "body": encoder.encode(fact.event).decode(),
            "source": fact.source,
        }
        for fact in facts
    )
    return table(rows, FACTS)


def availability_frame(found: Iterable[Interval]) -> pd.DataFrame:
    """Columns `AVAILABILITY`, in the order of the intervals: group, topic, partition, time."""
    return table(({name: getattr(i, name) for name in AVAILABILITY} for i in found), AVAILABILITY)


def rebalances_frame(found: Iterable[Rebalance]) -> pd.DataFrame:
    """Columns `REBALANCES`, by group and time."""
    return table(({name: getattr(r, name) for name in REBALANCES} for r in found), REBALANCES)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain Python values (None for what is missing), ready for JSON."""
    names = [str(name) for name in frame]
    columns = [frame[name].astype(object).tolist() for name in names]
    return [
        {name: None if pd.isna(value) else value for name, value in zip(names, row, strict=True)}
        for row in zip(*columns, strict=True)
    ]


def columns(frame: pd.DataFrame) -> list[str]:
    """The names of a table's columns."""
    return [str(name) for name in frame]
