"""FactBuilder: collects the facts of one run, each with its time, stream and line, and notes on what was assumed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from groupsim.events.base import Event
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.wording.lists import listed, quoted

_GROUPS_NAMED = 5


class PendingFact(NamedTuple):
    """A fact before it is stored. It sorts by time, then by the position of its row, then by `step` (one row's facts).

    `at` is in UTC milliseconds since 1970, `source` is `file:line`.
    """

    at: int
    position: int
    step: int
    stream: str
    event: Event
    source: str


class FactBuilder:
    """Collects the facts of one run and the notes about what had to be assumed; each note is kept once."""

    def __init__(self) -> None:
        self._facts: list[PendingFact] = []
        self._notes: dict[str, dict[str | None, None]] = {}
        self.doubts: list[str] = []

    def add(self, position: int, timed: TimedRow, stream: str, event: Event) -> None:
        """Add a fact that was read from the row at `position` in the common order of all rows."""
        row = timed.row
        self._facts.append(PendingFact(timed.at, position, len(self._facts), stream, event, f"{row.file}:{row.line}"))

    def infer(self, like: PendingFact, stream: str, event: Event) -> None:
        """Add a fact that follows from another one, in its place."""
        self._facts.append(like._replace(step=len(self._facts), stream=stream, event=event))

    def note(self, sentence: str, group: str | None = None) -> None:
        """Keep a sentence about what the logs do not show or what was assumed, of `group` if one is named."""
        self._notes.setdefault(sentence, {}).setdefault(group)

    def note_all(self, sentences: Iterable[str]) -> None:
        """Keep sentences of all groups."""
        for sentence in sentences:
            self.note(sentence)

    def doubt(self, sentence: str) -> None:
        """Keep a sentence that says why no total can be taken from these facts."""
        self.doubts.append(sentence)

    def facts(self) -> list[PendingFact]:
        """All facts in order."""
        return sorted(self._facts, key=lambda fact: (fact.at, fact.position, fact.step))

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes, in order of first mention; a note on several groups is one sentence that names them."""
        return tuple(
            _with_groups(sentence, [group for group in groups if group is not None])
            for sentence, groups in self._notes.items()
        )


def _with_groups(sentence: str, groups: list[str]) -> str:
    if not groups:
        return sentence
    return f"group{'s' if len(groups) > 1 else ''} {listed(quoted(groups), _GROUPS_NAMED)}: {sentence}"
