"""Measures of a run: each takes a table of `analysis.tables.frames` and gives a table. Units: ms and partitions.

Columns named here are followed by the timedeltas of their milliseconds (`analysis.tables.frames`).
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.availability.start_up import FirstWorked
from groupsim.analysis.tables.frames import timed

UNAVAILABLE = ["group", "topic", "partition", "label", "cause", "from_ms", "to_ms", "duration_ms"]
TIMELINE = ["group", "topic", "partition", "member", "from_ms", "to_ms", "label"]
_PARTITION = ["group", "topic", "partition"]


def unavailable(availability: pd.DataFrame) -> pd.DataFrame:
    """The intervals known to be unavailable, columns `UNAVAILABLE`. UNKNOWN is not among them.

    Neighbours that differ in sub-label or member only are one row.
    """
    chosen = availability[~availability["available"] & (availability["label"] != Label.UNKNOWN)]
    return timed(_joined(chosen, ["label", "cause"])[UNAVAILABLE])


def timeline(availability: pd.DataFrame) -> pd.DataFrame:
    """Who served or was meant to serve what: columns `TIMELINE`; member is a process id where one is known."""
    return timed(_joined(availability, ["member", "label"])[TIMELINE])


def _joined(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Join a partition's rows that touch and agree in `by`."""
    if rows.empty:
        return rows.reset_index(drop=True)
    same = pd.Series(True, index=rows.index)
    for name in (*_PARTITION, *by):
        codes = pd.Series(pd.factorize(rows[name])[0], index=rows.index)  # what is missing equals what is missing
        same &= codes.eq(codes.shift())
    starts = ~(same & rows["from_ms"].eq(rows["to_ms"].shift()))
    to_ms = rows.loc[starts.shift(-1, fill_value=True), "to_ms"].to_numpy()
    first = rows[starts].reset_index(drop=True).assign(to_ms=to_ms)
    return first.assign(duration_ms=first["to_ms"] - first["from_ms"])


def between(rows: pd.DataFrame, from_ms: int, to_ms: int) -> pd.DataFrame:
    """Intervals cut to [from_ms, to_ms); what lies outside is gone. `duration_ms` follows, if there is one."""
    return _cut(rows, from_ms, to_ms)


def after_start(rows: pd.DataFrame, worked: FirstWorked) -> pd.DataFrame:
    """Unavailable intervals, or pieces of them, without start-up, cut likewise. `worked`: `Run.worked`."""
    never = [group for group, first_ms in worked.items() if first_ms is None]
    kept = rows[~(rows["group"].isin(never) & rows["cause"].eq(START))]
    first = kept["group"].astype("string").map({group: first_ms or 0 for group, first_ms in worked.items()})
    return _cut(kept, first.fillna(0).astype("int64"), None)


def _cut(rows: pd.DataFrame, from_ms: int | pd.Series[int], to_ms: int | None) -> pd.DataFrame:
    cut = rows.assign(from_ms=rows["from_ms"].clip(lower=from_ms), to_ms=rows["to_ms"].clip(upper=to_ms))
    if "from_utc" in cut:
        cut = cut.assign(from_utc=_moved(rows, cut, "from"), to_utc=_moved(rows, cut, "to"))
    cut = cut[cut["from_ms"] < cut["to_ms"]].reset_index(drop=True)
    cut = cut.assign(duration_ms=cut["to_ms"] - cut["from_ms"]) if "duration_ms" in cut else cut
    return timed(cut) if "from_" in cut else cut


def _moved(old: pd.DataFrame, new: pd.DataFrame, end: str) -> pd.Series[Any]:
    """An instant follows its milliseconds."""
    return old[f"{end}_utc"] + pd.to_timedelta(new[f"{end}_ms"] - old[f"{end}_ms"], unit="ms")


def by(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Unavailable time per value of these columns: `partition_ms`, `intervals`, `partitions`, `longest_ms`.

    Largest first; equals in the order of the columns' values.
    """
    keys = list(columns)
    named = rows.assign(_where=rows["topic"].astype("string") + "-" + rows["partition"].astype("string"))
    grouped = named.groupby(keys, dropna=False, observed=True)
    sums = grouped.agg(
        partition_ms=("duration_ms", "sum"),
        intervals=("duration_ms", "size"),
        partitions=("_where", "nunique"),
        longest_ms=("duration_ms", "max"),
    ).reset_index()
    order = sums.sort_values(["partition_ms", *keys], ascending=[False, *[True] * len(keys)])
    return order.reset_index(drop=True)


def with_rebalance(rows: pd.DataFrame, rebalances: pd.DataFrame) -> pd.DataFrame:
    """Each interval with the `generation` and `started_ms` of the last rebalance of its group begun by its end.

    So the time of a dead owner counts with the rebalance that ended it. Missing where no rebalance had begun.
    """
    keys = rebalances[["group", "generation", "started_ms"]].astype({"group": "string"})
    keys = keys.sort_values("started_ms", kind="stable")
    left = rows.astype({"group": "string"}).assign(_row=range(len(rows)), _before=rows["to_ms"])
    left = left.sort_values("_before", kind="stable")
    merged = pd.merge_asof(left, keys, left_on="_before", right_on="started_ms", by="group")
    merged = merged.sort_values("_row").drop(columns=["_row", "_before"]).reset_index(drop=True)
    return merged.assign(started_ms=merged["started_ms"].astype("Int64"), group=merged["group"].astype("category"))


def at_once(rows: pd.DataFrame) -> pd.DataFrame:
    """How many partitions were unavailable from each instant on: `at_ms`, `partitions` (their max is the worst)."""
    starts = pd.DataFrame({"at_ms": rows["from_ms"], "step": 1})
    ends = pd.DataFrame({"at_ms": rows["to_ms"], "step": -1})
    steps = pd.concat([starts, ends]).groupby("at_ms", as_index=False)["step"].sum()
    return pd.DataFrame({"at_ms": steps["at_ms"], "partitions": steps["step"].cumsum()})
