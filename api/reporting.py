"""The report of runs as a file: its text, and where it may be written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from groupsim.api.errors import BadRequest

if TYPE_CHECKING:
    from groupsim.analysis.report.payload import Assessment, Verdict
    from groupsim.analysis.runs import Run
    from groupsim.events.base import Recorded
    from groupsim.invariants import Watch

MOST_RUNS = 12


def rendered(runs: Sequence[Run], progress: Callable[[float], None] = lambda _: None) -> str:
    """The text of the report of these runs, each once. Raises BadRequest for too many."""
    from groupsim.analysis.report import report

    different = list({run.info.id: run for run in runs}.values())
    if len(different) > MOST_RUNS:
        raise BadRequest(f"{len(different)} runs are too many for one report; give at most {MOST_RUNS}")
    return report(different, assessment, progress)


def written(to: Path, text: str) -> Path:
    """The path, after the text was written there. Raises BadRequest if it can't or must not be."""
    check_place(to)
    write(to, text)
    return to


def assessment(run: Run) -> Assessment:
    """What a report says of a run beside its tables: what happened, why and what to do, and every invariant."""
    from groupsim.analysis.report.payload import Assessment
    from groupsim.diagnosis.to_report import answer_of_run

    return Assessment(checked_invariants(run), answer_of_run(run))


def watched(facts: Iterable[Recorded]) -> Watch:
    """Every invariant, after all facts of a run."""
    from groupsim.invariants import Watch, all_invariants

    watch = Watch(all_invariants())
    for fact in facts:
        watch.observe(fact)
    watch.finish()
    return watch


def checked_invariants(run: Run) -> list[Verdict]:
    """Every invariant, checked again on the facts of the run; of a recorded run, as far as its logs show."""
    from groupsim.analysis.report.payload import Verdict

    watch = watched(run.state_changing)
    return [
        Verdict(each.name, each.note, tuple((v.at_ms, v.sentence) for v in watch.violations[each.name]))
        for each in watch.invariants
    ]


def check_place(to: Path, option: str = "") -> None:
    """Raises BadRequest, before the work is done, if the report can't or must not be written there."""
    from groupsim.analysis.report.page import MARK

    if to.is_dir():
        raise BadRequest(f"{option}{to} is a folder; give the name of a file in it")
    if not to.parent.is_dir():
        raise BadRequest(f"{option}{to}: there is no folder {str(to.parent)!r}")
    try:
        head = to.read_bytes()[: len(MARK)] if to.is_file() else b""
    except OSError as error:
        raise BadRequest(f"{option}{to} can't be read: {error.strerror or error}") from None
    if head and head != MARK.encode():
        raise BadRequest(f"{option}{to} exists and is not a groupsim report; choose another name")


def write(to: Path, text: str, option: str = "") -> None:
    """Write the file completely or not at all. `option`: before its name, in errors."""
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
        raise BadRequest(f"{option}{to} can't be written: {error.strerror or error}") from None
