"""From rows to pandas tables. Every table has fixed columns and dtypes, also when it is empty.

A table has one form of time. Its moments (`time`, `start`, `end`) are `timedelta64[ms]` since the start of a simulated
run, and `datetime64[ms, UTC]` of a recorded one; lengths (`duration`, …) are `timedelta64[ms]`. Ids, labels and texts
are `string` (missing: `<NA>`), numbers `int64`, numbers that may be missing `Int64`. No column has the name of an
attribute of a DataFrame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from groupsim.analysis.tables.columns import (
    AVAILABILITY,
    BLAME,
    CRITICAL_PATHS,
    FACTS,
    REBALANCES,
    TIMELINE,
    UNAVAILABLE,
    value_of,
)
from groupsim.analysis.tables.commits import COMMITS, LAG
from groupsim.analysis.tables.lag import BEHIND
from groupsim.analysis.tables.members import CALLBACKS, MEMBERS
from groupsim.analysis.tables.ownership import OWNERSHIP

TABLES: Mapping[str, Mapping[str, str]] = {
    "unavailable": UNAVAILABLE,
    "blame": BLAME,
    "availability": AVAILABILITY,
    "timeline": TIMELINE,
    "ownership": OWNERSHIP,
    "rebalances": REBALANCES,
    "critical_paths": CRITICAL_PATHS,
    "members": MEMBERS,
    "callbacks": CALLBACKS,
    "commits": COMMITS,
    "lag": LAG,
    "behind": BEHIND,
    "facts": FACTS,
}
"""Every table of a run: by the name of its method the columns of its rows."""

MOMENT = "moment"
LENGTH = "timedelta64[ms]"
_MOMENTS = {"at_ms": "time", "from_ms": "start", "started_ms": "start", "to_ms": "end", "ended_ms": "end"}
_NAMES = {**_MOMENTS, "rebalance": "generation", "round": "number", "end": "end_offset", "end_is": "end_offset_is"}
_MISSING = np.iinfo(np.int64).min
"""What numpy takes for NaT."""


def columns_of(rows: Mapping[str, str]) -> dict[str, str]:
    """The columns of the DataFrame by its rows' columns, with dtypes; `MOMENT` for a moment."""
    return {named(name): MOMENT if name in _MOMENTS else _length(name) or dtype for name, dtype in rows.items()}


def named(column: str) -> str:
    """What a column of rows is called in a DataFrame."""
    return _NAMES.get(column, column.removesuffix("_ms"))


def _length(column: str) -> str | None:
    return LENGTH if column.endswith("_ms") else None


def table(rows: Iterable[Any], columns: Mapping[str, str], origin: str | None = None) -> pd.DataFrame:
    """Rows (objects or dicts) as a frame of exactly `columns_of(columns)`, numbered from 0.

    `origin`: the instant of the start of a recorded run, ISO 8601.
    """
    kept = list(rows)
    began = None if origin is None else pd.Timestamp(datetime.fromisoformat(origin)).tz_convert("UTC").as_unit("ms")
    data: dict[str, Any] = {}
    for name, dtype in columns.items():
        values = [value_of(row, name) for row in kept]
        if name.endswith("_ms"):
            times: Any = pd.Series(_timedeltas(values))
            data[named(name)] = times if began is None or name not in _MOMENTS else began + times
        else:
            data[named(name)] = pd.array(values, dtype=dtype)  # type: ignore[call-overload]
    return pd.DataFrame(data, index=pd.RangeIndex(len(kept)))


def typed(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Rows as a frame of exactly these columns and dtypes, with their own names: measures of several runs."""
    kept = list(rows)
    data: Any = {n: pd.array([row[n] for row in kept], dtype=dtype) for n, dtype in columns.items()}  # type: ignore[call-overload]
    return pd.DataFrame(data, index=pd.RangeIndex(len(kept)))


def _timedeltas(ms: list[int | None]) -> np.ndarray:
    return np.array([_MISSING if each is None else each for each in ms], dtype=np.int64).view(LENGTH)
