"""Comparisons and sweeps as the pictures need them: parts of runs, lines over a parameter."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from groupsim.analysis.availability.labels import LABELS
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.plots.frames import needs
from groupsim.analysis.plots.palette import Theme, natural, order
from groupsim.analysis.tables.measures import PARTITION_TIMES
from groupsim.wording.names import shown

MOST_PARTS = 9
"""The most parts that get a colour and a hatch of their own; the smaller ones are one part, `OTHERS`."""
OTHERS = "all others"
_SECONDS = "_ms"
_WHAT = {"partition_ms": "unavailable time", "after_start_ms": "unavailable time after the start"}


def breakdown(frame: pd.DataFrame, by: str) -> tuple[list[str], dict[str, list[int]]]:
    """Of `analysis.compare(…)`: the runs, and each part's partition-ms in them. The smallest parts are `OTHERS`."""
    needs(frame, ("measure", "of", "unit"), "a comparison")
    runs = [str(name) for name in frame if name not in ("measure", "of", "unit") and " - " not in str(name)]
    rows = frame[frame["measure"] == f"by {by}"]
    if rows.empty:
        known = sorted(str(m).removeprefix("by ") for m in set(frame["measure"]) if str(m).startswith("by "))
        raise AnalysisError(f"this comparison has no breakdown by {by!r}; it has {', '.join(known) or 'none'}")
    parts = {str(row["of"]): [int(row[name]) for name in runs] for _, row in rows.iterrows()}
    if by == "label":
        return runs, {label: parts[label] for label in order(parts, LABELS)}
    kept = dict(list(parts.items())[:MOST_PARTS])
    rest = list(parts.values())[MOST_PARTS:]
    if rest:
        kept[OTHERS] = [sum(values) for values in zip(*rest, strict=True)]
    return runs, kept


@dataclass(frozen=True)
class Line:
    """One line: medians and percentiles at `at`, and every run."""

    name: str
    at: np.ndarray
    median: np.ndarray
    low: np.ndarray
    high: np.ndarray
    each_at: np.ndarray
    each: np.ndarray


@dataclass(frozen=True)
class SweepLines:
    """A sweep over `x`; `names` of its values where they are no numbers."""

    x: str
    what: str
    unit: str
    names: list[str] | None
    lines: list[Line]


def prepare(frame: pd.DataFrame, x: str | None, measure: str, hue: str | None) -> SweepLines:
    """From a frame with one row per run, or a sweep's summary with its `params`. Raises AnalysisError.

    Without `x` the parameter with the most values is taken.
    """
    wide = _wide(frame, measure)
    x = x if x is not None else _widest(wide, measure, hue)
    needs(wide, (x, measure, *([hue] if hue is not None else [])), "a picture of a sweep")
    wide = wide[wide[measure].notna()]
    if wide.empty:
        raise AnalysisError(f"no run of this sweep has a value of {measure!r}")
    numbers = pd.to_numeric(wide[x], errors="coerce")
    names = None
    if numbers.isna().any():
        names = sorted({str(value) for value in wide[x]}, key=natural)
        numbers = wide[x].map(lambda value: names.index(str(value)))
    scale = 1_000 if measure.endswith(_SECONDS) else 1
    values = wide[measure].astype("float64") / scale
    groups: list[tuple[Hashable, pd.Index]] = [("all runs", wide.index)]
    if hue is not None:
        groups = sorted(wide.groupby(wide[hue].astype(str)).groups.items(), key=lambda g: natural(str(g[0])))
    lines = [_line(str(name), numbers.loc[index], values.loc[index]) for name, index in groups]
    what = measure.removesuffix(_SECONDS).replace("_", " ")
    return SweepLines(shown(x), _WHAT.get(measure, what), _unit(measure) or measure.replace("_", " "), names, lines)


def _unit(measure: str) -> str:
    """Of times; else nothing."""
    if not measure.endswith(_SECONDS):
        return ""
    return "partition-seconds" if measure in PARTITION_TIMES else "seconds"


def _line(name: str, at: pd.Series, values: pd.Series) -> Line:
    by = values.groupby(at.astype("float64"))
    low, median, high = (by.quantile(share) for share in (0.05, 0.5, 0.95))
    place = median.index.to_numpy(dtype=float)
    spread = at.to_numpy(dtype=float)
    return Line(name, place, median.to_numpy(), low.to_numpy(), high.to_numpy(), spread, values.to_numpy())


def _wide(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    needs(frame, (measure,), "a picture of a sweep")
    flat = frame.reset_index(drop=True)
    if "params" not in flat:
        return flat
    taken = pd.DataFrame([dict(p) for p in flat["params"]], index=flat.index)
    return pd.concat([flat.drop(columns=["params", *(c for c in taken if c in flat)]), taken], axis=1)


def _widest(wide: pd.DataFrame, measure: str, hue: str | None) -> str:
    """The parameter with the most values; seeds and measures are none."""
    counts = {
        str(name): wide[name].nunique()
        for name in wide
        if name not in (measure, hue, "seed", "run") and wide[name].map(type).isin((str, int, bool)).all()
    }
    if not counts:
        raise AnalysisError("which parameter? give x=")
    return max(counts, key=lambda name: counts[name])


def line_dashes(number: int) -> str:
    """Lines that follow each other differ in grey, too."""
    return ("-", "--", "-.", ":")[number % 4]


RECORDED = "as recorded"
"""The choice that is the record's own."""
NAMED = 8
"""So many choices that no other beats have their names in a picture."""
Points = tuple[list[float], list[float]]


@dataclass(frozen=True)
class Tradeoff:
    """Choices by two measures, as `(xs, ys)`; `named`: names of those that no other beats, with both."""

    x: str
    y: str
    front: Points
    front_names: list[str]
    beaten: Points
    beaten_names: list[str]
    recorded: Points
    named: list[tuple[str, float, float]]


def points(frame: pd.DataFrame, x: str, y: str) -> Tradeoff:
    """From a frame with a row per choice: `choice`, `front`, and its measures. Raises AnalysisError."""
    needs(frame, ("choice", "front", x, y), "a picture of choices")

    def both(rows: pd.DataFrame) -> Points:
        return tuple(
            [float(value) / (1_000 if name.endswith(_SECONDS) else 1) for value in rows[name]] for name in (x, y)
        )  # type: ignore[return-value]

    own = frame["choice"] == RECORDED
    front = frame[frame["front"].astype(bool) & ~own].sort_values([x, y, "choice"])
    beaten = frame[~frame["front"].astype(bool) & ~own]
    at = both(front)
    names = [str(name) for name in front["choice"]]
    return Tradeoff(
        _axis(x),
        _axis(y),
        at,
        names,
        both(beaten),
        [str(name) for name in beaten["choice"]],
        both(frame[own]),
        list(zip(names, *at, strict=True))[:NAMED],
    )


def _axis(measure: str) -> str:
    unit = _unit(measure)
    return f"{_WHAT.get(measure, measure)}{', ' if unit else ''}{unit}"


def line_colour(number: int, of: Theme) -> str:
    """Strong colours in turn."""
    strong = [
        of.labels[name] for name in ("PAUSED_CALLBACK", "WITHHELD", "RESTORING", "OWNER_STALLED", "GRANT_IN_FLIGHT")
    ]
    return [*strong, of.labels["ZOMBIE_ONLY"], of.labels["UNOWNED"]][number % 7]
