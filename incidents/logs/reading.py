"""Whole logs read at once: one, or several that belong together, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec import structs

from groupsim.incidents.errors import LogError
from groupsim.incidents.exports.streams import Source, sources
from groupsim.incidents.logs.reader import LogReader
from groupsim.incidents.logs.rows import KINDS, Reading, Row
from groupsim.incidents.logs.times import instant, iso, parse_zone

ROWS_HELD = 1_000_000
"""The most rows that an import holds in memory, about 1.6 kB each with their facts; no other line is held."""


class Wanted(NamedTuple):
    """Which rows are kept: those of these groups (all, if none is named), from one UTC instant to another (ISO 8601).

    A row that names no group is kept: its client may be of one.
    """

    groups: frozenset[str] = frozenset()
    since: str | None = None
    until: str | None = None

    def has(self, row: Row) -> bool:
        """Whether the row is kept."""
        if self.groups and row.group is not None and row.group not in self.groups:
            return False
        if row.at is None or (self.since is None and self.until is None):
            return True
        return (self.since is None or row.at >= self.since) and (self.until is None or row.at <= self.until)


def moment(text: str, option: str) -> str:
    """An instant as a user writes it (`2024-03-01T10:00`; UTC without a zone), as rows have it. Raises LogError."""
    try:
        has_zone = text.endswith("Z") or "+" in text[10:] or "-" in text[10:]
        return iso(instant(text if has_zone else text + "Z"))
    except ValueError:
        raise LogError(f"{option} {text!r} is no instant; write it as 2024-03-01T10:00:00, in UTC") from None


def rows(path: Path, *, tz: str | None = None, skew_ms: int = 0) -> Iterator[Row]:
    """The rows `incident read` shows of one log, one by one, in constant memory; see LogReader for counts."""
    for row in LogReader(path, tz=tz, skew_ms=skew_ms):
        if row.kind in KINDS:
            yield row


def read_files(
    paths: Sequence[Path],
    *,
    tz: str | None = None,
    skews: Mapping[str, int] = {},
    wanted: Wanted = Wanted(),  # noqa: B008
    progress: Callable[[float], None] | None = None,
) -> Reading:
    """Read several logs. `skews` (ms, by path or by file name) are added to a file's times.

    `tz` is the zone of times that name none (default: UTC). `progress` gets the share that is done. Raises LogError
    for a file that can't be read, a zone that doesn't exist, a skew for a file that isn't among `paths`, and more rows
    than ROWS_HELD.
    """
    names = {str(path) for path in paths} | {Path(path).name for path in paths}
    for name in skews:
        if name not in names:
            raise LogError(f"there is a skew for {name}, which is not among the logs given")
    reading = Reading(files=tuple(str(path) for path in paths), rows=[], context=[], unrecognised=[], damage=[])
    size = max(1, sum(path.stat().st_size for path in map(Path, paths) if path.is_file()))
    done = 0

    def progressed(taken: int) -> None:
        nonlocal done
        done += taken
        if progress is not None:
            progress(min(done / size, 1.0))

    with TemporaryDirectory(prefix="groupsim-") as folder:
        logs, remarks = sources([Path(path) for path in paths], parse_zone(tz), Path(folder))
        reading.files = tuple(log.name for log in logs)
        reading.notes.extend(remarks.notes)
        reading.damage.extend(remarks.damage)
        reading.uncertain.extend(remarks.uncertain)
        for log in logs:
            _read_one(log, reading, tz, skews, wanted, progressed)
    return reading


def _read_one(
    log: Source,
    reading: Reading,
    tz: str | None,
    skews: Mapping[str, int],
    wanted: Wanted,
    progressed: Callable[[int], None],
) -> None:
    path = log.origin
    skew_ms = skews.get(str(path), skews.get(path.name, 0))
    reader = LogReader(log.path, tz=tz, skew_ms=skew_ms, name=log.name, progress=progressed)
    for row in reader:
        if log.numbers is not None:
            row = structs.replace(row, line=log.numbers[row.line - 1], order=row.line)
        if not wanted.has(row):
            continue
        (reading.rows if row.kind in KINDS else reading.context).append(row)
        if len(reading.rows) + len(reading.context) > ROWS_HELD:
            raise LogError(
                f"{path}:{row.line}: more than {ROWS_HELD:,} lines about groups, the most that one import can hold;"
                " choose groups with --group, or a period with --since and --until"
            )
    reading.counts.add(reader.counts)
    if reader.last_at is not None:
        reading.ends[log.name] = reader.last_at if wanted.until is None else min(reader.last_at, wanted.until)
    reading.unrecognised.extend(reader.unrecognised)
    reading.damage.extend(reader.damage)
