"""A scenario's measures under a seed, as `groupsim.advice.sampling.measure` finds them, at two thirds of the time."""

from __future__ import annotations

from collections.abc import Mapping

import simpy

from groupsim.analysis.tables.measures import measured
from groupsim.events.base import WORLD_STREAM, Recorded
from groupsim.events.world import RunEnded
from groupsim.simulation.log import Log
from groupsim.simulation.run import Scenario, resolve_settings
from groupsim.simulation.world import World
from groupsim.storage.store import RecordMode, RunInfo, RunSource, RunStatus


class _Nothing:
    """A writer that keeps nothing: facts are taken on their way to it, unwritten and unread."""

    def __init__(self) -> None:
        self.info = RunInfo(id="bare", name="bare", source=RunSource.SIMULATED, record=RecordMode.FACTS)

    def append(self, *_: object) -> None:
        pass


def measure(scenario: Scenario, settings: Mapping[str, str], seed: int) -> dict[str, float]:
    """The measures, and the number of `facts`.

    Raises GroupsimError for a setting that will not do or a claim that does not hold, ValueError for a story that
    was not over."""
    params, lasts, given = resolve_settings(scenario, settings)
    env = simpy.Environment()
    log = Log(env, _Nothing())  # type: ignore[arg-type]
    facts: list[Recorded] = []
    log.watchers.append(facts.append)
    world = World(env, log, seed, given)
    story = env.process(scenario.story(world, **params))
    env.run(until=lasts)
    if story.is_alive:
        raise ValueError(f"the story was not over after {lasts} ms")
    log.append(WORLD_STREAM, [RunEnded(status=RunStatus.FINISHED)])
    return {**measured(facts), "facts": len(facts)}
