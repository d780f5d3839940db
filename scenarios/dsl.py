"""What scenario files import: `scenario`, the handles, units of time."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from groupsim.simulation.checks import ms, whole
from groupsim.simulation.clients.config import Application
from groupsim.simulation.clients.connect.cluster import Between, WorkerTimes
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.streams.application import Part, Store
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.group import GroupHandle
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.run import Scenario
from groupsim.simulation.topics import Topic
from groupsim.simulation.world import World

__all__ = [
    "Application",
    "Between",
    "GroupHandle",
    "MemberHandle",
    "Part",
    "Script",
    "Store",
    "Topic",
    "WorkerTimes",
    "World",
    "hours",
    "minutes",
    "scenario",
    "seconds",
]


def seconds(n: float) -> int:
    """So many seconds in milliseconds."""
    return _rounded(n, 1_000)


def minutes(n: float) -> int:
    """So many minutes in milliseconds."""
    return _rounded(n, 60_000)


def hours(n: float) -> int:
    """So many hours in milliseconds."""
    return _rounded(n, 3_600_000)


def _rounded(n: float, ms_each: int) -> int:
    if isinstance(n, float) and not math.isfinite(n):
        raise BadScenario(f"a time must be a number, not {n}")
    return round(n * ms_each)


def scenario(*, seed: int = 1, lasts: int) -> Callable[[Callable[..., Any]], Scenario]:
    """Make a generator function a scenario. It takes the World; its other parameters have defaults.

    `seed` is used if the run names none; `lasts` is the simulated time in milliseconds. Raises BadScenario for a
    parameter without a default.
    """

    whole(seed, "seed", -(2**63), 2**63 - 1)
    lasts = ms(lasts, "lasts")

    def decorate(story: Callable[..., Any]) -> Scenario:
        if not callable(story) or inspect.iscoroutinefunction(story) or inspect.isasyncgenfunction(story):
            raise BadScenario(
                f"scenario {getattr(story, '__name__', story)!r} must be a function with `yield`, not async"
            )
        given = list(inspect.signature(story).parameters.values())
        if not given:
            raise BadScenario(f"scenario {story.__name__!r} needs a parameter for the world")
        parameters = given[1:]
        for parameter in parameters:
            default = parameter.default
            unusable = isinstance(default, float) and not math.isfinite(default)
            if unusable or not isinstance(default, int | float | str | bool):
                raise BadScenario(
                    f"scenario {story.__name__!r}: parameter {parameter.name!r} needs a default that is "
                    "a number, a text or a bool"
                )
        params = {parameter.name: parameter.default for parameter in parameters}
        return Scenario(story.__name__, story, seed, lasts, params)

    return decorate
