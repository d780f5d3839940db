"""What the advice on an incident's logs recommends: the first choices of its table, and what it expects of each."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

import msgspec

from groupsim.advice.advice import Advice
from groupsim.advice.as_data import ranked
from groupsim.advice.choices import vary
from groupsim.advice.incident import advise
from groupsim.advice.selection import Goal
from groupsim.advice.sentences import in_one_sentence
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.replayable import replayable_run
from groupsim.storage.memory import MemoryStore
from recorders.families.family import HEARTBEAT, SESSION, STATIC
from recorders.recommendations.asked import TOP, AskedIncident


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
    found = advise(replayable_run(store, imported.run), vary(incident.vary), Goal())
    name = found.goal.minimise
    return Recommendations(
        run=incident.run,
        answer=in_one_sentence(found),
        as_recorded=_recommended(incident.as_recorded, {}, [row[name] for row in found.now]),
        top=[_of_choice(incident, found, i) for i in ranked(found)[:TOP]],
    )


def _of_choice(incident: AskedIncident, found: Advice, i: int) -> Recommended:
    values = [row[found.goal.minimise] for row in found.selection.rows[i]]
    return _recommended(_name(incident, found.choices[i]), found.choices[i], values)


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
    found = settings["assignor"] + (f"-{STATIC}" if settings["static"] == "true" else "")
    for key, short, own in (
        ("heartbeat.interval.ms", HEARTBEAT, family.heartbeat_ms),
        ("session.timeout.ms", SESSION, family.session_ms),
    ):
        if key in settings and int(settings[key]) != own:
            found += f"-{short}{settings[key]}"
    return found
