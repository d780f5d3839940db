"""What a sweep simulates: a scenario, a grid of settings, seeds. Each point has a stable id."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import msgspec

from groupsim.events.types import RunId
from groupsim.pipeline.errors import PipelineError

MANIFEST = "sweep.json"
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
    found: dict[str, list[str]] = {}
    for text in texts:
        key, equals, rest = text.partition("=")
        values = rest.split(",")
        if not equals or not key or "" in values:
            raise PipelineError(f"--grid {text!r}: expected KEY=V1,V2,...")
        if key in found:
            raise PipelineError(f"--grid {key!r} is given twice")
        if len(set(values)) < len(values):
            twice = next(value for value in values if values.count(value) > 1)
            raise PipelineError(f"--grid {key}: {twice!r} is given twice")
        found[key] = values
    return found


def keep_manifest(what: Subject, directory: Path, *, resume: bool) -> None:
    """Write to `directory` what is swept there. Raises PipelineError if the folder has other contents, or, without
    `resume`, any contents."""
    place = directory / MANIFEST
    try:
        if not resume and directory.exists() and any(directory.iterdir()):
            held = "a sweep; --resume continues it" if place.exists() else "other files"
            raise PipelineError(f"--to {directory} has {held}; choose a new folder for a new sweep")
        if place.exists():
            _compare(what, place)
            return
        if resume and (not directory.exists() or any(directory.iterdir())):
            raise PipelineError(f"--resume: {directory} has no sweep ({MANIFEST}); omit --resume to start one")
        directory.mkdir(parents=True, exist_ok=True)
        unfinished = directory / f".{MANIFEST}.{os.getpid()}"
        unfinished.write_bytes(_json.encode(what))
        unfinished.replace(place)
    except OSError as error:
        raise PipelineError(f"--to {directory}: {error.strerror or error}") from None


def _compare(what: Subject, place: Path) -> None:
    kept = read_manifest(place.parent)
    if kept.scenario != what.scenario:
        raise PipelineError(f"{place.parent} is a sweep of {kept.scenario}, not of {what.scenario}")
    if kept.text != what.text:
        raise PipelineError(f"{what.scenario} has changed since the sweep in {place.parent} started; start a new one")
    if kept.record != what.record:
        raise PipelineError(f"the sweep in {place.parent} was started with --record {kept.record}, not {what.record}")


def read_manifest(directory: Path) -> Subject:
    """The scenario of the sweep in this folder. Raises PipelineError if there is none."""
    place = directory / MANIFEST
    try:
        return msgspec.json.decode(place.read_bytes(), type=Subject)
    except OSError:
        raise PipelineError(
            f"{directory} has no sweep ({MANIFEST}); `groupsim sweep SCENARIO --to` creates one"
        ) from None
    except msgspec.MsgspecError as error:
        raise PipelineError(f"{place} can't be read: {error}") from None
