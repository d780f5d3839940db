"""One point of a sweep, simulated on an executor: facts go to a Parquet file, and a summary row commits the point.

Tables and facts get their names when they are complete, and the summary row after them. A point that is killed before
has no summary row; it is simulated again and writes the same files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.tables.measures import AFTER_START, measured
from groupsim.analysis.tables.summary import summarise
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.errors import GroupsimError
from groupsim.events.types import RunId
from groupsim.pipeline.export import PARQUET, RUN_KEY, row_group
from groupsim.pipeline.export_head import head
from groupsim.pipeline.grid import Point, Subject, load
from groupsim.pipeline.is_export import FILE
from groupsim.pipeline.schemas import LAKE, SUMMARY_ARROW
from groupsim.pipeline.source import FACTS_FOLDER, SUMMARY_FOLDER, UNFINISHED_FOLDER
from groupsim.pipeline.table_cache import file_of
from groupsim.pipeline.table_definitions import Table, tables_of_run
from groupsim.storage.codec import Row, recorded
from groupsim.storage.run_info import checked
from groupsim.storage.store import RunInfo, RunStatus
from groupsim.storage.writer import BatchWriter

if TYPE_CHECKING:
    from groupsim.simulation.run import RunResult, Scenario

_ROW_GROUP = 20_000
_STATE_CHANGING = frozenset(STATE_CHANGING)


class FactsFile(BatchWriter):
    """RunWriter into one Parquet file (pipeline.schemas.LAKE). `state_changing` are the facts that a summary needs.

    At most `_ROW_GROUP` rows wait in memory; heartbeats and messages are only in the file.
    """

    def __init__(self, info: RunInfo, unfinished: Path) -> None:
        super().__init__(info)
        self.state_changing: list[Recorded] = []
        self._waiting_rows: list[Row] = []
        self._out = pq.ParquetWriter(unfinished, LAKE, **PARQUET)

    def _store(self, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        self._waiting_rows += rows
        if len(self._waiting_rows) >= _ROW_GROUP or info.status != RunStatus.RUNNING:
            self._write()
        if info.status != RunStatus.RUNNING:
            self._out.add_key_value_metadata({RUN_KEY: head(info, info.digest)})

    def _stored(self) -> int:
        return self.info.facts

    def _write(self) -> None:
        rows, self._waiting_rows = self._waiting_rows, []
        if rows:
            kept = (row for row in rows if row[4] in _STATE_CHANGING)
            self.state_changing.extend(map(recorded, repeat(self.info.id), kept))
            self._out.write_batch(row_group(rows))

    def close(self) -> None:
        """Complete the file."""
        self._out.close()


class _OneRun:
    """The part of an EventStore that a run needs: `begin`, with the id of the point."""

    def __init__(self, point: Point, unfinished: Path) -> None:
        self._point, self._unfinished = point, unfinished
        self.writer: FactsFile | None = None

    def begin(self, info: RunInfo) -> FactsFile:
        # No time of the real world: the same sweep gives the same bytes.
        info = checked(msgspec.structs.replace(info, id=self._point.run, created_at=""))
        self.writer = FactsFile(info, self._unfinished)
        return self.writer


def simulate(scenario: Scenario, what: Subject, point: Point, directory: Path) -> dict[str, Any]:
    """Run the point, leave its facts and its summary row in `directory`; the row, as pipeline.schemas.SUMMARY.

    An exception of the scenario or the simulator becomes the `error` of the row. Raises OSError if writing fails.
    """
    from groupsim.simulation.run import run

    unfinished = directory / UNFINISHED_FOLDER / f"{point.run}.{os.getpid()}"
    store = _OneRun(point, unfinished)
    row: dict[str, Any] = dict.fromkeys(SUMMARY_ARROW.names)
    row |= {"run": point.run, "scenario": scenario.name, "seed": point.seed, "choice": point.choice}
    row |= {"params": list(point.settings.items()), "status": "failed"}
    result = None
    tables: dict[Table, pa.Table] = {}
    try:
        result = run(scenario, store, seed=point.seed, settings=point.settings, record=what.record)  # type: ignore[arg-type]
        row |= _described(result)
        assert store.writer is not None
        facts = store.writer.state_changing
        labelled = intervals(facts)
        if result.ok or result.failure is None:
            row |= _measured(facts, labelled)
        tables = tables_of_run(point.run, facts, labelled)
    except OSError:
        raise
    except GroupsimError as error:
        row["error"] = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit(), too: a failed point is a row with its error; the others continue
        row["error"] = f"{type(error).__name__}: {error}"
    if result is not None:
        result.unless_interrupted()
    row["status"] = "failed" if row["error"] is not None else "finished"
    _store_tables(tables, point.run, unfinished, directory)
    _commit(row, store.writer, unfinished, directory)
    return row


def _described(result: RunResult) -> dict[str, Any]:
    broken = [violation for violations in result.violations.values() for violation in violations]
    first = min(broken, key=lambda violation: violation.seq, default=None)
    return {
        "error": result.failure,
        "digest": result.info.digest,
        "facts": result.info.facts,
        "simulated_ms": result.info.simulated_ms,
        "violations": len(broken),
        "violation": None if first is None else f"{first.name} at {first.at_ms} ms: {first.sentence}",
    }


def _measured(facts: list[Recorded], labelled: Intervals) -> dict[str, Any]:
    """The numbers of `groupsim run --format json`, flat, and the other measures."""
    numbers = summarise(facts, labelled)
    unavailable = numbers["unavailable"]
    measures = measured(facts, labelled, numbers)
    starting_ms = measures["partition_ms"] - measures.pop(AFTER_START)
    return measures | {
        "starting_ms": starting_ms,
        "by_label": sorted((label, ms) for label, ms in unavailable["by_label"].items() if ms),
        "share": unavailable["share"],
        "commits_accepted": numbers["commits"]["accepted"],
    }


def give_up(what: Subject, point: Point, directory: Path, error: str) -> None:
    """Commit the point as failed: no process survived it."""
    row: dict[str, Any] = dict.fromkeys(SUMMARY_ARROW.names)
    row |= {"run": point.run, "scenario": what.scenario, "seed": point.seed, "choice": point.choice}
    row |= {"params": list(point.settings.items()), "status": "failed", "error": error}
    _commit(row, None, directory / UNFINISHED_FOLDER / f"{point.run}.{os.getpid()}", directory)


def begun(directory: Path) -> set[RunId]:
    """The points that a process began and did not finish."""
    return {left.name.partition(".")[0] for left in (directory / UNFINISHED_FOLDER).iterdir()}


def play_damaged_again(directory: Path) -> None:
    """Take back what counts as finished, but has a facts file or a row that can't be read: cut, or missing."""
    for summary in (directory / SUMMARY_FOLDER).glob("*.parquet"):
        facts = directory / FACTS_FOLDER / f"run={summary.stem}" / FILE
        try:
            (row,) = pq.ParquetFile(summary).read(["facts", "status"]).to_pylist()
            whole = row["facts"] is None or pq.read_metadata(facts).num_rows == row["facts"]
        except (pa.ArrowException, OSError, ValueError):
            whole = False
        if not whole:
            summary.unlink()


