"""Reading a run: availability, rebalances and summaries, as pure folds and as pandas tables (loaded when asked for)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from analysis.runs import Run
    from storage.store import EventStore


def open(store: str | Path | EventStore, run: str = "latest") -> Run:
    """A run of a store (path, SQLAlchemy URL or EventStore), by id, unique prefix or `latest`.

    Raises UnknownRun if there is none. pandas is imported here and not before.
    """
    from analysis import runs

    return runs.open_run(store, run)


def compare(*runs: Run, **named: Run) -> pd.DataFrame:
    """Runs side by side with their differences: `compare(a=run1, b=run2)`. See `analysis.comparison.compare`."""
    from analysis import comparison

    return comparison.compare(*runs, **named)


def sensitivity(
    sweep: pd.DataFrame | str | Path,
    parameters: Sequence[str] | None = None,
    measure: str = "partition_ms",
    seed: str = "seed",
) -> pd.DataFrame:
    """Which parameter of a sweep matters, and which way. See `analysis.sensitivities.sensitivity`."""
    from analysis import sensitivities

    return sensitivities.sensitivity(sweep, parameters, measure, seed)
