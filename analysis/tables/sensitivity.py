"""Which parameter of a sweep matters: the effect of each of its values on the unavailable time, in pure pandas.

Runs that differ in one parameter only (same seed, same other parameters) are compared with each other, so that what the
other parameters and the seeds do falls out: the same luck for every value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from groupsim.analysis.errors import AnalysisError

SUMMARY_FOLDER = "summary"
SENSITIVITY = {
    "parameter": "string",
    "value": "string",
    "runs": "int64",
    "mean": "float64",
    "effect": "float64",
    "low": "float64",
    "high": "float64",
    "swing": "float64",
    "explains": "float64",
}
"""One row a parameter and value: parameters by their swing, largest first, their values by effect, best first.

`mean`: of the measure over all runs with the value (in the measure's unit). `effect`: how much more (positive) or less
than the parameter's values have on average, everything else equal; `low`, `high`: its 95 % interval, missing where one
comparison is all there is. `swing`: the largest effect of the parameter less its smallest. `explains`: the share of the
measure's whole variance that goes with the parameter alone (eta squared), 0 to 1; the rest are seeds and interactions.
"""


def sensitivity(
    sweep: pd.DataFrame | str | Path,
    parameters: Sequence[str] | None = None,
    measure: str = "partition_ms",
    seed: str = "seed",
) -> pd.DataFrame:
    """Columns `SENSITIVITY` of a sweep: the folder that `groupsim sweep` wrote, or any frame with one row a run.

    The frame has parameter columns, a seed, and the measure (less is better). A column `params` of dicts, as a sweep's
    summary has it, is taken apart. `parameters`: which columns; without it those of `params`, or all but the seed and
    the measure. Runs without the measure (failed ones) are left out, and so is a comparison in which not every value of
    the parameter has a run. Raises AnalysisError for a folder without a sweep, a column that is missing, or if nothing
    varies.
    """
    if not isinstance(sweep, pd.DataFrame):
        sweep = _read(Path(sweep))
    wide, names = _parameters(sweep, parameters, measure, seed)
    wide = wide[wide[measure].notna()]
    varied = [name for name in names if wide[name].nunique() > 1]
    if not varied:
        raise AnalysisError("no parameter of this sweep has two values: there is nothing to compare")
    keys = varied + ([seed] if seed in wide else [])
    rows = [row for name in varied for row in _effects(wide, name, [k for k in keys if k != name], measure)]
    frame = pd.DataFrame(rows, columns=list(SENSITIVITY)).astype(SENSITIVITY)
    order = frame.sort_values(["swing", "parameter", "effect", "value"], ascending=[False, True, True, True])
    return order.reset_index(drop=True)


def _read(folder: Path) -> pd.DataFrame:
    """The summary rows of a sweep."""
    if not list((folder / SUMMARY_FOLDER).glob("*.parquet")):
        raise AnalysisError(f"{folder} holds no sweep: it has no {SUMMARY_FOLDER}/*.parquet")
    return pd.read_parquet(folder / SUMMARY_FOLDER)


def _parameters(
    sweep: pd.DataFrame, parameters: Sequence[str] | None, measure: str, seed: str
) -> tuple[pd.DataFrame, list[str]]:
    wide = sweep.reset_index(drop=True)
    names = list(parameters) if parameters is not None else None
    if "params" in wide and names is None:
        taken = pd.DataFrame([dict(p) for p in wide["params"]], index=wide.index)
        names = sorted(str(name) for name in taken)
        kept = [name for name in (seed, measure) if name in wide]
        wide = pd.concat([wide[kept], taken], axis=1)
    if names is None:
        names = [str(name) for name in wide if name not in (seed, measure)]
    for name in (*names, measure):
        if name not in wide:
            raise AnalysisError(f"the sweep has no column {name!r}; it has {', '.join(map(str, wide))}")
    return wide.astype(dict.fromkeys(names, "string")), names


def _effects(wide: pd.DataFrame, name: str, others: list[str], measure: str) -> list[dict[str, Any]]:
    """One row a value of one parameter."""
    means = wide.groupby(name)[measure].mean()
    index = [wide[key] for key in others] or [pd.Series(0, index=wide.index)]
    cells = wide.groupby([*index, wide[name]], dropna=False)[measure].mean().unstack(name).astype("float64")
    blocks = cells.dropna()
    differences = blocks.sub(blocks.mean(axis=1), axis=0)
    effects = differences.mean()
    n = len(blocks)
    margin = 1.96 * differences.std() / math.sqrt(n) if n > 1 else effects * float("nan")
    runs = wide.groupby(name)[measure].size()
    whole = ((wide[measure] - wide[measure].mean()) ** 2).sum()
    between = (runs * (means - wide[measure].mean()) ** 2).sum()
    return [
        {
            "parameter": name,
            "value": value,
            "runs": runs[value],
            "mean": means[value],
            "effect": effects.get(value, float("nan")),
            "low": effects.get(value, float("nan")) - margin.get(value, float("nan")),
            "high": effects.get(value, float("nan")) + margin.get(value, float("nan")),
            "swing": effects.max() - effects.min(),
            "explains": between / whole if whole else 0.0,
        }
        for value in means.index
    ]
