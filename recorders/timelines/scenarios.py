"""What is done to real consumers, and when: the scenarios whose timelines are recorded and re-enacted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SESSION_MS, HEARTBEAT_MS, MAX_POLL_MS = 5_000, 1_000, 8_000
DELAY_MS = 1_000
"""The initial rebalance delay: members that start together are one generation, however long each takes to start."""
PARTITIONS = 12
TOPIC = "orders"
EVERY_MS = 500
"""Each partition gets a record so often."""
SETTLED_MS = 6_000
"""When the first fault comes: the group has long been stable."""
JAVA, RDKAFKA = "java", "librdkafka"
STRATEGIES = {
    JAVA: ("range", "roundrobin", "sticky", "cooperative-sticky"),
    RDKAFKA: ("range", "roundrobin", "cooperative-sticky"),
}
"""librdkafka has no eager `sticky`."""


Action = tuple[int, str, str, dict[str, Any]]
"""`(at_ms, action, member, more)`."""


@dataclass(frozen=True, slots=True)
class TimelineScenario:
    """One scenario. `commits`: members commit after each batch.

    `from_full_ownership`: unavailability counts from the first full ownership, else from the first fault.
    """

    name: str
    about: str
    actions: tuple[Action, ...]
    end_ms: int
    static: bool = False
    commits: bool = False
    from_full_ownership: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """Their labels."""
        return tuple(sorted({member for _, _, member, _ in self.actions}))

    @property
    def first_fault(self) -> int | None:
        """The index of the action from which unavailability counts; None: from the first full ownership."""
        if self.from_full_ownership:
            return None
        return next(n for n, action in enumerate(self.actions) if action[0] >= SETTLED_MS)


def _at(at_ms: int, action: str, member: str, **more: Any) -> Action:
    return at_ms, action, member, more


TRIO = (_at(0, "start", "m1"), _at(200, "start", "m2"), _at(400, "start", "m3"))


def _rolling() -> tuple[Action, ...]:
    actions = []
    for n, member in enumerate(("m1", "m2", "m3")):
        at = SETTLED_MS + 4_000 * n
        actions += [_at(at, "close", member), _at(at + 1_500, "start", member)]
    return (*TRIO, *actions)


SCENARIOS = (
    TimelineScenario(
        "joins-one-by-one",
        "four members, one after the other",
        tuple(_at(at, "start", f"m{n}") for n, at in enumerate((0, 4_000, 7_000, 10_000), start=1)),
        14_000,
        from_full_ownership=True,
    ),
    TimelineScenario("one-closes", "scale-in: m2 closes", (*TRIO, _at(SETTLED_MS, "close", "m2")), 10_500),
    TimelineScenario("kill9", "m2 is killed", (*TRIO, _at(SETTLED_MS, "kill", "m2")), 14_500),
    TimelineScenario(
        "frozen-beyond-session",
        "m2 is stopped for session + 2 s, then continued",
        (*TRIO, _at(SETTLED_MS, "stop", "m2"), _at(SETTLED_MS + SESSION_MS + 2_000, "cont", "m2")),
        18_000,
        commits=True,
    ),
    TimelineScenario(
        "poll-interval",
        "one batch of m2 takes max.poll.interval + 3 s",
        (*TRIO, _at(SETTLED_MS, "slow_batch", "m2", ms=MAX_POLL_MS + 3_000)),
        21_500,
        commits=True,
    ),
    TimelineScenario(
        "static-restart",
        "static members: m2 returns within the session, m3 after it",
        (
            *TRIO,
            _at(SETTLED_MS, "close", "m2"),
            _at(8_000, "start", "m2"),
            _at(11_000, "close", "m3"),
            _at(19_000, "start", "m3"),
        ),
        23_000,
        static=True,
    ),
    TimelineScenario(
        "rolling-restart", "each member closes and returns 1.5 s later, one every 4 s", _rolling(), 19_500
    ),
)
EVERYBODY_AGAIN = TimelineScenario(
    "everybody-again",
    "all members close at once and are back 2 s later",
    (
        *TRIO,
        *(_at(SETTLED_MS + 50 * n, "close", member) for n, member in enumerate(("m1", "m2", "m3"))),
        *(_at(SETTLED_MS + 2_000 + 100 * n, "start", member) for n, member in enumerate(("m1", "m2", "m3"))),
    ),
    14_000,
)
KILLED_BESIDE_A_JOIN = TimelineScenario(
    "killed-beside-a-join",
    "m1 is killed, m4 joins 1 s later, and m1 is back 9 s after it was killed",
    (*TRIO, _at(SETTLED_MS, "kill", "m1"), _at(7_000, "start", "m4"), _at(15_000, "start", "m1")),
    20_000,
)
TWO_SLOW = TimelineScenario(
    "two-slow-one-closes",
    "one batch each of m2 and m3 takes 3 s; m1 closes meanwhile and is back 5 s later",
    (
        *TRIO,
        _at(SETTLED_MS, "slow_batch", "m2", ms=3_000),
        _at(SETTLED_MS + 100, "slow_batch", "m3", ms=3_000),
        _at(SETTLED_MS + 1_000, "close", "m1"),
        _at(SETTLED_MS + 6_000, "start", "m1"),
    ),
    16_500,
)
SLOW_BESIDE_A_JOIN = TimelineScenario(
    "slow-beside-a-join",
    "m4 joins while one batch of m2 takes 6 s",
    (*TRIO, _at(SETTLED_MS, "slow_batch", "m2", ms=6_000), _at(SETTLED_MS + 2_000, "start", "m4")),
    16_500,
)
