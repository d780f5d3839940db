"""Tables as plain values: missing is None, lengths and moments of a simulated run are milliseconds."""

from __future__ import annotations

from typing import Any

import pandas as pd


def ms(times: pd.Series[Any]) -> list[Any]:
    """Timedeltas as milliseconds."""
    return [_plain(value) for value in times.astype(object)]


def total_ms(times: pd.Series[Any]) -> int:
    """The sum of timedeltas."""
    return int(times.sum() / pd.Timedelta(milliseconds=1))


def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Each row as a dict."""
    names = [str(name) for name in frame]
    values = [frame[name].astype(object).tolist() for name in names]
    return [{n: _plain(v) for n, v in zip(names, row, strict=True)} for row in zip(*values, strict=True)]


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    return round(value / pd.Timedelta(milliseconds=1)) if isinstance(value, pd.Timedelta) else value
