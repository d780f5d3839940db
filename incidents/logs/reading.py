"""Whole logs read at once: one, or several that belong together, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec import structs

from groupsim.events.types import GroupId
from groupsim.incidents.errors import LogError
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.exports.records_by_stream import Remarks
from groupsim.incidents.exports.streams import Source, sources
from groupsim.incidents.logs.duplicate_logs import given_once
from groupsim.incidents.logs.missing_days import FIRST_DAY
from groupsim.incidents.logs.only_group import with_groups
from groupsim.incidents.logs.reader import LogReader
from groupsim.incidents.logs.row_kinds import SHOWN
from groupsim.incidents.logs.rows import Counts, LeftOut, Reading, Row, UnrecognisedLine
from groupsim.incidents.logs.times import instant, iso, parse_zone
from groupsim.incidents.logs.two_clocks import zone_of_local_times
from groupsim.incidents.offsets_topic.census import Count, census
from groupsim.incidents.offsets_topic.reader import TopicFiles, sort_out
from groupsim.incidents.offsets_topic.reading import only_group, placed, read_topic
from groupsim.storage.rare_collections import rare_collections
from groupsim.wording.numbers import counted

ROWS_HELD = 1_000_000
"""The most rows that an import holds in memory, about 1.6 kB each with their facts; no other line is held."""

_LARGEST_SKEW_MS = 366 * 86_400_000


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

    def cut_off(self, left: LeftOut) -> bool:
        """Whether it was the period that left these rows out, and not the choice of groups alone."""
        if not left.rows or (self.since is None and self.until is None):
            return False
        return not self.groups or not left.groups or not self.groups.isdisjoint(left.groups)


def rows(path: Path, *, tz: str | None = None, skew_ms: int = 0) -> Iterator[Row]:
    """The rows `read` shows of one plain log, one by one, in constant memory; see LogReader for counts."""
    for row in LogReader(path, tz=tz, skew_ms=skew_ms):
        if row.kind in SHOWN:
            yield row


class SourceLog:
    """One log behind the files given: iterating gives its rows, with the line or record of the file they stand in."""

    def __init__(
        self, source: Source, tz: str | None, skew_ms: int, date: str | None, progress: Callable[[int], None] | None
    ) -> None:
        self.name = source.name
        self.path = source.origin
        self.stream = source.stream
        self.reader = LogReader(source.path, tz=tz, skew_ms=skew_ms, date=date, name=source.name, progress=progress)
        self._numbers = source.numbers
        self._passed = source.passed

    def __iter__(self) -> Iterator[Row]:
        numbers = self._numbers
        if numbers is None:
            yield from self.reader
            self.reader.counts.lines += self._passed
            return
        for row in self.reader:
            yield structs.replace(row, line=numbers[row.line - 1], order=row.line)

    @property
    def unrecognised(self) -> list[UnrecognisedLine]:
        """Lines about groups that no wording fits, once it was read."""
        lines, numbers = self.reader.unrecognised, self._numbers
        return lines if numbers is None else [structs.replace(each, line=numbers[each.line - 1]) for each in lines]


class TopicLog:
    """Files of `__consumer_offsets` as one log: iterating gives its rows. See SourceLog."""

    def __init__(self, files: TopicFiles) -> None:
        self.path = files[0][0]
        self.name = str(self.path)
        self.stream: str | None = None
        self.reader = TopicCounts()
        self.unrecognised: list[UnrecognisedLine] = []
        self.without: dict[str, str] = {}
        self._files = files

    def __iter__(self) -> Iterator[Row]:
        found = read_topic(self._files, frozenset())
        rows = placed(found.groups.items())
        self.reader.counts.lines, self.reader.counts.recognised = found.records, len(rows)
        self.reader.damage += [*found.damage, *found.notes]
        self.without = found.without
        yield from rows


class TopicCounts:
    """What was read of the topic, as a LogReader says it."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.damage: list[str] = []


