"""Reading a run: availability, rebalances and summaries, as pure folds and as pandas tables (loaded when asked for)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.runs import Run
    from storage.store import EventStore


def open(store: str | Path | EventStore, run: str = "latest") -> Run:
    """A run of a store (path, SQLAlchemy URL or EventStore), by id, unique prefix or `latest`.

    Raises UnknownRun if there is none. pandas is imported here and not before.
    """
    from analysis import runs

    return runs.open_run(store, run)
