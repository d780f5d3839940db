"""Runs of a scenario: a choice and a seed become measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from groupsim.advice.choices import Choice, in_words
from groupsim.advice.errors import AdviceError
from groupsim.advice.selection import Row, Sample
from groupsim.advice.unknown import Unknown, drawn
from groupsim.analysis.tables.measures import measured
from groupsim.events.errors import GroupsimError
from groupsim.pipeline.grid import Subject, load
from groupsim.pipeline.parallel import Spread
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

ROW = dict[str, int | float]
"""The type of a kept row."""
Work = tuple[Mapping[str, str], int]
NOTHING: Mapping[str, str] = {}
_load = lru_cache(maxsize=1)(load)


def measure(what: Subject, work: Work) -> Row:
    """Run a scenario with these settings under a seed, and measure it. Raises AdviceError."""
    settings, seed = work
    where = f"{what.scenario} with {in_words(settings) or 'its defaults'}, seed {seed}"
    store = MemoryStore()
    try:
        result = run(_load(what), store, seed=seed, settings=settings, record="facts").unless_interrupted()
    except GroupsimError as error:
        raise AdviceError(f"{where}: {error}") from None
    if result.failure is not None:
        raise AdviceError(f"{where}: {result.failure}")
    return measured(list(store.read(result.info.id)))


class Runs:
    """Runs of one scenario; `done` counts them. Seed 0 of a selection is `first_seed`; `needed` measures have a value.

    `progress` gets the runs so far. Raises AdviceError where a run has no such measure.
    """

    def __init__(
        self,
        what: Subject,
        fixed: Mapping[str, str],
        first_seed: int,
        spread: Spread,
        progress: Callable[[int], None] = lambda _: None,
        needed: Sequence[str] = (),
    ) -> None:
        self._measure = partial(measure, what)
        self._fixed, self._first_seed = fixed, first_seed
        self._spread, self._progress, self._needed = spread, progress, needed
        self._known: dict[tuple[tuple[tuple[str, str], ...], int], Row] = {}
        self.done = 0

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] = NOTHING) -> Sample:
        """A way to sample these choices; what is `unknown` is drawn by the seed, but for what is `held`."""
        first = self._first_seed

        def sampled(asked: Sequence[tuple[int, int]]) -> list[Row]:
            works = [
                ({**self._fixed, **drawn(unknown, nth, first), **held, **choices[i]}, first + nth) for i, nth in asked
            ]
            return self._played(works)

        return sampled

    def _played(self, works: Sequence[Work]) -> list[Row]:
        """One row a run; what was played before is known."""
        keys = [(tuple(sorted(settings.items())), seed) for settings, seed in works]
        new = {key: work for key, work in zip(keys, works, strict=True) if key not in self._known}
        for key, row in zip(new, self._spread(self._measure, list(new.values())), strict=True):
            self._known[key] = self._counted(row)
        return [self._known[key] for key in keys]

    def _counted(self, row: Row) -> Row:
        for name in self._needed:
            if name not in row:
                raise AdviceError(f"{name} is not known: no topic has a rate; --set load.rate=N gives them one")
        self.done += 1
        self._progress(self.done)
        return row
