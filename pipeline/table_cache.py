"""Tables of runs that a sweep stores beside its facts, so that Spark reads them instead of computing them again.

They are written where a run is simulated and its facts are in memory. They are valid only for the definition that
computed them, which names their folder, and deleting them loses nothing: `pipeline.lake` then computes them again.
"""

from __future__ import annotations

from pathlib import Path

from groupsim.events.types import RunId
from groupsim.pipeline.table_definitions import Table, definition_version

TABLES_FOLDER = "_tables"
"""In a lake. Readers of Parquet folders ignore names that begin with an underscore."""


def file_of(directory: Path, table: Table, run: RunId) -> Path:
    """The file in a lake for this table of a run."""
    return folder_of(directory, table) / f"{run}.parquet"


def folder_of(directory: Path, table: Table) -> Path:
    """The folder in a lake for this table of all runs, as computed by the current definition."""
    return directory / TABLES_FOLDER / definition_version() / table.name


def cached_runs(directory: Path, table: Table) -> set[RunId]:
    """The runs whose table is in the lake."""
    return {file.stem for file in folder_of(directory, table).glob("*.parquet")}
