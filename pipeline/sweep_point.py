"""One point of a sweep, played where Spark puts it: facts stream into a Parquet file, a summary row commits it.

Tables and facts appear under their names when they are whole, the summary row after them. Whatever is killed in between
leaves a point that has no row, which is played again, into the same names.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.tables.summary import summarise
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.errors import GroupSimError
from groupsim.events.types import RunId
from groupsim.pipeline.export import FILE, PARQUET, RUN_KEY, row_group
from groupsim.pipeline.grid import Point, Subject
from groupsim.pipeline.schemas import LAKE, SUMMARY_ARROW
from groupsim.pipeline.source import FACTS_FOLDER, SUMMARY_FOLDER, UNFINISHED_FOLDER
from groupsim.pipeline.tables import Table, file_of, judged
from groupsim.storage.codec import Row, recorded
from groupsim.storage.run_info import checked
from groupsim.storage.store import RunInfo, RunStatus
from groupsim.storage.writer import BatchWriter

if TYPE_CHECKING:
    from groupsim.simulation.run import RunResult, Scenario

_ROW_GROUP = 20_000
_TELLING = frozenset(STATE_CHANGING)
_json = msgspec.json.Encoder(order="deterministic")


class FactsFile(BatchWriter):
    """RunWriter into one Parquet file (pipeline.schemas.LAKE). `telling` are the facts that a summary asks for.

    At most `_ROW_GROUP` rows wait in memory; heartbeats and messages leave with them.
    """

    def __init__(self, info: RunInfo, unfinished: Path) -> None:
        super().__init__(info)
        self.telling: list[Recorded] = []
        self._waits: list[Row] = []
        self._out = pq.ParquetWriter(unfinished, LAKE, **PARQUET)

    def _store(self, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        self._waits += rows
        if len(self._waits) >= _ROW_GROUP or info.status != RunStatus.RUNNING:
            self._write()
        if info.status != RunStatus.RUNNING:
            self._out.add_key_value_metadata({RUN_KEY: _json.encode(info)})

    def _stored(self) -> int:
        return self.info.facts

    def _write(self) -> None:
        rows, self._waits = self._waits, []
        if rows:
            told = (row for row in rows if row[4] in _TELLING)
            self.telling.extend(map(recorded, repeat(self.info.id), told))
            self._out.write_batch(row_group(rows))

    def close(self) -> None:
        """The file is whole; nothing can be added."""
        self._out.close()


class _OneRun:
    """The part of an EventStore that a run needs: it begins, under the point's id."""

    def __init__(self, point: Point, unfinished: Path) -> None:
        self._point, self._unfinished = point, unfinished
        self.writer: FactsFile | None = None

    def begin(self, info: RunInfo) -> FactsFile:
        # No instant of the real world: the same sweep is the same bytes.
        info = checked(msgspec.structs.replace(info, id=self._point.run, created_at=""))
        self.writer = FactsFile(info, self._unfinished)
        return self.writer


