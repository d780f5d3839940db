"""What happens to three Connect workers, or to a fourth beside them, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Do(StrEnum):
    """One step: of a worker, or of nobody."""

    STOP = "stop"
    """SIGTERM, and wait until the process is gone."""
    KILL = "kill"
    START = "start"
    """Start it, and do not wait."""
    READY = "ready"
    """Wait until it answers."""
    ADD = "add"
    """Create one more connector, by a worker that answers."""
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Step:
    """`worker`: its name, empty for WAIT, which takes `seconds`; the connector of ADD is the recorder's."""

    do: Do
    worker: str = ""
    seconds: float = 0


@dataclass(frozen=True, slots=True)
class ConnectStory:
    """Its steps begin when all connectors and tasks run; `delay_s`: scheduled.rebalance.max.delay.ms."""

    name: str
    delay_s: int
    steps: tuple[Step, ...]
    protocol: str = "sessioned"


WORKERS = ("w0", "w1", "w2")
FOURTH = "w3"
"""Starts when a story says so."""
SESSION_S = 10
"""Connect's default."""


def _wait(seconds: float) -> Step:
    return Step(Do.WAIT, seconds=seconds)


def _roll() -> tuple[Step, ...]:
    return tuple(
        step for name in WORKERS for step in (Step(Do.STOP, name), Step(Do.START, name), Step(Do.READY, name), _wait(5))
    )


def _killed(away_s: float | None, watched_s: float) -> tuple[Step, ...]:
    back = () if away_s is None else (_wait(away_s), Step(Do.START, "w1"), Step(Do.READY, "w1"))
    return (Step(Do.KILL, "w1"), *back, _wait(watched_s))


STORIES = (
    ConnectStory("kill-delay-30", 30, _killed(None, SESSION_S + 30 + 8)),
    ConnectStory("kill-delay-5", 5, _killed(None, SESSION_S + 5 + 8)),
    ConnectStory("roll", 30, _roll()),
    ConnectStory("back-before", 30, _killed(12, 15)),
    ConnectStory("back-after", 5, _killed(22, 8)),
    ConnectStory("roll-eager", 30, _roll(), "eager"),
    ConnectStory("kill-two", 20, (Step(Do.KILL, "w1"), _wait(4), Step(Do.KILL, "w2"), _wait(SESSION_S + 20 + 8))),
    ConnectStory("scale-out", 30, (Step(Do.START, FOURTH), Step(Do.READY, FOURTH), _wait(15))),
    ConnectStory(
        "added-while-away",
        20,
        (
            Step(Do.KILL, "w1"),
            _wait(15),
            Step(Do.ADD, "w0"),
            _wait(5),
            Step(Do.START, "w1"),
            Step(Do.READY, "w1"),
            _wait(20),
        ),
    ),
    ConnectStory(
        "stopped-longer",
        6,
        (Step(Do.STOP, "w1"), _wait(16), Step(Do.START, "w1"), Step(Do.READY, "w1"), _wait(12)),
    ),
)