def _store_tables(tables: dict[Table, pa.Table], run: RunId, unfinished: Path, directory: Path) -> None:
    for table, rows in tables.items():
        part, target = unfinished.with_name(f"{unfinished.name}.{table.name}"), file_of(directory, table, run)
        pq.write_table(rows, part, compression="zstd")
        target.parent.mkdir(parents=True, exist_ok=True)
        _publish(part, target)


def _commit(row: dict[str, Any], writer: FactsFile | None, unfinished: Path, directory: Path) -> None:
    """Publish the facts, then the summary row: from then on the point is finished."""
    if writer is not None:
        writer.close()
        folder = directory / FACTS_FOLDER / f"run={row['run']}"
        folder.mkdir(exist_ok=True)
        _publish(unfinished, folder / FILE)
    summary = unfinished.with_name(unfinished.name + ".row")
    pq.write_table(pa.Table.from_pylist([row], SUMMARY_ARROW), summary, compression="none")
    _publish(summary, directory / SUMMARY_FOLDER / f"{row['run']}.parquet")


def _publish(unfinished: Path, target: Path) -> None:
    with unfinished.open("rb") as written:
        os.fsync(written.fileno())
    unfinished.replace(target)


def points_player(what: Subject, directory: str) -> Any:
    """The function for Spark's mapInArrow: batches of points in, a batch with one summary row per point out."""

    def simulate_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        scenario = load(what)
        for batch in batches:
            for run, seed, settings in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                point = Point(run, seed, dict(settings))
                row = simulate(scenario, what, point, Path(directory))
                yield pa.RecordBatch.from_pylist([row], SUMMARY_ARROW)

    return simulate_batches


def clean(directory: Path, *, ended: bool = False) -> None:
    """Create the folders and delete unfinished files of an earlier sweep; if `ended`, remove the folder for them."""
    unfinished = directory / UNFINISHED_FOLDER
    for folder in (directory / FACTS_FOLDER, directory / SUMMARY_FOLDER, unfinished):
        folder.mkdir(parents=True, exist_ok=True)
    for left in unfinished.iterdir():
        with suppress(FileNotFoundError):
            left.unlink()
    if ended:
        with suppress(OSError):  # a worker of a killed sweep may still write there
            unfinished.rmdir()