def shown_logs(logs: Sequence[SourceLog], topic: TopicFiles) -> list[SourceLog | TopicLog]:
    """The logs and, as one more, the files of `__consumer_offsets`."""
    return [*logs, TopicLog(topic)] if topic else list(logs)


def _share(paths: Sequence[Path], progress: Callable[[float], None] | None) -> Callable[[int], None]:
    """What to call with the bytes taken from these files, so that `progress` gets the share of all."""
    size = max(1, sum(path.stat().st_size for path in paths if path.is_file()))
    done = 0

    def progressed(taken: int) -> None:
        nonlocal done
        done += taken
        if progress is not None:
            progress(min(done / size, 1.0))

    return progressed


@contextmanager
def source_logs(
    paths: Sequence[Path],
    *,
    tz: str | None = None,
    date: str | None = None,
    skews: Mapping[str, int] = {},
    fields: Fields | None = None,
    progress: Callable[[float], None] | None = None,
) -> Iterator[tuple[list[SourceLog], Remarks]]:
    """The logs behind some files, exports of log platforms among them, and remarks on how they were read.

    See `read_files` for the arguments; `fields` names fields of exports where they can't be found.
    """
    progressed = _share(paths, progress)
    with TemporaryDirectory(prefix="groupsim-") as folder:
        found, remarks = sources(paths, parse_zone(tz), Path(folder), fields)
        yield (
            [
                SourceLog(each, tz, skews.get(str(each.origin), skews.get(each.origin.name, 0)), date, progressed)
                for each in found
            ],
            remarks,
        )


def read_files(
    paths: Sequence[Path],
    *,
    tz: str | None = None,
    date: str | None = None,
    skews: Mapping[str, int] = {},
    wanted: Wanted = Wanted(),  # noqa: B008
    fields: Fields | None = None,
    progress: Callable[[float], None] | None = None,
    whole: bool = True,
) -> Reading:
    """Read several logs. `skews` (ms, by path or by file name) are added to a file's times.

    `tz` is the zone of times that name none (default: UTC), `date` (YYYY-MM-DD) the day of those that name none; where
    no row has a day, they are relative to one of long ago, and a note says so. `fields` names fields of exports where
    they can't be found. `progress` gets the share that is done. `whole`: these are all logs; if not,
    `with_groups` has to be called with all. Raises LogError for a file that can't be read, a zone or a day that doesn't
    exist, a skew for a file that isn't among `paths`, and more rows than ROWS_HELD.
    """
    _check_skews(paths, skews)
    paths, repeated = given_once(paths)
    given, paths = paths, sorted(paths)  # the facts do not depend on the order in which the files are named
    found = sort_out(paths)
    plain = found.others
    if tz is None and len(plain) == 1 and (tz := zone_of_local_times(plain[0])) is not None:
        repeated = [*repeated, f"{plain[0]}: its times without a zone are at UTC{tz}, by those in UTC between them"]
    with source_logs(plain, tz=tz, date=date, skews=skews, fields=fields, progress=progress) as (logs, remarks):
        reading = Reading(
            files=tuple(log.name for log in logs),
            origins=tuple(map(str, given)),
            damage=list(remarks.damage),
            notes=[*repeated, *remarks.notes],
            uncertain=list(remarks.uncertain),
            answers=dict(remarks.answers),
            asked=tuple(sorted(wanted.groups)),
            since=wanted.since,
            until=wanted.until,
            skipped=found.left_out(),
            resolution_ms=remarks.resolution_ms,
            placed_ms=remarks.placed_ms,
            streams={log.name: log.stream for log in logs if log.stream is not None},
        )
        with rare_collections():
            for log in logs:
                _add(log, reading, wanted)
        dayless = sum(log.reader.dayless for log in logs)
    if found.topic:
        _add_topic(found.topic, reading, wanted, _share([path for path, _ in found.topic], progress))
    if date is not None or not dayless or any(row.at for row in (*reading.rows, *reading.context)):
        return with_groups(reading, wanted.groups) if whole else reading
    relative = read_files(
        given, tz=tz, date=FIRST_DAY, skews=skews, wanted=wanted, fields=fields, progress=progress, whole=whole
    )
    relative.notes.append(
        f"the logs have times without a day: they count from {FIRST_DAY}, and only differences mean something; --date"
        " YYYY-MM-DD gives the first day"
    )
    return relative


