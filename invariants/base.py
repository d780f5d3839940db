"""What an invariant is, and what it says when it is broken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import msgspec

from groupsim.events.base import Recorded


class Violation(msgspec.Struct, frozen=True):
    """An invariant was broken: when (simulated ms), by which fact (its seq; at the end of a run the last one), how."""

    name: str
    at_ms: int
    seq: int
    sentence: str


class Invariant(Protocol):
    """Folds over one run's facts. `note` is what is worth telling of a run that kept it, empty if nothing is."""

    @property
    def name(self) -> str:
        """Kebab-case, stable: scripts filter by it."""
        ...

    @property
    def note(self) -> str:
        """A remark for people, such as `slowest 21.4 s`; final after `finish`."""
        ...

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Look at the next fact. The iterator must be consumed for the fact to count."""
        ...

    def finish(self) -> Iterator[Violation]:
        """The run is over: what should have happened and did not."""
        ...
