"""From folds to pandas tables. Every table has fixed columns and dtypes, also when it is empty.

dtypes: ids (`group`, `topic`, `member`, `process`, ...) are `category`; labels, causes and texts `string` (missing:
`<NA>`); numbers `int64`, numbers that may be missing `Int64`. All `*_ms` columns are simulated milliseconds since the
run's start (of a recorded run: since its origin).

Beside each `*_ms` column stands the same as `timedelta64[ms]`: `at_ms` and `at`, `from_ms` and `from_`, `to_ms` and
`to`, `duration_ms` and `duration`, `started_ms` and `started`, and so on. Tables of a recorded run have the instants
too, as UTC timestamps (`datetime64[ms, UTC]`): `at_utc`, `from_utc`, `to_utc`, `started_utc`, `ended_utc`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.events import client
from groupsim.events.base import Recorded, group_of

FACTS = {
    "seq": "int64",
    "at_ms": "int64",
    "type": "category",
    "group": "category",
    "process": "category",
    "member": "category",
    "stream": "string",
    "body": "string",
    "source": "string",
}
"""One row a fact. `body`: the fact's fields as JSON; `source`: `file:line` of a recorded one."""

AVAILABILITY = {
    "group": "category",
    "topic": "category",
    "partition": "int64",
    "label": "string",
    "sub_label": "string",
    "member": "category",
    "cause": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
    "available": "bool",
}
"""One row an interval (`analysis.availability.intervals`): each partition's time from start to end, without gaps."""

REBALANCES = {
    "group": "category",
    "generation": "Int64",
    "cause": "string",
    "started_ms": "int64",
    "ended_ms": "Int64",
    "duration_ms": "Int64",
    "members": "Int64",
    "moved": "Int64",
    "revoked": "Int64",
    "rounds": "int64",
    "slowest_member": "category",
}
"""One row a rebalance (columns: see `analysis.timelines.rebalance.Rebalance`); moved, revoked: partitions."""


INSTANTS = ("at_ms", "from_ms", "to_ms", "started_ms", "ended_ms")
DURATIONS = ("duration_ms", "saved_ms", "uptime_ms")


class Table(pd.DataFrame):
    """A DataFrame that groups by what is there: `observed=True`, the default of pandas 3.

    Without it, grouping by two categories would give a row for every pair that could be.
    """

    @property
    def _constructor(self) -> type[Table]:
        return Table

    def groupby(self, *args: Any, **kwargs: Any) -> Any:
        """`DataFrame.groupby` with `observed=True` unless asked otherwise."""
        return super().groupby(*args, **{"observed": True, **kwargs})

    def pivot_table(self, *args: Any, **kwargs: Any) -> Any:
        """`DataFrame.pivot_table` with `observed=True` unless asked otherwise."""
        return super().pivot_table(*args, **{"observed": True, **kwargs})


def table(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Rows as a frame of exactly these columns and dtypes, numbered from 0, and the times beside the milliseconds."""
    kept = list(rows)
    data = {
        name: pd.array([row[name] for row in kept], dtype=dtype)  # type: ignore[call-overload]
        for name, dtype in columns.items()
    }
    return timed(Table(data, columns=list(columns)))


def timed(frame: pd.DataFrame, origin: str | None = None) -> pd.DataFrame:
    """The frame with its `*_ms` columns as timedeltas too, and as UTC instants if `origin` (ISO 8601) is given.

    Columns that are there already are computed anew.
    """
    with_times = frame.copy(deep=False)
    names = [name for name in (*INSTANTS, *DURATIONS) if name in frame]
    for name in names:
        with_times[time_name(name)] = _timedelta(frame[name])
    if origin is not None:
        began = pd.Timestamp(datetime.fromisoformat(origin)).tz_convert("UTC").as_unit("ms")
        for name in names:
            if name in INSTANTS:
                with_times[f"{name.removesuffix('_ms')}_utc"] = began + with_times[time_name(name)]
    return with_times


def time_name(name: str) -> str:
    """What the timedelta of a `*_ms` column is called."""
    return {"from_ms": "from_"}.get(name, name.removesuffix("_ms"))


def _timedelta(ms: pd.Series[Any]) -> pd.Series[Any]:
    values = ms.astype("Int64")
    return pd.Series(values.to_numpy("timedelta64[ms]", na_value=np.timedelta64("NaT", "ms")), index=ms.index)


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


def availability_frame(intervals: Iterable[Interval]) -> pd.DataFrame:
    """Columns `AVAILABILITY`, in the order of the intervals: group, topic, partition, time."""
    return table(({name: getattr(i, name) for name in AVAILABILITY} for i in intervals), AVAILABILITY)


def rebalances_frame(rebalances: Iterable[Rebalance]) -> pd.DataFrame:
    """Columns `REBALANCES`, by group and time."""
    return table(({name: getattr(r, name) for name in REBALANCES} for r in rebalances), REBALANCES)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain Python values (None for what is missing), ready for JSON.

    Timedeltas and timestamps are left out: the milliseconds beside them say the same.
    """
    names = columns(frame)
    values = [frame[name].astype(object).tolist() for name in names]
    return [
        {name: None if pd.isna(value) else value for name, value in zip(names, row, strict=True)}
        for row in zip(*values, strict=True)
    ]


def columns(frame: pd.DataFrame) -> list[str]:
    """The names of a table's columns; those of timedeltas and timestamps are left out."""
    return [str(name) for name, dtype in frame.dtypes.items() if dtype.kind not in "mM"]
