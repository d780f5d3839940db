"""What a sweep simulates: a scenario, a grid of settings, seeds. Each point has a stable id."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import msgspec

from groupsim.events.types import RunId
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.whole_file import whole_file
from groupsim.scenarios import catalogue
from groupsim.simulation.run import Scenario

SWEEP, ADVICE = "sweep", "advice"
"""What a folder may be of; its `sweep.json` or `advice.json` says about what."""
_COMMANDS = {SWEEP: "sweep SCENARIO", ADVICE: "advise SCENARIO --vary KEY=V1,V2"}
_json = msgspec.json.Encoder(order="deterministic")


class Point(msgspec.Struct, frozen=True):
    """One run of a sweep: the scenario with these settings and this seed."""

    run: RunId
    seed: int
    settings: dict[str, str]

    @property
    def choice(self) -> str:
        """The settings in one line, `assignor=range session.timeout.ms=10000`, without the seed."""
        return " ".join(f"{key}={value}" for key, value in sorted(self.settings.items()))


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """The scenario of a sweep by reference, with its source text if it is a file of the user."""

    scenario: str
    text: str | None = None
    record: str = "all"


@dataclass(frozen=True, slots=True)
class Sweep:
    """A subject, `fixed` settings, a grid (key -> values, in order) and seeds."""

    subject: Subject
    grid: Mapping[str, Sequence[str]]
    seeds: Sequence[int]
    fixed: Mapping[str, str] = field(default_factory=dict)

    def choices(self) -> Iterator[dict[str, str]]:
        """Every combination of the grid's values, the last key changing fastest."""
        for values in product(*self.grid.values()):
            yield {**self.fixed, **dict(zip(self.grid, values, strict=True))}

    def points(self) -> list[Point]:
        """Every choice under every seed."""
        return [
            Point(run_id(self.subject, seed, settings), seed, settings)
            for settings in self.choices()
            for seed in self.seeds
        ]


def subject(reference: str, record: str = "all") -> Subject:
    """The scenario of this reference, with the text of its file if it is one. Raises PipelineError."""
    path = Path(reference.partition("::")[0])
    if path.suffix != ".py":
        return Subject(scenario=reference, record=record)
    try:
        return Subject(scenario=reference, text=path.read_text(encoding="utf-8"), record=record)
    except (OSError, UnicodeError) as error:
        raise PipelineError(f"scenario file {str(path)!r} can't be read: {error}") from None


def run_id(what: Subject, seed: int, settings: Mapping[str, str]) -> RunId:
    """Twelve hexadecimal digits that depend on the scenario, its text, the seed and the settings, and nothing else."""
    key = _json.encode([what.scenario, what.text, what.record, seed, dict(settings)])
    return hashlib.sha256(key).hexdigest()[:12]


def grid_of(texts: Sequence[str]) -> dict[str, list[str]]:
    """`KEY=V1,V2` texts as a grid. Raises PipelineError for a malformed text and for a key or value given twice."""
    grid: dict[str, list[str]] = {}
    for text in texts:
        key, equals, rest = text.partition("=")
        values = rest.split(",")
        if not equals or not key or "" in values:
            raise PipelineError(f"--grid {text!r}: expected KEY=V1,V2,...")
        if key in grid:
            raise PipelineError(f"--grid {key!r} is given twice")
        if len(set(values)) < len(values):
            twice = next(value for value in values if values.count(value) > 1)
            raise PipelineError(f"--grid {key}: {twice!r} is given twice")
        grid[key] = values
    return grid


def load(what: Subject) -> Scenario:
    """The scenario, loaded from its text if it is a user's file (executors may not have it). Raises BadScenario."""
    if what.text is None:
        return catalogue.find(what.scenario)
    path, _, function = what.scenario.partition("::")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, Path(path).name)
        file.write_text(what.text, encoding="utf-8")
        scenario = catalogue.find(f"{file}::{function}" if function else str(file))
    return replace(scenario, path=what.scenario)


def keep_manifest(what: Subject, directory: Path, *, resume: bool, kind: str = SWEEP) -> None:
    """Write to `directory` what is swept there, or what the advice there is about. Raises PipelineError if the folder
    has other contents, or, without `resume`, any contents."""
    place = directory / f"{kind}.json"
    a = {SWEEP: "a sweep", ADVICE: "an advice"}[kind]
    try:
        begun = f".{place.name}."  # what a killed process left
        used = directory.exists() and any(not path.name.startswith(begun) for path in directory.iterdir())
        if not resume and used:
            held = f"{a}; --resume continues it" if place.exists() else "other files"
            raise PipelineError(f"--to {directory} has {held}; choose a new folder for a new {kind}")
        if place.exists():
            _compare(what, place, kind)
            return
        if resume and (used or not directory.exists()):
            raise PipelineError(f"--resume: {directory} has no {kind} ({place.name}); omit --resume to start one")
        unfinished = directory / f"{begun}{os.getpid()}"
        with whole_file(place, unfinished):
            unfinished.write_bytes(_json.encode(what))
    except OSError as error:
        raise PipelineError(f"--to {directory}: {error.strerror or error}") from None


def _compare(what: Subject, place: Path, kind: str) -> None:
    kept = read_manifest(place.parent, kind)
    if kept.scenario != what.scenario:
        of = "a sweep of" if kind == SWEEP else "an advice on"
        raise PipelineError(f"{place.parent} is {of} {kept.scenario}, not {of.split()[-1]} {what.scenario}")
    if kept.text != what.text:
        raise PipelineError(f"{what.scenario} has changed since the {kind} in {place.parent} started; start a new one")
    if kept.record != what.record:
        raise PipelineError(f"the sweep in {place.parent} was started with --record {kept.record}, not {what.record}")


def read_manifest(directory: Path, kind: str = SWEEP) -> Subject:
    """What is swept in this folder, or what the advice there is about. Raises PipelineError if there is none."""
    place = directory / f"{kind}.json"
    try:
        return msgspec.json.decode(place.read_bytes(), type=Subject)
    except OSError:
        raise PipelineError(
            f"{directory} has no {kind} ({place.name}); `groupsim {_COMMANDS[kind]} --to` creates one"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PipelineError(f"{place} can't be read: {error}") from None


@contextmanager
def alone_in(directory: Path, kind: str = SWEEP) -> Iterator[None]:
    """Lock the folder against a second command that writes there; the lock ends with the process."""
    with (directory / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PipelineError(f"another {kind} is writing to {directory}") from None
        yield
