"""Reading a run: availability, rebalances and summaries, as pure folds and as pandas tables (loaded when asked for).

- `runs`: one run of a store with all its tables; each projection is computed once
- `availability/`: which partition was available when, and why not
- `timelines/`: rebalances with their phases, a group's condition, and what each process does, over time
- `blame/`: what unavailable time waited for, and the critical path of each rebalance
- `tables/`: the tables of a run, their columns and units; comparisons of runs and sweeps
- `report/`: the HTML report; `plots/`: pictures
- `what_ifs`, `advices`: what-ifs that were run on a run, and advice that was given on it, kept with it
- `group_state`: a group as its coordinator knows it; `classic_group_state`, `consumer_group_state`: by each protocol;
  `process_state`: a process by its own facts
- `epoch_causes`: why a consumer group's epoch grew, and the member behind it
- `partition_sets`: partitions that change alike, kept together
- `log_coverage`: which facts a log contains at all; `replay`, `snapshots`: the state at an instant
- `incomplete_runs`: what is said of a run that did not run to its end
- `periods`: parts of a run, as a caller names them; `errors`: what can be wrong with a request
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from groupsim.analysis.runs import Run
    from groupsim.storage.store import EventStore


def load(store: str | Path | EventStore, run: str = "latest") -> Run:
    """A run of a store (path, SQLAlchemy URL or EventStore), by id, unique prefix or `latest`.

    Raises UnknownRun if there is none. pandas is imported when a table is asked for.
    """
    from groupsim.analysis import runs

    return runs.open_run(store, run)


def compare(*runs: Run, **named: Run) -> pd.DataFrame:
    """Runs side by side with their differences: `compare(a=run1, b=run2)`. See `analysis.tables.comparison.compare`."""
    from groupsim.analysis.tables import comparison

    return comparison.compare(*runs, **named)


def sensitivity(
    sweep: pd.DataFrame | str | Path,
    parameters: Sequence[str] | None = None,
    measure: str = "partition_ms",
    seed: str = "seed",
) -> pd.DataFrame:
    """Which parameter of a sweep matters, and which way. See `analysis.tables.sensitivity.sensitivity`."""
    from groupsim.analysis.tables import sensitivity

    return sensitivity.sensitivity(sweep, parameters, measure, seed)


def __getattr__(name: str) -> object:
    """`open` is the old name of `load`."""
    if name == "open":
        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
