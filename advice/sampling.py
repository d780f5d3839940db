"""Runs of a scenario in processes side by side: a choice and a seed become measures."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from groupsim.advice.choices import Choice, in_words
from groupsim.advice.errors import AdviceError
from groupsim.advice.selection import Row, Sample
from groupsim.advice.unknown import Unknown, drawn
from groupsim.analysis.tables.measures import measured
from groupsim.events.errors import GroupSimError
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

Work = tuple[str, Mapping[str, str], int]
Play = Callable[[Sequence[Work]], Iterator[Row]]
NOTHING: Mapping[str, str] = {}


def measure(work: Work) -> Row:
    """Run a scenario with these settings under a seed, and measure it. Raises AdviceError."""
    reference, settings, seed = work
    where = f"{reference} with {in_words(settings) or 'its defaults'}, seed {seed}"
    store = MemoryStore()
    try:
        result = run(
            catalogue.find(reference), store, seed=seed, settings=settings, record="facts"
        ).unless_interrupted()
    except GroupSimError as error:
        raise AdviceError(f"{where}: {error}") from None
    if result.failure is not None:
        raise AdviceError(f"{where}: {result.failure}")
    return measured(list(store.read(result.info.id)))


class Runs:
    """Runs of one scenario; `done` counts them. `jobs` processes side by side, the present one alone for 1."""

    def __init__(
        self, reference: str, fixed: Mapping[str, str], first_seed: int, play: Play, progress: Callable[[int], None]
    ) -> None:
        self._reference, self._fixed, self._first_seed = reference, fixed, first_seed
        self._play, self._progress = play, progress
        self.done = 0

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] = NOTHING) -> Sample:
        """A way to sample these choices; what is `unknown` is drawn by the seed, but for what is `held`."""
        between = {key: found for key, found in unknown.items() if key not in held}

        def sampled(asked: Sequence[tuple[int, int]]) -> list[Row]:
            seeds = [self._first_seed + nth for _, nth in asked]
            works = [
                (self._reference, {**self._fixed, **drawn(between, seed), **held, **choices[i]}, seed)
                for (i, _), seed in zip(asked, seeds, strict=True)
            ]
            return [self._counted(row) for row in self._play(works)]

        return sampled

    def _counted(self, row: Row) -> Row:
        self.done += 1
        self._progress(self.done)
        return row


@contextmanager
def runs(
    reference: str,
    fixed: Mapping[str, str],
    first_seed: int,
    jobs: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Iterator[Runs]:
    """Processes for runs of this scenario; seed 0 of a selection is `first_seed`. `progress` gets the runs so far."""
    if jobs == 1:
        yield Runs(reference, fixed, first_seed, lambda works: map(measure, works), progress)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield Runs(reference, fixed, first_seed, lambda works: pool.imap(measure, works), progress)
