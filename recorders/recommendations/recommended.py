"""What the advice on two recorded incidents recommends: the first choices of its table, and what it expects of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import msgspec

from groupsim.advice.advice import Advice
from groupsim.advice.as_data import ranked
from groupsim.advice.choices import vary
from groupsim.advice.incident import advise
from groupsim.advice.selection import Goal
from groupsim.advice.sentences import answer
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.replayable import replayable_run
from groupsim.storage.memory import MemoryStore
from recorders.families.catalogue import FAMILIES
from recorders.families.family import HEARTBEAT, SESSION, STATIC, Family

ROOT = Path(__file__).resolve().parents[2]
FAMILIES_FOLDER = ROOT / "tests" / "golden" / "families"
FOLDER = ROOT / "tests" / "golden" / "recommendations"
TOP = 5
"""So many recommendations are played: the best of the advice's table."""
REPETITIONS = 3


@dataclass(frozen=True, slots=True)
class AskedIncident:
    """A recorded run of a family, and what is varied, as `--vary` takes it."""

    run: str
    number: int
    vary: tuple[str, ...]

    @property
    def family(self) -> Family:
        """The story that it is a run of."""
        return next(family for family in FAMILIES if family.number == self.number)

    @property
    def folder(self) -> Path:
        """Where its logs are."""
        return FAMILIES_FOLDER / self.family.half / self.run

    @property
    def as_recorded(self) -> str:
        """Its own choice."""
        return self.run.split("__")[1]


INCIDENTS = (
    AskedIncident(
        "S07-rolling-restart__range__d1-f18__r1",
        18,
        ("assignor=range,cooperative-sticky", "static=true,false", "heartbeat.interval.ms=250,500,1000"),
    ),
    AskedIncident(
        "W02-kill9-return__range__d1-f12__r1",
        12,
        ("assignor=range,cooperative-sticky", "static=true,false", "session.timeout.ms=6000,8000"),
    ),
)
"""A rolling restart and a kill -9, both of `range` with dynamic members; chosen before anything was played."""


class Recommended(msgspec.Struct, frozen=True, kw_only=True):
    """One choice. `expected_ms`: mean of the seeds; `least_ms`, `most_ms`: of them, in partition-milliseconds."""

    name: str
    settings: dict[str, str]
    expected_ms: int
    least_ms: int
    most_ms: int


class Recommendations(msgspec.Struct, frozen=True, kw_only=True):
    """Of one incident: the answer, what its own settings are expected to cost, and the recommendations, best first."""

    run: str
    answer: str
    as_recorded: Recommended
    top: list[Recommended]


def recommend(incident: AskedIncident) -> Recommendations:
    """The advice on the logs alone, in the order of its table."""
    store = MemoryStore()
    logs = read_files(sorted((incident.folder / "logs").glob("*")))
    imported = import_run(logs, store, name=None, topics={}, session_timeout_ms=None)
    advice = advise(replayable_run(store, imported.run), vary(incident.vary), Goal())
    name = advice.goal.minimise
    return Recommendations(
        run=incident.run,
        answer=answer(advice),
        as_recorded=_recommended(incident.as_recorded, {}, [row[name] for row in advice.now]),
        top=[_of_choice(incident, advice, i) for i in ranked(advice)[:TOP]],
    )


def _of_choice(incident: AskedIncident, advice: Advice, i: int) -> Recommended:
    values = [row[advice.goal.minimise] for row in advice.selection.rows[i]]
    return _recommended(_name(incident, advice.choices[i]), advice.choices[i], values)


def _recommended(name: str, settings: Mapping[str, str], values: list[float]) -> Recommended:
    return Recommended(
        name=name,
        settings=dict(settings),
        expected_ms=round(fmean(values)),
        least_ms=round(min(values)),
        most_ms=round(max(values)),
    )


def _name(incident: AskedIncident, settings: Mapping[str, str]) -> str:
    """As recordings of families name it: `cooperative-sticky-static-hb1000`."""
    family = incident.family
    name = settings["assignor"] + (f"-{STATIC}" if settings["static"] == "true" else "")
    for key, short, own in (
        ("heartbeat.interval.ms", HEARTBEAT, family.heartbeat_ms),
        ("session.timeout.ms", SESSION, family.session_ms),
    ):
        if key in settings and int(settings[key]) != own:
            name += f"-{short}{settings[key]}"
    return name
