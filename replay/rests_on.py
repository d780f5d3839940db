"""Basis: what an answer rests on besides the logs: given by the user, inferred, drawn by the seeds, assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groupsim.replay.reconstruct.inferred_settings.evidence import ASSUMABLE
from groupsim.replay.replayable import ReplayableRun


@dataclass(frozen=True, slots=True)
class Basis:
    """Sentences. `given` by the user; `inferred` from the logs; `drawn`: unknown, so that each seed draws a value;
    `assumed`: what no log shows.
    """

    given: tuple[str, ...]
    inferred: tuple[str, ...]
    drawn: tuple[str, ...]
    assumed: tuple[str, ...]


def basis(incident: ReplayableRun, notes: Sequence[str]) -> Basis:
    """The notes of an answer by what they rest on, and what the user gave."""
    record = incident.incident
    drawn = set() if record is None else set(record.open_settings)
    shown = set() if record is None else record.known_settings - drawn
    of = {note: note.partition("=")[0] for note in notes}  # a note on a setting begins with it and its value
    settings = {note: name for note, name in of.items() if name in ASSUMABLE}
    return Basis(
        given=incident.given,
        inferred=tuple(note for note in notes if settings.get(note) in shown),
        drawn=tuple(note for note in notes if settings.get(note) in drawn),
        assumed=tuple(note for note in notes if settings.get(note) not in {*shown, *drawn}),
    )
