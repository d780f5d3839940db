"""What an invariant is, what it says when it is broken, and how all of them watch one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

import msgspec

from groupsim.events.base import Event, Recorded


class Violation(msgspec.Struct, frozen=True):
    """An invariant was broken: when (simulated ms), by which fact (its seq; at the end of a run the last one), how."""

    name: str
    at_ms: int
    seq: int
    sentence: str


class Invariant(Protocol):
    """Folds over one run's facts.

    `reads` are the types of fact it needs; it is given no others. `note` is a remark on a run that kept it, empty if
    there is none. One about a kind of group has that kind's first fact as `begins`: runs without it leave it out.
    """

    reads: ClassVar[tuple[type[Event], ...]]

    @property
    def name(self) -> str:
        """Kebab-case, stable: scripts filter by it."""
        ...

    @property
    def note(self) -> str:
        """A remark for people, such as `slowest 21.4 s`; final after `finish`."""
        ...

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Look at the next fact of a type in `reads`. The iterator must be consumed for the fact to count."""
        ...

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """The run is over, its last fact was `seq`: what should have happened and did not."""
        ...


class Watch:
    """Invariants on one run. Each is given the facts that it reads, in order; `violations` are by its name."""

    def __init__(self, invariants: Sequence[Invariant]) -> None:
        self.invariants = tuple(invariants)
        self.violations: dict[str, list[Violation]] = {invariant.name: [] for invariant in self.invariants}
        self._readers: defaultdict[type[Event], list[Invariant]] = defaultdict(list)
        for invariant in self.invariants:
            for kind in invariant.reads:
                self._readers[kind].append(invariant)
        self._last = (0, 0)
        self._seen: set[type[Event]] = set()

    def observe(self, fact: Recorded) -> None:
        """The next fact of the run; noise may be left out."""
        self._last = (fact.at_ms, fact.seq)
        readers = self._readers.get(type(fact.event), ())
        if readers:
            self._seen.add(type(fact.event))
        for invariant in readers:
            self.violations[invariant.name].extend(invariant.observe(fact))

    def finish(self) -> None:
        """The run is over: what is about a kind of group that it does not have is left out."""
        self.invariants = tuple(i for i in self.invariants if getattr(i, "begins", None) in (None, *self._seen))
        self.violations = {invariant.name: self.violations[invariant.name] for invariant in self.invariants}
        for invariant in self.invariants:
            self.violations[invariant.name].extend(invariant.finish(*self._last))
