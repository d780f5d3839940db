"""Exported runs into a store; every fact of a file is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from groupsim.events.types import RunId
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.export import RUN_KEY
from groupsim.pipeline.export_head import check_seal, read_head
from groupsim.pipeline.is_export import FILE, JSON_LINES
from groupsim.pipeline.schemas import LAKE
from groupsim.storage.codec import Digest, Row
from groupsim.storage.errors import StoreError
from groupsim.storage.store import EventStore, RunInfo, RunStatus

_AT_ONCE = 50_000
_UNREADABLE = (pa.ArrowException, OSError, msgspec.MsgspecError, ValueError, OverflowError, RecursionError)
"""What Arrow and msgspec raise for bytes that nobody wrote so; ValueError for text that is not UTF-8, too."""


class _Line(msgspec.Struct):
    """One fact of a JSON Lines export; the first line of each run has `info`."""

    run: RunId
    seq: int
    at_ms: int
    stream: str
    version: int
    type: str
    schema: int
    body: msgspec.Raw
    source: str | None = None
    info: msgspec.Raw = msgspec.Raw(b"null")


class Exported(NamedTuple):
    """An exported run: its file (and line), its RunInfo, its seal (none in older exports), and its facts."""

    place: str
    info: RunInfo
    seal: str | None
    rows: Iterable[Row]


def import_runs(store: EventStore, path: str | Path) -> Iterator[tuple[RunInfo, bool]]:
    """Put the runs of a .jsonl file, of a .parquet file, or of a folder of `run=<id>` folders into the store.

    Yields each run with whether it is new: a run that exists already with the same digest is not changed. A run is
    imported completely or not at all. Raises StreamConflict if another run has its id, StoreError if its facts differ
    from the exported ones, PipelineError for a file that is not an export; the file is named.
    """
    return import_all(store, exported(path))


def exported(path: str | Path) -> Iterator[Exported]:
    """The runs of an export; their facts are read lazily. Raises PipelineError, as `import_runs`."""
    source = Path(path)
    if source.suffix == JSON_LINES:
        try:
            source.open("rb").close()  # fail now, not at the first fact
        except OSError as error:
            raise PipelineError(f"{source} can't be read: {error.strerror}") from None
        return _json_runs(source)
    if source.is_dir():
        files = sorted(source.glob(f"run=*/{FILE}")) or sorted(source.glob(FILE))
        if not files:
            raise PipelineError(f"{source} has no run=…/{FILE} as `groupsim export` writes them")
        return _in_order(files)
    if source.suffix == ".parquet":
        return iter([_parquet_run(source)])
    if not source.exists():
        raise PipelineError(f"there is no {source}")
    raise PipelineError(f"{source} is neither a {JSON_LINES} nor a .parquet file nor a folder of them")


def import_all(
    store: EventStore, exports: Iterable[Exported], warn: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[RunInfo, bool]]:
    """Import these runs; see `import_runs`. `exported` finds errors before a store is created.

    `warn` is called with a sentence for each run of an older version's export.
    """
    known = {info.id: info for info in store.runs()}
    for run in exports:
        info = run.info
        there = known.get(info.id)
        if there == info and info.digest is not None:
            yield info, False
            continue
        if run.seal is None:
            warn(
                f"{run.place}: an older groupsim exported run {info.id}, without a seal: whether its name, seed,"
                " settings and summary are as they were is unknown"
            )
        try:
            known[info.id] = store.import_run(info, _sealed(run))
        except StoreError as error:
            raise type(error)(f"{run.place}: {error}") from None
        yield known[info.id], True


def _sealed(run: Exported) -> Iterator[Row]:
    """The facts of a run; at their end its seal is checked. If facts are missing or changed, the store says which."""
    running, digest, count = run.info.status == RunStatus.RUNNING, Digest(), 0
    for row in run.rows:
        count += 1
        if running:
            digest.add([row])
        yield row
    if run.seal is not None and count == run.info.facts:
        check_seal(run.info, digest.hex() if running else run.info.digest, run.seal, run.place)


def _in_order(files: list[Path]) -> Iterator[Exported]:
    """In the order of their creation, so that `latest` is the same run as in the original store."""
    runs = [_parquet_run(file) for file in files]
    return iter(sorted(runs, key=lambda run: (run.info.created_at, run.info.id)))


def _parquet_run(file: Path) -> Exported:
    try:
        with pq.ParquetFile(file) as opened:
            schema, about = opened.schema_arrow, (opened.metadata.metadata or {}).get(RUN_KEY)
        if about is None or not schema.remove_metadata().equals(LAKE):
            raise PipelineError(f"{file} was not written by `groupsim export`: its columns or its metadata differ")
        info, seal = read_head(about, str(file))
    except (PipelineError, StoreError) as error:
        raise PipelineError(f"{error}" if str(file) in str(error) else f"{file}: {error}") from None
    except _UNREADABLE as error:
        raise PipelineError(f"{file} can't be read: {_brief(error)}") from None
    return Exported(str(file), info, seal, _parquet_rows(file))


def _parquet_rows(file: Path) -> Iterator[Row]:
    try:
        with pq.ParquetFile(file) as opened:
            batches = opened.iter_batches(_AT_ONCE)
            yield from _ordered(chain.from_iterable(_rows_of(batch) for batch in batches))
    except _UNREADABLE as error:
        raise PipelineError(f"{file} can't be read: {_brief(error)}") from None


def _rows_of(batch: pa.RecordBatch) -> Iterator[Row]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _ordered(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows ordered by `seq` instead of type. If one is missing or repeated, the store refuses the run."""
    waiting: dict[int, Row] = {}
    due = 0
    for row in rows:
        if row[0] in waiting or row[0] < due:
            yield row
            continue
        waiting[row[0]] = row
        while due in waiting:
            yield waiting.pop(due)
            due += 1
    yield from (waiting[seq] for seq in sorted(waiting))


def _json_runs(file: Path) -> Iterator[Exported]:
    for run, lines in groupby(_lines(file), key=lambda numbered: numbered[1].run):
        number, first = next(lines)
        place = f"{file}, line {number}"
        info, seal = _head_of(first, place)
        if info is None or info.id != run:
            raise PipelineError(
                f"{place}: the first line of run {run} has no `info` of it, as `groupsim export` writes"
            )
        rows = (_row(line, file, at) for at, line in chain([(number, first)], lines))
        yield Exported(f"{file}, from line {number}", info, seal, rows)


def _head_of(line: _Line, place: str) -> tuple[RunInfo | None, str | None]:
    try:
        return (None, None) if bytes(line.info) == b"null" else read_head(line.info, place)
    except StoreError as error:
        raise PipelineError(f"{place}: {error}") from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise PipelineError(f"{place}: not a line of an export: {error}") from None


def _lines(file: Path) -> Iterator[tuple[int, _Line]]:
    decoder = msgspec.json.Decoder(_Line)
    number = 0
    try:
        with file.open("rb") as opened:
            for number, line in enumerate(opened, 1):
                yield number, decoder.decode(line)
    except OSError as error:
        raise PipelineError(f"{file} can't be read: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise PipelineError(f"{file}, line {number}: not a line of an export: {error}") from None


def _row(line: _Line, file: Path, number: int) -> Row:
    try:
        body = bytes(line.body).decode()
    except UnicodeError as error:
        raise PipelineError(f"{file}, line {number}: not a line of an export: {error}") from None
    return line.seq, line.at_ms, line.stream, line.version, line.type, line.schema, body, line.source


def _brief(error: BaseException) -> str:
    return str(error).partition("\n")[0]
