"""RunInfo as a row of table `runs`, its checksum, and the errors about a run."""

from __future__ import annotations

import hashlib
import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from groupsim.events.types import RunId
from groupsim.storage import log_gaps
from groupsim.storage.errors import StoreError, StreamConflict
from groupsim.storage.store import RunInfo

_RUN_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@+,=-]*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_EARLIEST, _LATEST = 1, 9_800
LONGEST_MS = 100 * 366 * 86_400_000
"""No run lasts longer than a hundred years."""
_MOST = 2**53
_LONGEST_TEXT = 100_000
_JSON = ("params", "summary")
_ENUMS = ("source", "record", "status")
_encoder = msgspec.json.Encoder(order="deterministic")


class UnreadableRuns(StoreError):
    """What is stored about some runs can't be read; `readable` are the others, oldest first."""

    def __init__(self, sentence: str, readable: Sequence[RunInfo]) -> None:
        super().__init__(sentence)
        self.readable = readable


def checked(info: RunInfo) -> RunInfo:
    """`info` with params and summary as they will be read again (sorted, lists for tuples).

    Raises StoreError if the id is unsuitable as a folder name or a word in a shell, or if a value can't be stored.
    """
    if info.id == "latest" or not _RUN_ID.fullmatch(info.id):
        raise StoreError(
            f"{info.id!r} can't be the id of a run: use letters, digits and _ . : @ + , = - (and not `latest`)"
        )
    if info.seed is not None and not -(2**63) <= info.seed < 2**63:
        raise StoreError(f"seed {info.seed} is too large: a seed has at most 63 bits")
    return from_columns(to_columns(info).values())


def to_columns(info: RunInfo) -> dict[str, object]:
    """The row of table runs, params and summary as JSON text."""
    columns = msgspec.structs.asdict(info)
    columns |= {name: str(columns[name]) for name in _ENUMS}
    for name in _JSON:
        _finite(columns[name], f"{name} of run {info.id}")
        try:
            columns[name] = _encoder.encode(columns[name]).decode()
        except (TypeError, UnicodeError, OverflowError) as error:
            raise StoreError(f"{name} of run {info.id} can't be written as JSON: {error}") from None
    return columns


def from_columns(row: Iterable[object]) -> RunInfo:
    """The reverse; columns in the order of the fields of RunInfo. Raises StoreError for values that do not fit."""
    columns = dict(zip(RunInfo.__struct_fields__, row, strict=True))
    try:
        for name in _JSON:
            columns[name] = msgspec.json.decode(str(columns[name]))
        info = msgspec.convert(columns, RunInfo)
        log_gaps.check(info.summary)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise StoreError(f"the stored information about run {columns['id']} can't be read: {error}") from None
    if info.origin is not None and not is_instant(info.origin):
        raise StoreError(
            f"the stored information about run {info.id} can't be read: origin {info.origin!r} is no instant"
        )
    return info


def all_readable(rows: Iterable[Iterable[object]]) -> list[RunInfo]:
    """`from_columns` of each row. Raises UnreadableRuns, which has the runs of the other rows."""
    readable, wrong = list[RunInfo](), list[StoreError]()
    for row in rows:
        try:
            readable.append(from_columns(row))
        except StoreError as error:
            wrong.append(error)
    if wrong:
        more = f"; the same is true of {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise UnreadableRuns(f"{wrong[0]}{more}", readable)
    return readable


def is_instant(text: str) -> bool:
    """Whether a text is an instant (ISO 8601) to which a run of any length can be added."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return False
    return at.tzinfo is not None and _EARLIEST <= at.year <= _LATEST


def strange(info: RunInfo) -> str | None:
    """What an export says of a run and can't be so, in words; None if all of it can be."""
    if info.created_at and not is_instant(info.created_at):
        return f"created_at {info.created_at!r} is no instant"
    if not 0 <= info.facts < _MOST:
        return f"it can't have {info.facts} facts"
    if info.simulated_ms is not None and not 0 <= info.simulated_ms <= LONGEST_MS:
        return f"it can't last {info.simulated_ms} ms"
    if info.digest is not None and not _DIGEST.fullmatch(info.digest):
        return "its digest is none"
    texts = (info.name, info.scenario_path or "", *info.params, *map(str, info.params.values()))
    return "a name or a setting is longer than any can be" if any(len(text) > _LONGEST_TEXT for text in texts) else None


def scenario_command(command: str, scenario: str, settings: Mapping[str, object], seed: int | None = None) -> str:
    """`groupsim COMMAND SCENARIO --seed N --set KEY=VALUE ...`, as a shell takes it."""
    seeded = [] if seed is None else ["--seed", str(seed)]
    chosen = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    return shlex.join(["groupsim", command, scenario, *seeded, *chosen])


def resume_command(info: RunInfo) -> str:
    """The command that continues a simulated run whose process was killed; the file of its scenario is in it."""
    own_file = [] if info.scenario_path is None else [info.scenario_path]
    return shlex.join(["groupsim", "run", *own_file, "--resume", info.id])


def run_checksum(info: RunInfo) -> str:
    """SHA-256 over RunInfo, including the digest of the facts: 64 hexadecimal digits."""
    return hashlib.sha256(_encoder.encode(list(to_columns(info).values()))).hexdigest()


def run_has_ended(info: RunInfo) -> StoreError:
    """The error for writing to a run that has ended."""
    return StoreError(f"run {info.id} has ended ({info.status}); nothing can be added to it")


def duplicate_run(run: RunId, place: str) -> StreamConflict:
    """The error for a second run with the same id."""
    return StreamConflict(f"run {run} already exists in {place}")


def conflict_sentence(run: RunId, place: str) -> str:
    """The sentence for the slower one of two writers."""
    return f"another writer has already written to run {run} in {place}"


_PLAIN = (str, int, type(None))
"""Most values of a summary: there may be a hundred thousand of them."""


def _finite(value: object, place: str) -> None:
    """Raises StoreError for NaN and infinity: JSON has neither, and msgspec would silently write null."""
    if isinstance(value, float) and not math.isfinite(value):
        raise StoreError(f"{place}: {value} can't be written as JSON")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(inner, _PLAIN):
                _finite(inner, f"{place}, {key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            if not isinstance(inner, _PLAIN):
                _finite(inner, place)
