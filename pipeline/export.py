"""Runs from a store to Parquet, one folder per run, and to JSON Lines. Files are complete or absent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from groupsim.events.types import RunId
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.export_head import head
from groupsim.pipeline.is_export import FILE
from groupsim.pipeline.schemas import LAKE
from groupsim.pipeline.whole_file import whole_file
from groupsim.storage.codec import COLUMNS, Row, digest_of
from groupsim.storage.store import EventStore, RunInfo, RunStatus

RUN_KEY = b"groupsim.run"
"""The key in the metadata of each Parquet file for the head of the run, as JSON."""
_AT_ONCE = 50_000
PARQUET = {"compression": "zstd", "write_page_index": True, "max_rows_per_page": 1_000}


def export_parquet(store: EventStore, runs: Iterable[RunId], directory: str | Path) -> list[Path]:
    """Write each run (a whole id) to `directory/run=<id>/facts.parquet`, in place of an earlier export of it.

    Columns are pipeline.schemas.LAKE, bytes as stored; the rows of a row group are ordered by type, then `seq`. A file
    gets its name when it is complete; an interrupted export leaves no file that readers would see. Returns the
    files. Raises UnknownRun, and PipelineError if the folder of a run has other files, or if writing fails.
    """
    return [_export_run(store, run, Path(directory)) for run in runs]


def _export_run(store: EventStore, run: RunId, directory: Path) -> Path:
    rows, info = _whole(store, run)
    folder = directory / f"run={quote(run, safe='@+,')}"
    others = sorted(file.name for file in folder.glob("*.parquet") if file.name != FILE)
    if others:
        raise PipelineError(f"{folder} already has {others[0]}; exporting {run} there would count its facts twice")
    schema = LAKE.with_metadata({RUN_KEY: head(info, _digest(store, info))})
    # The unfinished file lies beside the folders under a name that Spark and Arrow ignore.
    unfinished = directory / f".{folder.name}.{os.getpid()}"
    with _written(folder / FILE, unfinished), pq.ParquetWriter(unfinished, schema, **PARQUET) as writer:
        for part in _parts(rows):
            writer.write_batch(row_group(part, schema))
    return folder / FILE


def row_group(rows: list[Row], schema: pa.Schema = LAKE) -> pa.RecordBatch:
    """Rows as one row group, ordered by type: a query for some types then reads only their pages."""
    by_type = sorted(rows, key=lambda row: (row[4], row[0]))
    columns = zip(zip(*by_type, strict=True), LAKE.types, strict=True)
    return pa.record_batch([pa.array(column, kind) for column, kind in columns], schema=schema)


def export_jsonl(store: EventStore, runs: Iterable[RunId], file: str | Path) -> Path:
    """Write the facts of these runs (whole ids), one line each, run after run, in order.

    A line is an object of `run`, the columns of a storage.codec.Row, and `body` as an object, its text as stored. The
    first line of each run has the run's RunInfo besides, as `info`: `pipeline.importing` needs only the file.
    The file gets its name when it is complete. Raises UnknownRun, and PipelineError if writing fails.
    """
    target = Path(file)
    parts = [_whole(store, run) for run in runs]
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    with _written(target, unfinished), unfinished.open("wb") as out:
        for rows, info in parts:
            for number, part in enumerate(_parts(rows)):
                out.write(_json_lines(info, part, head(info, _digest(store, info)) if number == 0 else None))
    return target


def _whole(store: EventStore, run: RunId) -> tuple[Iterator[Row], RunInfo]:
    """The rows and the RunInfo of a run; of a running one, the facts that are stored so far."""
    rows = store.rows(run)  # raises UnknownRun unless it is a whole id
    info = store.find(run)
    return store.rows(run, stop=info.facts) if info.status == RunStatus.RUNNING else rows, info


def _digest(store: EventStore, info: RunInfo) -> str:
    """The digest of the facts that are exported."""
    return info.digest or digest_of(store.rows(info.id, stop=info.facts))


def _json_lines(info: RunInfo, rows: list[Row], beginning: bytes | None) -> bytes:
    lines = []
    for row in rows:
        line: dict[str, object] = {"run": info.id, **dict(zip(COLUMNS, row, strict=True))}
        line["body"] = msgspec.Raw(row[6].encode())
        lines.append(line)
    if beginning is not None:
        lines[0]["info"] = msgspec.Raw(beginning)
    return msgspec.json.Encoder().encode_lines(lines)


def _parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while part := list(islice(rows, _AT_ONCE)):
        yield part


@contextmanager
def _written(target: Path, unfinished: Path) -> Iterator[None]:
    """`whole_file`; what keeps the file from being written is a PipelineError."""
    try:
        with whole_file(target, unfinished):
            yield
    except OSError as error:
        raise PipelineError(f"{target} can't be written: {error.strerror or error}") from None
    except UnicodeEncodeError as error:  # Arrow knows paths in UTF-8 alone
        raise PipelineError(f"{target} can't be written: {error}") from None