def _check_skews(paths: Sequence[Path], skews: Mapping[str, int]) -> None:
    names = {str(path) for path in paths} | {Path(path).name for path in paths}
    for name in skews:
        if name not in names:
            raise LogError(f"there is a skew for {name}, which is not among the logs given")
        if abs(skews[name]) > _LARGEST_SKEW_MS:
            raise LogError(f"the skew of {name} is more than a year: no clock is that far off")


def _add_topic(files: TopicFiles, reading: Reading, wanted: Wanted, progress: Callable[[int], None]) -> None:
    """Read files of `__consumer_offsets` into the reading: of the groups wanted, else of those that its logs name."""
    named = {row.group for row in (*reading.rows, *reading.context) if row.group is not None}
    until_ms = None if wanted.until is None else instant(wanted.until)
    found = read_topic(files, wanted.groups or frozenset(named) or only_group(files), until_ms, progress)
    rows = placed(found.groups.items())
    left = LeftOut()
    reading.files = tuple(dict.fromkeys([*reading.files, *(row.file for row in rows)]))
    for row in rows:
        reading.rows.append(row) if wanted.has(row) else left.take(row)
    others: dict[GroupId, Count] = {}
    if wanted.groups - found.groups.keys() or (named and not found.groups):  # say which are there instead
        others = census(files).groups
        for group, seen in others.items():
            if group in wanted.groups:
                left.add(LeftOut(seen.records, {group: seen.records}, iso(seen.first_ms), iso(seen.last_ms)))
            elif group not in found.groups:
                left.groups[group] = seen.records
    reading.left_out.add(left)
    reading.counts.lines += found.records
    reading.counts.recognised += len(rows)
    reading.notes.extend(found.notes)
    reading.damage.extend(found.damage)
    reading.skipped.update(found.without)
    reading.topic.update(found.groups)
    reading.topic_given = bool(found.groups or others)  # a dump without the decoder has no group's records at all
    for history in found.groups.values():
        for file in {row.file for row in rows}:
            reading.ends[file] = iso(history.ended_ms)


def _add(log: SourceLog, reading: Reading, wanted: Wanted) -> None:
    """Read one log into the reading."""
    left, held = LeftOut(), reading.held
    for row in log:
        if not wanted.has(row):
            left.take(row)
            continue
        reading.take(row)
        if reading.held > ROWS_HELD:
            raise LogError(
                f"{log.path}:{row.line}: more than {ROWS_HELD:,} lines about groups, the most that one import can hold;"
                " choose groups with --group, or a period with --since and --until"
            )
    reading.left_out.add(left)
    if not log.reader.counts.recognised:
        reading.evidence = [row for row in reading.evidence if row.file != log.name]
    if reading.held == held and wanted.cut_off(left):
        reading.cut_off[log.name] = left
    reader = log.reader
    if not reader.counts.recognised:
        reading.skipped[log.name] = nothing_in(reader.counts, reading.answers.get(str(log.path)))
    reading.counts.add(reader.counts)
    if reader.last_at is not None:
        reading.ends[log.name] = reader.last_at if wanted.until is None else min(reader.last_at, wanted.until)
    reading.unrecognised.extend(log.unrecognised)
    reading.damage.extend(reader.damage)
    reading.notes.extend(reader.remarks)
    reading.uncertain.extend(reader.missing)


def nothing_in(counts: Counts, answer: str | None) -> str:
    """What a file has instead of lines about groups, said of it."""
    if answer is None and counts.unrecognised:
        return f"has {counted(counts.unrecognised, 'line')} that may be about groups, in no known wording"
    return answer or f"has {counted(counts.lines, 'line')}, none about a consumer group"
