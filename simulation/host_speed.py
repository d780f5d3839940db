"""How slow a host is: its steps against those of the machine that `latencies` were measured on.

One number holds for all steps of all programs of a host: three machines whose median start took 138, 264 and 494 ms
took 1.0, 1.9 and 3.0 times as long for the steps of a join (by geometric means). So it can be read from any of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import exp, log, sqrt

from groupsim.coordinator.config import near
from groupsim.simulation import checks
from groupsim.simulation.clients.config import AIOKAFKA, JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA, SARAMA
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.latencies import (
    IDLE_DRIFT,
    IDLE_DRIFT_SHARED,
    IDLE_LATE,
    IDLE_STEPS,
    LATENCIES,
    NONE,
    POSITIONED,
    Drawn,
    Latencies,
)


class Step(StrEnum):
    """What a log shows of a host's speed; `first`: the first time in a process, when classes are loaded.

    From a consumer that is built to its first JoinGroup (`consumer start`: ConsumerGroupHeartbeat) at the coordinator;
    `subscribed`: from its first log line to there; from a completed join phase to its answer in the client's log; from
    there to the leader's assignment at the coordinator; `led`: both together, which the broker's log shows without the
    client's.
    """

    START = "start"
    CONSUMER_START = "consumer start"
    SUBSCRIBED = "subscribed"
    FIRST_JOINED = "first joined"
    JOINED = "joined"
    FIRST_ASSIGNOR = "first assignor"
    ASSIGNOR = "assignor"
    FIRST_LED = "first led"
    LED = "led"


FIRST_STEPS = (
    Step.START,
    Step.CONSUMER_START,
    Step.SUBSCRIBED,
    Step.FIRST_JOINED,
    Step.FIRST_ASSIGNOR,
    Step.FIRST_LED,
)
USUAL_MS: dict[str, dict[Step, float]] = {
    JAVA: {
        Step.START: 138,
        Step.CONSUMER_START: 94,
        Step.SUBSCRIBED: 100,
        Step.FIRST_JOINED: 10,
        Step.JOINED: 2,
        Step.FIRST_ASSIGNOR: 15,
        Step.ASSIGNOR: 4,
        Step.FIRST_LED: 21,
        Step.LED: 7,
    },
    LIBRDKAFKA: {Step.START: 56},
    KAFKA_PYTHON: {Step.START: 20},
    **{library: {} for library in (KAFKAJS, SARAMA, AIOKAFKA)},
}
"""Their medians on the machine that `latencies` were measured on (666 starts, 71 by the consumer protocol, 690 first
lines, 1,929 answers, 774 assignments)."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A host: how slow it is in what a process does again and again, and for the first time. `idle`: what it runs has
    little to do, and wakes in time.
    """

    again: float
    first: float
    idle: bool = False


IDEAL = "ideal"
"""The host on which no step takes time and each heartbeat is in time: for teaching, and for tests."""
DEFAULT = "quiet"
"""What a world has until a scenario says otherwise."""
HOSTS: dict[str, Profile] = {
    "quiet": Profile(1.0, 1.2, idle=True),
    "half-busy": Profile(1.0, 1.0),
    "busy": Profile(1.9, 1.9),
    "overloaded": Profile(3.0, 3.0),
}
"""Measured: two cores whose share in use was 0.2, 0.56, 0.66 and 0.74 in the median (1.0 in the worst second). The
first is another machine, with slower cores, after its programs had started (three recordings without their first 30 s:
254 steps again, 47 first; while they started, with all of both cores in use, it was as slow as an overloaded one: again
3.0, first 2.4). What is less there is how long programs wait for a processor (`IDLE_LATE`, `IDLE_STEPS`)."""
SLOWEST = 1_000.0
NOT_THE_HOSTS = ("command", "napping", "metadata", "slowness")
"""Distributions of `Latencies` that a slow host does not stretch: they are set by timers."""
WAKING: tuple[str, ...] = ("drift", "hiccup")
"""Distributions of how late a thread wakes: they grow with the root of the slowness only (105 recorded intervals on a
host that is slower by 2.9 were late by twice as much as usual)."""
FIRST_TIMES: tuple[str, ...] = (
    "start",
    "consumer_start",
    "first_beat",
    "first_joined",
    "first_assignor",
    "first_synced",
    "first_assigned",
    "first_fetched",
    "first_committed",
)
"""Distributions of what loads classes in a new process. Where one has run the same code before, it is fast."""
PRIOR_STEPS = 3.0
"""As many steps as the assumption that the host is an ordinary one counts for: (0.9 / 0.5)².

