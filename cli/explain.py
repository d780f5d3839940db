"""`groupsim explain`: what happened in a log or a run, why, and what to change."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.log_options import (
    DateOption,
    StreamOption,
    TextOption,
    TimeOption,
    ZoneOption,
    export_fields,
    log_files,
)
from groupsim.cli.options import StoreOption
from groupsim.cli.progress import progress

if TYPE_CHECKING:
    from groupsim.diagnosis.explain import Explanation
    from groupsim.events.types import RunId
    from groupsim.incidents.logs.rows import Reading

_STDIN = Path("-")


class TextOrJson(StrEnum):
    """How the answer is printed."""

    TEXT = "text"
    JSON = "json"


def explain(
    what: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...|RUN|-", help="Logs or folders, a stored run, or - for standard input."),
    ],
    groups: Annotated[list[str], typer.Option("--group", metavar="G", help="Only this group; may be repeated.")] = [],  # noqa: B006
    tz: ZoneOption = None,
    date: DateOption = None,
    text: TextOption = None,
    time: TimeOption = None,
    stream: StreamOption = None,
    no_try: Annotated[bool, typer.Option("--no-try", help="Do not simulate what the remedies would change.")] = False,
    store: StoreOption = DEFAULT_STORE,
    form: Annotated[TextOrJson, typer.Option("--format", help="text for people; json for programs.")] = TextOrJson.TEXT,
) -> None:
    """Say what happened, why, and what to change, from any log: a broker's, a client's, forty lines without times.

    Of a cause, "shown" means that a line says it, "likely" that it follows from several lines, "possible" that it may.
    The exit status is 1 if no line is about a group.

    Example: groupsim explain app.log
    """
    from groupsim.diagnosis.explain import explain_reading

    run: RunId | None = None
    compare = form is TextOrJson.JSON  # it has what-ifs of all remedies
    if _is_run(what):
        from groupsim.diagnosis.kept import explanation_of

        with existing(store) as opened:
            info = opened.find(str(what[0]))
            run = info.id
            answer = explanation_of(opened, info, groups)
            if answer is not None and (compare or not no_try):
                from groupsim.diagnosis.trying import with_trials_of_run

                answer = with_trials_of_run(answer, opened, info, simulate=not no_try, compare=compare)
    else:
        with log_files(what) as files:
            reading = _read(files, tz=tz, date=date, fields=export_fields(text, time, stream))
            with progress("explaining") as bar:
                answer = explain_reading(reading, groups, bar)
            if answer is not None:
                if compare or not no_try:
                    from groupsim.diagnosis.trying import with_trials  # the simulator: a second for its import

                    with progress("simulating"):
                        answer = with_trials(answer, reading, simulate=not no_try, compare=compare)
                _print(answer, form, {str(path): path for path in files})
                return
    if answer is None:
        where = f"group {groups[0]!r}" if groups else "a consumer group"
        help_ = "give the log of a Kafka client (at level INFO) or of a broker"
        output.error(f"{', '.join(map(str, what))}: no line is about {where}; {help_}")
        raise typer.Exit(1)
    _print(answer, form, run=run)


def _is_run(what: Sequence[Path]) -> bool:
    return len(what) == 1 and what[0] != _STDIN and not what[0].exists() and "." not in what[0].name


def _read(files: Sequence[Path], **how: object) -> Reading:
    from groupsim.incidents.logs.reading import read_files

    for path in files:
        if not path.exists():
            raise BadRequest(f"{path}: there is no such file, and no run of that name in the store")
    with progress("reading") as bar:
        return read_files(files, progress=bar, **how)  # type: ignore[arg-type]


def _print(
    answer: Explanation, form: TextOrJson, files: Mapping[str, Path] = {}, *, run: RunId | None = None
) -> None:  # fmt: skip
    from groupsim.diagnosis.to_json import as_json
    from groupsim.diagnosis.to_text import as_text

    if form is TextOrJson.JSON:
        output.write_json(as_json(answer, run))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for line in as_text(answer, files, width):
            print(output.plain(line))
