"""Large incidents: logs read in parallel on Spark, one task per file, with the same result as in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from pyspark.sql import SparkSession

from groupsim.events.errors import GroupsimError
from groupsim.incidents.errors import LogError
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.logs.duplicate_logs import given_once
from groupsim.incidents.logs.given_files import GivenFile
from groupsim.incidents.logs.only_group import with_groups
from groupsim.incidents.logs.reading import ROWS_HELD, Wanted, read_files
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.offsets_topic.reader import sort_out
from groupsim.pipeline.errors import PipelineError

Task = tuple[int, str, int]
"""The index of a file, its path, and the ms that are added to its times."""


def read_logs(
    spark: SparkSession,
    paths: Sequence[Path],
    *,
    tz: str | None = None,
    date: str | None = None,
    skews: Mapping[str, int] = {},
    wanted: Wanted = Wanted(),  # noqa: B008
    fields: Fields | None = None,
) -> Reading:
    """The same as `incidents.logs.reading.read_files`, with the same errors; executors must be able to read `paths`.

    One task reads one file, so only several files are faster; the largest are started first. The result is in the
    order of `paths`; the driver holds only the group-related rows. Exports of log platforms, and logs beside files of
    `__consumer_offsets`, are read by the driver: a stream, or a group's history, may be spread over several files.
    """
    if given_once(paths)[1] or any(isinstance(path, GivenFile) for path in paths):
        return read_files(paths, tz=tz, date=date, skews=skews, wanted=wanted, fields=fields)
    given, paths = paths, sorted(paths)
    names = {str(path) for path in paths} | {path.name for path in paths}
    read_files((), skews={name: ms for name, ms in skews.items() if name not in names})  # unknown files are refused
    if not paths:
        return read_files(())
    if sort_out(paths).topic:
        return read_files(given, tz=tz, date=date, skews=skews, wanted=wanted, fields=fields)
    tasks = [(place, str(path), skews.get(str(path), skews.get(path.name, 0))) for place, path in enumerate(paths)]
    tasks.sort(key=lambda task: -_size(paths[task[0]]))
    try:
        answers = dict(spark.sparkContext.parallelize(tasks, len(tasks)).map(_reader(tz, date, wanted)).collect())
    except Exception as error:  # any error of Spark
        raise PipelineError(f"Spark stopped reading the logs: {(str(error).splitlines() or [''])[0]}") from error
    parts = [answers[place] for place in range(len(paths))]
    if fields is not None or any(isinstance(part, Reading) and part.notes for part in parts):
        return read_files(given, tz=tz, date=date, skews=skews, wanted=wanted, fields=fields)
    whole = with_groups(_whole(paths, parts), wanted.groups)
    asked = tuple(sorted(wanted.groups))
    return msgspec.structs.replace(
        whole, origins=tuple(map(str, given)), asked=asked, since=wanted.since, until=wanted.until
    )


def _reader(tz: str | None, date: str | None, wanted: Wanted) -> Callable[[Task], tuple[int, Reading | str]]:
    """The function for executors: a file to its Reading, or to the sentence of its error."""

    def read(task: Task) -> tuple[int, Reading | str]:
        place, path, skew_ms = task
        try:
            skews = {path: skew_ms} if skew_ms else {}
            return place, read_files([Path(path)], tz=tz, date=date, skews=skews, wanted=wanted, whole=False)
        except GroupsimError as error:
            return place, str(error)

    return read


def _whole(paths: Sequence[Path], answers: Sequence[Reading | str]) -> Reading:
    whole = Reading(origins=tuple(map(str, paths)))
    for path, part in zip(paths, answers, strict=True):
        if isinstance(part, str):
            raise LogError(part)
        whole.add(part)
        if whole.held > ROWS_HELD:
            raise LogError(
                f"{path}: with it, more than {ROWS_HELD:,} lines about groups, the most that one import can hold;"
                " choose groups with --group, or a period with --since and --until"
            )
    return whole


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