Logarithms of a step's duration spread by 0.9 on one host, those of hosts by about 0.5.
"""
HALF_MS = 0.5
"""Added to durations, which are whole milliseconds."""


def profile_of(speed: str | float) -> Profile | None:
    """A measured profile by name, or how many times slower than a half-busy one; None for the ideal host.

    Raises BadScenario.
    """
    if speed == IDEAL:
        return None
    if isinstance(speed, str):
        if speed not in HOSTS:
            raise BadScenario(
                f"the host must be {', '.join((IDEAL, *HOSTS))}, or a number, not {speed!r}{near(speed, HOSTS)}"
            )
        return HOSTS[speed]
    factor = checks.number(speed, "the host's slowness", SLOWEST)
    if factor <= 0:
        raise BadScenario(f"the host's slowness must be more than 0, not {speed!r}")
    return Profile(factor, factor)


def slowness(steps: Iterable[tuple[str, Step, float]], assumed: float = 1.0) -> float:
    """How much slower than usual these steps were, each with its library and duration (ms): a geometric mean.

    `assumed` of no steps; of few, nearer to it than they say.
    """
    known = [(ms, USUAL_MS[library][step]) for library, step, ms in steps if step in USUAL_MS[library]]
    ratios = [log((max(0.0, ms) + HALF_MS) / (usual_ms + HALF_MS)) for ms, usual_ms in known]
    return exp((sum(ratios) + PRIOR_STEPS * log(assumed)) / (len(ratios) + PRIOR_STEPS))


def again_and_first(steps: Iterable[tuple[str, Step, float]]) -> tuple[float, float]:
    """The slowness of what a process does again and again, and of what it does for the first time.

    A host that is short of processor time stretches the loading of classes more than an answer. Where the steps show
    little of one of the two, it is nearer to that of all steps.
    """
    every = list(steps)
    together = slowness(every)
    first = [step for step in every if step[1] in FIRST_STEPS]
    again = [step for step in every if step[1] not in FIRST_STEPS]
    return slowness(again, together), slowness(first, together)


def on_host(latencies: Latencies, factor: float, first: float | None = None) -> Latencies:
    """The latencies of the same library on a host that is slower by a factor.

    `first`: the factor of what a process does for the first time, if that is another one.
    """
    factors = dict.fromkeys(FIRST_TIMES, factor if first is None else first) | dict.fromkeys(WAKING, sqrt(factor))
    stretched = {
        field.name: Drawn(tuple(ms * factors.get(field.name, factor) for ms in drawn.quantiles_ms))
        for field in fields(latencies)
        if isinstance(drawn := getattr(latencies, field.name), Drawn) and field.name not in NOT_THE_HOSTS
    }
    return replace(latencies, **stretched)  # type: ignore[arg-type]  # the stretched fields are all of them Drawn


def latencies_of(profile: Profile) -> dict[str, Latencies]:
    """By client library those of a host; partitions are read as soon as their positions are known."""
    found = {
        library: on_host(replace(usual, **POSITIONED[library]), profile.again, profile.first)  # type: ignore[arg-type]
        for library, usual in LATENCIES.items()
    }
    if not profile.idle:
        return found
    return {
        library: replace(
            seen,
            drift=IDLE_DRIFT.get(library, NONE),
            drift_shared=IDLE_DRIFT_SHARED,
            hiccup=IDLE_LATE[library],
            **IDLE_STEPS[library],  # type: ignore[arg-type]
        )
        for library, seen in found.items()
    }
