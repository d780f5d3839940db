"""What is done to real consumers, and when: the stories whose timelines are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SESSION_MS, HEARTBEAT_MS, MAX_POLL_MS = 5_000, 1_000, 8_000
DELAY_MS = 1_000
"""The initial rebalance delay: members that start together are one generation, however long each takes to start."""
PARTITIONS = 12
TOPIC = "orders"
EVERY_MS = 500
"""A record comes to each partition so often."""
SETTLED_MS = 6_000
"""When the first fault comes: the group has long been stable."""
JAVA, RDKAFKA = "java", "librdkafka"
STRATEGIES = {
    JAVA: ("range", "roundrobin", "sticky", "cooperative-sticky"),
    RDKAFKA: ("range", "roundrobin", "cooperative-sticky"),
}
"""librdkafka has no eager `sticky`."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A story. `acts`: `(at_ms, action, member, more)`, in order; `commits`: members commit after each batch."""

    name: str
    about: str
    acts: tuple[tuple[int, str, str, dict[str, Any]], ...]
    end_ms: int
    static: bool = False
    commits: bool = False
    opens_itself: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """Their labels."""
        return tuple(sorted({member for _, _, member, _ in self.acts}))

    @property
    def opens_at(self) -> int | None:
        """The index of the act at which unavailability begins to count; None: with the first full ownership."""
        return None if self.opens_itself else next(n for n, act in enumerate(self.acts) if act[0] >= SETTLED_MS)


def _act(at_ms: int, action: str, member: str, **more: Any) -> tuple[int, str, str, dict[str, Any]]:
    return at_ms, action, member, more


TRIO = (_act(0, "start", "m1"), _act(200, "start", "m2"), _act(400, "start", "m3"))


def _rolling() -> tuple[tuple[int, str, str, dict[str, Any]], ...]:
    acts = []
    for n, member in enumerate(("m1", "m2", "m3")):
        at = SETTLED_MS + 4_000 * n
        acts += [_act(at, "close", member), _act(at + 1_500, "start", member)]
    return (*TRIO, *acts)


PLOTS = (
    Plot(
        "joins-one-by-one",
        "four members, one after the other",
        tuple(_act(at, "start", f"m{n}") for n, at in enumerate((0, 4_000, 7_000, 10_000), start=1)),
        14_000,
        opens_itself=True,
    ),
    Plot("one-closes", "scale-in: m2 closes", (*TRIO, _act(SETTLED_MS, "close", "m2")), 10_500),
    Plot("kill9", "m2 is killed", (*TRIO, _act(SETTLED_MS, "kill", "m2")), 14_500),
    Plot(
        "frozen-beyond-session",
        "m2 is stopped for session + 2 s, then continued",
        (*TRIO, _act(SETTLED_MS, "stop", "m2"), _act(SETTLED_MS + SESSION_MS + 2_000, "cont", "m2")),
        18_000,
        commits=True,
    ),
    Plot(
        "poll-interval",
        "one batch of m2 takes max.poll.interval + 3 s",
        (*TRIO, _act(SETTLED_MS, "slow_batch", "m2", ms=MAX_POLL_MS + 3_000)),
        21_500,
        commits=True,
    ),
    Plot(
        "static-restart",
        "static members: m2 returns within the session, m3 after it",
        (
            *TRIO,
            _act(SETTLED_MS, "close", "m2"),
            _act(8_000, "start", "m2"),
            _act(11_000, "close", "m3"),
            _act(19_000, "start", "m3"),
        ),
        23_000,
        static=True,
    ),
    Plot("rolling-restart", "each member closes and returns 1.5 s later, one every 4 s", _rolling(), 19_500),
)
