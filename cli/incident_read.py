"""`groupsim read`: what logs and files of `__consumer_offsets` say, or which groups they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.log_options import (
    DateOption,
    LogsArgument,
    StreamOption,
    TextOption,
    TimeOption,
    UnrecognisedOption,
    ZoneOption,
    export_fields,
    log_files,
)
from groupsim.cli.options import FormatOption
from groupsim.cli.output import Format
from groupsim.cli.progress import progress
from groupsim.wording.lists import folded, listed
from groupsim.wording.numbers import counted

if TYPE_CHECKING:
    from groupsim.incidents.facts.what_to_export import LogSummary
    from groupsim.incidents.logs.reading import SourceLog, TopicLog
    from groupsim.incidents.logs.rows import Counts, UnrecognisedLine
    from groupsim.incidents.offsets_topic.reader import Found

_ROW_COLUMNS = ("file", "line", "at", "kind", "group", "member", "client", "detail")
_GROUP_COLUMNS = ("group", "records", "commits", "lines", "first", "last")


def read(
    logs: LogsArgument,
    tz: ZoneOption = None,
    date: DateOption = None,
    text: TextOption = None,
    time: TimeOption = None,
    stream: StreamOption = None,
    unrecognised: UnrecognisedOption = False,
    groups: Annotated[
        bool, typer.Option("--groups", help="List all groups instead: how much is said of each, from when to when.")
    ] = False,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show what logs say about consumer groups, one row per recognised line.

    The exit status is 2 if nothing in them is about a group.

    Example: groupsim read server.log --format jsonl
    """
    from groupsim.incidents.logs.duplicate_logs import given_once
    from groupsim.incidents.offsets_topic.reader import sort_out

    with log_files(logs) as places:
        given, repeated = given_once(places)
        for remark in repeated:
            output.note(f"note: {remark}")
        files = sort_out(given)
        how = {"tz": tz, "date": date, "fields": export_fields(text, time, stream)}
        found = _Reading(files)
        with progress("reading") as bar:
            if groups:
                _list_groups(found, how, bar, form)
            else:
                alone = len(files.others) + len(files.topic) == 1
                columns = _ROW_COLUMNS[1:] if alone and form is Format.TABLE else _ROW_COLUMNS
                output.rows(_recognised(found, how, bar, form, unrecognised), columns, form)
    print_wordings(found.strangers)
    found.print_end(given, advise=not groups)


class _Reading:
    """What was read so far."""

    def __init__(self, files: Found) -> None:
        from groupsim.incidents.logs.rows import Counts

        self.files = files
        self.counts: Counts = Counts()
        self.summaries: list[LogSummary] = []
        self.strangers: list[UnrecognisedLine] = []
        self.skipped = files.left_out()

    def take(self, log: SourceLog | TopicLog, answers: dict[str, str]) -> None:
        """Take notice of a log that was read."""
        from groupsim.incidents.logs.reading import TopicLog, nothing_in

        if isinstance(log, TopicLog):
            self.skipped.update(log.without)
        elif not log.reader.counts.recognised:
            self.skipped[log.name] = nothing_in(log.reader.counts, answers.get(str(log.path)))
        self.counts.add(log.reader.counts)
        for sentence in log.reader.damage:
            output.note(sentence)

    def print_end(self, given: Sequence[Path], *, advise: bool) -> None:
        """Print what was read and what to do next. Raises BadRequest if nothing is about a group."""
        from groupsim.incidents.facts.nothing_found import left_out, nothing_read
        from groupsim.incidents.facts.what_to_export import advice

        counts = self.counts
        output.note(
            f"{counted(counts.lines, 'line')} read, {counts.recognised:,} recognised, "
            f"{counts.unrecognised:,} group-related but not recognised"
        )
        if not counts.recognised and not counts.unrecognised:
            raise BadRequest(f"{listed([str(path) for path in given])}: {nothing_read(counts.lines, self.skipped)}")
        for sentence in [*left_out(self.skipped), *(advice(self.summaries) if advise else ())]:
            output.note(sentence)


def _recognised(
    found: _Reading, how: dict[str, Any], bar: Callable[[float], None], form: Format, unrecognised: bool
) -> Iterator[dict[str, Any]]:
    """The rows of all logs."""
    from groupsim.incidents.facts.what_to_export import LogSummary
    from groupsim.incidents.logs.reading import shown_logs, source_logs

    with source_logs(found.files.others, progress=bar, **how) as (logs, remarks):
        for sentence in folded([*remarks.notes, *remarks.damage]):
            output.note(sentence)
        for log in shown_logs(logs, found.files.topic):
            summary = LogSummary(log.name.removeprefix(f"{log.path.parent}/"))
            yield from _shown_rows(log, summary, form)
            found.summaries.append(summary)
            found.strangers.extend(log.unrecognised if unrecognised else [])
            found.take(log, remarks.answers)


def _shown_rows(log: SourceLog | TopicLog, summary: LogSummary, form: Format) -> Iterator[dict[str, Any]]:
    """The rows of one log as `read` shows them; all of its rows go into the summary."""
    from groupsim.incidents.logs.row_kinds import SHOWN

    for row in log:
        summary.add(row)
        if row.kind in SHOWN:
            shown = {name: getattr(row, name) for name in _ROW_COLUMNS}
            yield {**shown, "detail": output.brief(row.detail, 100)} if form is Format.TABLE else shown


def _list_groups(reading: _Reading, how: dict[str, Any], bar: Callable[[float], None], form: Format) -> None:
    """Print one row a group."""
    from groupsim.incidents.logs.groups_there import GroupsThere
    from groupsim.incidents.logs.reading import source_logs
    from groupsim.incidents.offsets_topic.census import census

    there = GroupsThere()
    with source_logs(reading.files.others, progress=bar, **how) as (logs, remarks):
        for sentence in folded([*remarks.notes, *remarks.damage]):
            output.note(sentence)
        for log in logs:
            there.add(log)
            reading.take(log, remarks.answers)
    if reading.files.topic:
        topic = census(reading.files.topic)
        there.add_topic(topic.groups)
        reading.skipped.update(topic.without)
        records = sum(group.records for group in topic.groups.values())
        reading.counts.lines += records
        reading.counts.recognised += records
        for sentence in [*topic.damage, *topic.notes]:
            output.note(sentence)
    output.rows((group._asdict() for group in there.most_first()), _GROUP_COLUMNS, form)


def print_wordings(lines: Sequence[UnrecognisedLine]) -> None:
    """Print lines that were not recognised, those of one wording once: how many, and where the first of them is."""
    from groupsim.incidents.logs.unknown_wordings import by_wording

    for each in by_wording(lines):
        more = f" ({each.lines:,} lines like it)" if each.lines > 1 else ""
        output.note(f"{each.example.file}:{each.example.line}: {each.example.text}{more}")