def play(scenario: Scenario, what: Subject, point: Point, directory: Path) -> dict[str, Any]:
    """Run the point, leave its facts and its summary row in `directory`; the row, as pipeline.schemas.SUMMARY.

    Whatever the story or the simulator raises is the row's `error`. Raises OSError if nothing can be written.
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
        told = store.writer.telling
        found = intervals(told)
        if result.ok or result.failure is None:
            row |= _measured(told, found)
        tables = judged(point.run, told, found)
    except OSError:
        raise
    except GroupSimError as error:
        row["error"] = str(error)
    except Exception as error:  # a point that fails is a row with its error; the others go on
        row["error"] = f"{type(error).__name__}: {error}"
    if result is not None and result.info.status == RunStatus.INTERRUPTED:
        raise KeyboardInterrupt
    row["status"] = "failed" if row["error"] is not None else "finished"
    _keep(tables, point.run, unfinished, directory)
    _commit(row, store.writer, unfinished, directory)
    return row


def _described(result: RunResult) -> dict[str, Any]:
    broken = [violation for found in result.violations.values() for violation in found]
    first = min(broken, key=lambda violation: violation.seq, default=None)
    return {
        "error": result.failure,
        "digest": result.info.digest,
        "facts": result.info.facts,
        "simulated_ms": result.info.simulated_ms,
        "violations": len(broken),
        "violation": None if first is None else f"{first.name} at {first.at_ms} ms: {first.sentence}",
    }


def _measured(told: list[Recorded], found: Intervals) -> dict[str, Any]:
    """The numbers of `groupsim run --format json`, flat."""
    numbers = summarise(told, found)
    unavailable, commits = numbers["unavailable"], numbers["commits"]
    return {
        "partition_ms": unavailable["partition_ms"],
        "starting_ms": sum(i.duration_ms for i in found if i.unavailable and i.cause == START),
        "by_label": sorted((label, ms) for label, ms in unavailable["by_label"].items() if ms),
        "max_partitions": unavailable["max_partitions"],
        "share": unavailable["share"],
        "rebalances": sum(group["rebalances"] for group in numbers["groups"].values()),
        "commits_accepted": commits["accepted"],
        "commits_refused": commits["refused"],
        "unsafe_ms": commits["unsafe_ms"],
        "reprocessed_records": numbers["reprocessed_records"],
    }


def _keep(tables: dict[Table, pa.Table], run: RunId, unfinished: Path, directory: Path) -> None:
    for table, found in tables.items():
        part, target = unfinished.with_name(f"{unfinished.name}.{table.name}"), file_of(directory, table, run)
        pq.write_table(found, part, compression="zstd")
        target.parent.mkdir(parents=True, exist_ok=True)
        _appear(part, target)


def _commit(row: dict[str, Any], writer: FactsFile | None, unfinished: Path, directory: Path) -> None:
    """First the facts get their name, then the row gets its own: from then on the point is done."""
    if writer is not None:
        writer.close()
        folder = directory / FACTS_FOLDER / f"run={row['run']}"
        folder.mkdir(exist_ok=True)
        _appear(unfinished, folder / FILE)
    summary = unfinished.with_name(unfinished.name + ".row")
    pq.write_table(pa.Table.from_pylist([row], SUMMARY_ARROW), summary, compression="none")
    _appear(summary, directory / SUMMARY_FOLDER / f"{row['run']}.parquet")


def _appear(unfinished: Path, target: Path) -> None:
    with unfinished.open("rb") as written:
        os.fsync(written.fileno())
    unfinished.replace(target)


def player(what: Subject, directory: str) -> Any:
    """The function that Spark's mapInArrow calls: batches of points in, one batch of one summary row a point out."""

    def play_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        scenario = load(what)
        for batch in batches:
            for run, seed, settings in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                point = Point(run, seed, dict(settings))
                row = play(scenario, what, point, Path(directory))
                yield pa.RecordBatch.from_pylist([row], SUMMARY_ARROW)

    return play_batches


def load(what: Subject) -> Scenario:
    """The scenario, from its text where it is a user's file, which need not be on this machine. Raises BadScenario."""
    from groupsim.scenarios import catalogue

    if what.text is None:
        return catalogue.find(what.scenario)
    path, _, function = what.scenario.partition("::")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, Path(path).name)
        file.write_text(what.text, encoding="utf-8")
        found = catalogue.find(f"{file}::{function}" if function else str(file))
    return replace(found, path=what.scenario)


def clean(directory: Path, *, ended: bool = False) -> None:
    """Make the folders, or after the end remove what is not needed; and what an earlier sweep left half-written."""
    unfinished = directory / UNFINISHED_FOLDER
    for folder in (directory / FACTS_FOLDER, directory / SUMMARY_FOLDER, unfinished):
        folder.mkdir(parents=True, exist_ok=True)
    for left in unfinished.iterdir():
        with suppress(FileNotFoundError):
            left.unlink()
    if ended:
        with suppress(OSError):  # a worker of a sweep that was killed may still write there
            unfinished.rmdir()
