"""The arguments and options of the commands that read logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli.errors import BadRequest
from groupsim.cli.progress import noted_after
from groupsim.events.types import MOST_PARTITIONS

if TYPE_CHECKING:
    from groupsim.incidents.exports.evidence import Fields
    from groupsim.incidents.logs.reading import Wanted

LogsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="LOG...", help="Logs, files of __consumer_offsets, folders; also .gz, pipes, - (stdin)."),
]
ZoneOption = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Time zone of times without one; the default is UTC.")
]
DateOption = Annotated[
    str | None,
    typer.Option("--date", metavar="YYYY-MM-DD", help="The first day of logs whose times have no day, or no year."),
]
TopicOption = Annotated[
    list[str], typer.Option("--topic", metavar="NAME=PARTITIONS", help="Partitions of a topic, if not in the logs.")
]
TextOption = Annotated[
    str | None, typer.Option("--text", metavar="FIELD", help="Of an export: the field with the log line.")
]
TimeOption = Annotated[
    str | None, typer.Option("--time", metavar="FIELD", help="Of an export: the field with the time.")
]
StreamOption = Annotated[
    str | None, typer.Option("--stream", metavar="FIELD", help="Of an export: the field that names the pod or host.")
]
UnrecognisedOption = Annotated[
    bool,
    typer.Option("--unrecognised", help="List group-related lines that were not recognised, by wording, on stderr."),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", help="The name of the run; default: that of the file, or of the folder of several."),
]
SessionOption = Annotated[
    int | None, typer.Option("--session-timeout", metavar="MS", min=1, help="Dates the death of silent members.")
]
MostPartitionsOption = Annotated[
    int, typer.Option("--most-partitions", metavar="N", min=1, max=MOST_PARTITIONS, help="The most of one topic.")
]
MasterOption = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Read the files in parallel on Spark: local[2], spark://h:7077."),
]


def wanted_rows(groups: Sequence[str], since: str | None, until: str | None) -> Wanted:
    """The rows that --group, --since and --until keep."""
    from groupsim.incidents.logs.reading import Wanted
    from groupsim.incidents.logs.times import moment

    ends = [None if text is None else moment(text, at) for at, text in (("--since", since), ("--until", until))]
    if ends[0] is not None and ends[1] is not None and ends[1] <= ends[0]:
        raise BadRequest(f"--until {until} is not later than --since {since}")
    return Wanted(frozenset(groups), *ends)


def export_fields(text: str | None, time: str | None, stream: str | None) -> Fields | None:
    """The fields of an export that the user named; None if no option was given."""
    from groupsim.incidents.exports.evidence import Fields

    return Fields((text,) if text else (), time, stream, None) if text or time or stream else None


@contextmanager
def log_files(places: Sequence[Path]) -> Iterator[list[Path]]:
    """The given files, for a `with` block; of a folder, all files in it but hidden ones and recordings, sorted."""
    from groupsim.incidents.logs.given_files import given_files, inside

    def waiting(pipe: str) -> AbstractContextManager[None]:
        return noted_after(f"reading {pipe} to its end")

    with given_files(inside(places), waiting) as files:
        yield files
