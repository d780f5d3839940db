"""Runs a scenario in memory; FinishedRun answers questions about it: facts of a type, generations, intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from groupsim import analysis
from groupsim.analysis.availability.intervals import Interval
from groupsim.events import classic as c
from groupsim.events.base import Event, Recorded
from groupsim.scenarios.dsl import World, scenario
from groupsim.simulation.run import RunResult, Scenario, run
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo

E = TypeVar("E", bound=Event)
LATENCY = 1


class FinishedRun:
    """One finished run."""

    def __init__(self, result: RunResult, store: MemoryStore) -> None:
        self.result = result
        self.store = store
        self.log = list(store.read(result.info.id))

    @property
    def info(self) -> RunInfo:
        """The run's entry in the store."""
        return self.result.info

    def each(self, kind: type[E], /, **fields: Any) -> list[tuple[int, E]]:
        """(at_ms, fact) of every fact of this type with these fields."""
        return [
            (f.at_ms, f.event)
            for f in self.log
            if isinstance(f.event, kind) and all(getattr(f.event, k) == v for k, v in fields.items())
        ]

    def at(self, kind: type[E], /, **fields: Any) -> list[int]:
        """When such facts were recorded."""
        return [at for at, _ in self.each(kind, **fields)]

    def one(self, kind: type[E], /, **fields: Any) -> tuple[int, E]:
        """The only such fact."""
        (found,) = self.each(kind, **fields)
        return found

    @property
    def generations(self) -> list[int]:
        """The generations whose join phase completed, in order."""
        return [e.generation for _, e in self.each(c.JoinPhaseCompleted)]

    def intervals(self, partition: int | None = None, since: int = 0, until: int | None = None) -> list[Interval]:
        """Availability of one partition, or all, in part of the run."""
        found = analysis.load(self.store, self.info.id).intervals
        return [
            i
            for i in found
            if (partition is None or i.partition == partition)
            and i.to_ms > since
            and (until is None or i.from_ms < until)
        ]

    def labels(self, partition: int, since: int = 0, until: int | None = None) -> list[str]:
        """Its labels in order, equal neighbours as one."""
        found = [i.label for i in self.intervals(partition, since, until)]
        return [label for i, label in enumerate(found) if i == 0 or found[i - 1] != label]

    def unavailable_ms(self, partition: int, since: int) -> int:
        """How many ms of it were unavailable from `since` on."""
        return sum(i.to_ms - max(i.from_ms, since) for i in self.intervals(partition, since) if i.unavailable)


def play(
    story: Callable[..., Any],
    lasts: int,
    *,
    seed: int = 1,
    record: str = "all",
    green: bool = True,
    host: str = "ideal",
    **settings: Any,
) -> FinishedRun:
    """Play a story, with exact times; `settings` are Kafka's names with _ for dots.

    It must go well, unless `green` is False.
    """
    store = MemoryStore()
    named = {"host": host, **{key.replace("_", "."): value for key, value in settings.items()}}
    kind = story if isinstance(story, Scenario) else scenario(seed=seed, lasts=lasts)(story)
    finished = FinishedRun(run(kind, store, settings=named, record=record), store)
    if green:
        assert finished.result.failure is None, finished.result.failure
        assert finished.result.ok, finished.result.violations
    return finished


def before(log: list[Recorded], at_ms: int) -> list[Recorded]:
    """The facts up to an instant."""
    return [fact for fact in log if fact.at_ms <= at_ms]


__all__ = ["LATENCY", "FinishedRun", "World", "before", "play"]
