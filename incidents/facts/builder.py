"""What the story writes before it is stored: facts with a time, a stream and the line they came from, kept in order."""

from __future__ import annotations

import re
from typing import NamedTuple

from groupsim.events.base import Event
from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.clocks import TimedRow

_NAMED = 5
_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")


class PendingFact(NamedTuple):
    """A fact in the making. It sorts by time, then by the place of its line, then by `step` (facts of one line)."""

    at: int
    place: int
    step: int
    stream: str
    event: Event
    source: str


class FactBuilder:
    """Collects the facts of one run and the notes about what had to be assumed; each note is kept once."""

    def __init__(self) -> None:
        self.told: list[PendingFact] = []
        self._notes: dict[str, dict[str | None, None]] = {}

    def tell(self, place: int, at: TimedRow, stream: str, event: Event) -> None:
        """Add a fact that the row at `place` (its index in the one order) tells."""
        row = at.row
        self.told.append(PendingFact(at.at, place, len(self.told), stream, event, f"{row.file}:{row.line}"))

    def note(self, sentence: str, group: str | None = None) -> None:
        """Say what the logs cannot tell, or what was assumed; of a group, if it is named."""
        self._notes.setdefault(sentence, {}).setdefault(group)

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes, in order of first mention; what is true of several groups is said once."""
        return tuple(_said(sentence, [g for g in groups if g is not None]) for sentence, groups in self._notes.items())


def _said(sentence: str, groups: list[str]) -> str:
    if not groups:
        return sentence
    named = ", ".join(groups[:_NAMED]) + (f" and {len(groups) - _NAMED} more" if len(groups) > _NAMED else "")
    return f"group{'s' if len(groups) > 1 else ''} {named}: {sentence}"


def client_of(member: str) -> str | None:
    """The client id inside a dynamic member id (`clientId-UUID`), or None."""
    found = _UUID.search(member)
    return member[: found.start()] or None if found else None


def parts(names: object) -> Partitions:
    """`topic-n` names as partitions, sorted and without repeats."""
    found = set()
    for name in names if isinstance(names, list) else ():
        topic, _, index = str(name).rpartition("-")
        if topic and index.isascii() and index.isdigit():
            found.add(TopicPartition(topic, int(index)))
    return tuple(sorted(found))


def number(value: object) -> int | None:
    """An int out of a row's detail, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def words(value: object) -> str | None:
    """A non-empty text out of a row's detail, or None."""
    return value if isinstance(value, str) and value else None
