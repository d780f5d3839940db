"""`score_runs`: asks runs one after the other, in a fixed order, until a number of pairs or a time is reached."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from groupsim.conformance.predictions import results
from groupsim.conformance.predictions.ask import ask
from groupsim.conformance.predictions.families import RecordedRun, families, in_order
from groupsim.conformance.predictions.results import AskedRun, Evidence, Setting
from groupsim.pipeline.parallel import streamed

ROOT = Path(__file__).parents[2]


class Budget(NamedTuple):
    """At most so many pairs; no run is begun after so many seconds; so many processes work at once."""

    pairs: int | None = None
    seconds: float | None = None
    jobs: int = 1


class _Work(NamedTuple):
    run: RecordedRun
    others: list[RecordedRun]
    seeds: range
    evidence: Evidence


def setting_of(
    folder: Path,
    runs: Sequence[RecordedRun],
    seeds: range,
    evidence: Evidence,
    left_out: int,
    *,
    across: bool = False,
) -> Setting:
    """The setting of a scoring of these runs, dated now."""
    truths = {
        family: {choice: {run.id: run.real_ms for run in repetitions} for choice, repetitions in choices.items()}
        for family, choices in families(runs).items()
    }
    return Setting(
        folder=folder.resolve().name,
        evidence=evidence,
        seeds=(seeds.start, seeds.stop),
        date=datetime.now(UTC).date().isoformat(),
        version=_version(),
        truths=truths,
        left_out=left_out,
        across=across,
    )


def score_runs(
    runs: Sequence[RecordedRun],
    setting: Setting,
    file: Path | None,
    budget: Budget,
    progress: Callable[[float], None] = lambda _: None,
) -> tuple[Setting, list[AskedRun]]:
    """Ask every run that a family has other choices for; what `file` holds already is not asked again.

    Returns the setting (the file's, if it was begun before) and the runs in the order in which they are asked. Raises
    BadRecording for a file of another scoring.
    """
    began = time.monotonic()
    setting, before = results.continued(file, setting)
    done = {asked.run: asked for asked in before}
    seeds = range(*setting.seeds)
    order = _within(list(in_order(runs, across=setting.across)), budget.pairs)
    waiting = [_Work(run, others, seeds, setting.evidence) for run, others in order if run.id not in done]
    coming = streamed(min(budget.jobs, len(waiting)), _ask, _in_time(waiting, began, budget), at_once=1)
    with closing(coming) as answers:
        for asked in answers:
            results.add(file, asked)
            done[asked.run] = asked
            progress(len(done) / len(order))
    return setting, [done[run.id] for run, _ in order if run.id in done]


def _within(
    order: list[tuple[RecordedRun, list[RecordedRun]]], most: int | None
) -> list[tuple[RecordedRun, list[RecordedRun]]]:
    """The first runs, until they have so many pairs; the last one may have more."""
    if most is None:
        return order
    taken, pairs = [], 0
    for run, others in order:
        if pairs >= most:
            break
        taken.append((run, others))
        pairs += len(others)
    return taken


def _in_time(waiting: Sequence[_Work], began: float, budget: Budget) -> Iterator[_Work]:
    for work in waiting:
        if budget.seconds is not None and time.monotonic() - began >= budget.seconds:
            return
        yield work


def _ask(work: _Work) -> AskedRun:
    return ask(*work)


def _version() -> str:
    """The version of this program, with the commit if it runs from a checkout."""
    try:
        released = version("groupsim")
    except PackageNotFoundError:
        released = "not installed"
    if not (ROOT / ".git").exists():
        return released
    try:
        git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return released
    return f"{released}, commit {git.stdout.strip()}" if git.returncode == 0 else released
