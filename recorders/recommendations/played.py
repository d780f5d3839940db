"""The recommendations on a real Kafka, beside the settings of the record; what each run cost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from groupsim.conformance.predictions.families import RecordedRun, read_folder
from recorders.families import recorder
from recorders.families.family import Family
from recorders.recommendations.recommended import FOLDER, INCIDENTS, REPETITIONS, AskedIncident, Recommendations

ADVICE, TODAY = "advice.json", "today.json"
"""What was recommended before anything was played, and what the code of today recommends."""


def record(log: Callable[[str], None], folder: Path = FOLDER) -> None:
    """Play what is not there yet, and keep what it cost without its logs. Raises Unavailable without a Kafka."""
    recorder.record(folder, [_family(incident, advice(incident, folder)) for incident in INCIDENTS], log, REPETITIONS)
    for logs in folder.glob(f"*/*/{recorder.LOGS}"):
        shutil.rmtree(logs)


def advice(incident: AskedIncident, folder: Path = FOLDER) -> Recommendations:
    """What was recommended before anything was played."""
    return next(stored for stored in _stored(folder / ADVICE) if stored.run == incident.run)


def today(incident: AskedIncident, folder: Path = FOLDER) -> Recommendations | None:
    """What the code of today recommends; None where it was not asked again."""
    return next((stored for stored in _stored(folder / TODAY) if stored.run == incident.run), None)


def _stored(file: Path) -> list[Recommendations]:
    return msgspec.json.decode(file.read_bytes(), type=list[Recommendations])


def _family(incident: AskedIncident, advised: Recommendations) -> Family:
    names = dict.fromkeys([incident.as_recorded, *(recommended.name for recommended in advised.top)])
    return replace(incident.family, choices=" ".join(names))


def itself(incident: AskedIncident) -> RecordedRun:
    """The run that the advice was asked about."""
    return next(run for run in read_folder(incident.folder.parent)[0] if run.id == incident.run)


def real(incident: AskedIncident, folder: Path = FOLDER) -> dict[str, list[RecordedRun]]:
    """The recorded runs of an incident's story, by choice."""
    by_choice: dict[str, list[RecordedRun]] = {}
    for run in read_folder(folder / incident.family.half)[0]:
        if f"-{incident.family.name}__" in run.id:
            by_choice.setdefault(run.choice, []).append(run)
    return by_choice
