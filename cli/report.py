"""`groupsim report`: runs as one self-contained HTML file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import StoreOption
from groupsim.cli.progress import progress
from groupsim.wording.numbers import counted

if TYPE_CHECKING:
    from groupsim.analysis.report.payload import Assessment, Verdict
    from groupsim.analysis.runs import Run

MOST_RUNS = 12


def report(
    references: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, prefixes, names, or `latest`.")],
    to: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="The file to write; - is stdout.")
    ] = Path("report.html"),
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write one self-contained HTML file: the answer, timeline, rebalances, causes, settings, command to repeat it.

    Several runs are compared side by side. An earlier report at FILE.html is replaced; other files are not overwritten.

    Example: groupsim report latest -o report.html
    """
    from groupsim.analysis.report import report as render
    from groupsim.analysis.runs import open_run

    to_stdout = str(to) == "-"
    if not to_stdout:
        _check(to)
    with existing(store) as opened, progress("report") as bar:
        infos = [opened.find(reference) for reference in dict.fromkeys(references)]
        ids = list(dict.fromkeys(info.id for info in infos))
        if len(ids) > MOST_RUNS:
            raise BadRequest(f"{len(ids)} runs are too many for one report; give at most {MOST_RUNS}")
        text = render([open_run(opened, run) for run in ids], assessment, bar)
    if to_stdout:
        sys.stdout.write(text)
        return
    _write(to, text)
    output.note(f"{to}: {len(text) / 1_000:,.0f} kB, {counted(len(ids), 'run')}; open it in a browser")


def assessment(run: Run) -> Assessment:
    """What a report says of a run beside its tables: what happened, why and what to do, and every invariant."""
    from groupsim.analysis.report.payload import Assessment
    from groupsim.diagnosis.to_report import answer_of_run

    return Assessment(checked_invariants(run), answer_of_run(run))


def checked_invariants(run: Run) -> list[Verdict]:
    """Every invariant, checked again on the facts of the run; of a recorded run, as far as its logs show."""
    from groupsim.analysis.report.payload import Verdict
    from groupsim.invariants import Watch, all_invariants

    watch = Watch(all_invariants())
    for fact in run.state_changing:
        watch.observe(fact)
    watch.finish()
    return [
        Verdict(each.name, each.note, tuple((v.at_ms, v.sentence) for v in watch.violations[each.name]))
        for each in watch.invariants
    ]


def _check(to: Path) -> None:
    """Raises BadRequest, before the work is done, if the report can't or must not be written there."""
    from groupsim.analysis.report.page import MARK

    if to.is_dir():
        raise BadRequest(f"-o {to} is a folder; give the name of a file in it")
    if not to.parent.is_dir():
        raise BadRequest(f"-o {to}: there is no folder {str(to.parent)!r}")
    try:
        head = to.read_bytes()[: len(MARK)] if to.is_file() else b""
    except OSError as error:
        raise BadRequest(f"-o {to} can't be read: {error.strerror or error}") from None
    if head and head != MARK.encode():
        raise BadRequest(f"-o {to} exists and is not a groupsim report; choose another name")


def _write(to: Path, text: str) -> None:
    """Write the file completely or not at all."""
    from groupsim.pipeline.whole_file import whole_file

    if to.exists() and not to.is_file():  # a device or a pipe can't be replaced
        to.write_text(text, "utf-8")
        return
    to = Path(os.path.realpath(to))  # the file that a link names is written, the link stays
    unfinished = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        with whole_file(to, unfinished):
            unfinished.write_text(text, "utf-8")
    except OSError as error:
        raise BadRequest(f"-o {to} can't be written: {error.strerror or error}") from None
