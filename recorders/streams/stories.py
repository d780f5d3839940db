"""What happens to three instances of an application, and which of its settings differ: one table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MEMBERS = ("m1", "m2", "m3")
APART_MS = 500
"""One starts so long after the other."""
FAULT_MS = 30_000
"""The first fault; later where instances have not settled by then, and all after it later by as much."""
AWAY_MS = 1_500
"""Of a restart: from close() or SIGKILL until it is started again."""
TURN_MS = 15_000
"""From one restart of a rolling restart to the next one."""


class Do(StrEnum):
    """One step of one instance."""

    START = "start"
    CLOSE = "close"
    KILL = "kill"


@dataclass(frozen=True, slots=True)
class Step:
    """`at_ms`: since the first instance was started; see FAULT_MS."""

    at_ms: int
    do: Do
    member: str


@dataclass(frozen=True, slots=True)
class StreamsStory:
    """`volume`: whether the state directory is there again after a restart. `second`: a subtopology without a store.

    `aside`: its recordings were put aside: nobody looked at them until the simulation had been changed for the others.
    """

    name: str
    steps: tuple[Step, ...]
    lasts_ms: int
    standbys: int = 0
    static: bool = False
    volume: bool = True
    second: bool = False
    aside: bool = False


def _roll() -> tuple[Step, ...]:
    begins = [(name, FAULT_MS + TURN_MS * i) for i, name in enumerate(MEMBERS)]
    pairs = [(Step(at, Do.CLOSE, name), Step(at + AWAY_MS, Do.START, name)) for name, at in begins]
    return tuple(step for pair in pairs for step in pair)


ROLLED_MS = FAULT_MS + TURN_MS * len(MEMBERS) + 3_000
KILLED = (Step(FAULT_MS, Do.KILL, "m2"),)
BACK = (*KILLED, Step(FAULT_MS + 12_000, Do.START, "m2"))
FOURTH = (Step(FAULT_MS, Do.START, "m4"),)
PROBED_MS = FAULT_MS + 60_000 + 8_000
"""Long enough for a probing rebalance, a minute after the fourth instance has joined."""

STORIES = (
    StreamsStory("N01-rolling-restart", _roll(), ROLLED_MS),
    StreamsStory("N02-rolling-restart-standby", _roll(), ROLLED_MS, standbys=1),
    StreamsStory("N03-kill9", KILLED, FAULT_MS + 25_000),
    StreamsStory("N04-kill9-standby", KILLED, FAULT_MS + 25_000, standbys=1),
    StreamsStory("N05-kill9-and-back", BACK, FAULT_MS + 35_000, aside=True),
    StreamsStory("N06-kill9-and-back-standby", BACK, FAULT_MS + 35_000, standbys=1, aside=True),
    StreamsStory("N07-fourth-joins", FOURTH, PROBED_MS, aside=True),
    StreamsStory("N08-fourth-joins-standby", FOURTH, PROBED_MS, standbys=1, aside=True),
    StreamsStory("N09-rolling-restart-no-volume", _roll(), ROLLED_MS, volume=False),
    StreamsStory("N10-rolling-restart-no-volume-standby", _roll(), ROLLED_MS, standbys=1, volume=False),
    StreamsStory("N11-static-rolling-restart", _roll(), ROLLED_MS, static=True, aside=True),
    StreamsStory("N12-static-rolling-restart-standby", _roll(), ROLLED_MS, standbys=1, static=True, aside=True),
    StreamsStory("N13-two-subtopologies-rolling-restart", _roll(), ROLLED_MS, second=True, aside=True),
)
PROTOCOLS = ("streams", "classic")
