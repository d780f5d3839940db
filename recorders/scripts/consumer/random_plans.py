"""Random plans of scripts, from a seed: what two to six members, native and classic, might ask of a coordinator.

A plan says what a member wants to ask; what exactly it asks, its epoch and what it owns, follows from the answers that
it got, so that most requests are those of a real client. One request in three or so is none of those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.scripts.plans.plan import STEP_MS, Plan

TOPICS_MS, EXPRESSION_MS = 900, 500
"""How far steps are apart after a change of topics, and while topics of an expression are looked for."""
NO_TIMERS_MS, SHORT_SESSION_MS, SHORT_REBALANCE_MS = 45_000, 1_320, 1_410
REFRESH_MS = 11_000
"""Topics of expressions are looked for again at the earliest after ten seconds; all steps before take less."""
SHARED = ("t1", "t2", "t3")
OWN = ("p_a", "p_b", "p_c")
"""Topics of one script only: those that may change. The last one does not exist at the beginning."""
EXPRESSIONS = ("p_.*", "p_[bc]", "p_a", "p_(a|c)", "", "p_[", "nothing.*")
CLASSIC_PROTOCOLS = (("range",), ("cooperative-sticky",), ("range", "cooperative-sticky"), ("roundrobin", "range"))
STRANGER = "stranger"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plans: broker configurations to draw from, and shares of what its members are and do.

    `classic`, `static`: the share of such members; `topics`: topics are created, grow and are deleted; `expressions`:
    the share of members that subscribe by one. `grid_ms`: plans with timers that matter, steps so far apart.
    """

    configs: tuple[str, ...] = ("base",) * 3 + ("range",)
    classic: float = 0.0
    static: float = 0.1
    topics: bool = False
    expressions: float = 0.0
    offsets: float = 0.05
    restarts: bool = False
    grid_ms: int = 0
    sessions_ms: int = NO_TIMERS_MS
    rebalance_ms: int = NO_TIMERS_MS


KINDS: Mapping[str, Kind] = {
    "native": Kind(),
    "static": Kind(static=0.7),
    "mixed": Kind(classic=0.6),
    "mixed-static": Kind(classic=0.5, static=0.5),
    "topics": Kind(topics=True, classic=0.15),
    "expressions": Kind(topics=True, expressions=0.6, classic=0.1),
    "offsets": Kind(offsets=0.35, classic=0.3),
    "interval": Kind(configs=("interval1000",), grid_ms=180, classic=0.2),
    "policy": Kind(configs=("upgrade", "downgrade", "disabled"), classic=0.5),
    "full": Kind(configs=("max3",), classic=0.4, static=0.3),
    "timers": Kind(
        configs=("short",),
        classic=0.3,
        static=0.3,
        grid_ms=600,
        sessions_ms=SHORT_SESSION_MS,
        rebalance_ms=SHORT_REBALANCE_MS,
    ),
    "restart": Kind(configs=("base",), classic=0.3, static=0.3, restarts=True),
}
"""No timer ends at a step, and no two at once.

On the grid of `timers` sessions of native members (1,500 ms, of the configuration) end 300 ms after a step, those of
classic members 120 ms, rebalance timeouts 210 ms; timers set when another ended, 330 to 510 ms. On that of `interval`
a second ends 100 ms after a step.
"""
COUNTS = {
    "native": 150,
    "static": 110,
    "mixed": 170,
    "mixed-static": 80,
    "topics": 90,
    "expressions": 70,
    "offsets": 90,
    "interval": 60,
    "policy": 100,
    "full": 70,
    "timers": 60,
    "restart": 40,
}
"""How many plans of each kind are recorded: some more than 1,000, because plays of a few never agree."""


def plans(seed: int) -> list[Plan]:
    """All plans to record."""
    return [draw(seed, kind, number) for kind, count in COUNTS.items() for number in range(count)]


def draw(seed: int, kind: str, number: int) -> Plan:
    """One plan; the same for the same arguments."""
    chance = Random(f"{seed}/{kind}/{number}")
    drawn = _Draft(chance, KINDS[kind])
    return {
        "name": f"R.{kind}.{number}",
        "family": "random",
        "about": f"random script, kind {kind}",
        "config": chance.choice(KINDS[kind].configs),
        **({"timed": True} if KINDS[kind].grid_ms else {}),
        **({"topics": drawn.topics} if drawn.topics else {}),
        "members": drawn.members,
        "steps": drawn.steps(),
        "end_ms": drawn.at + (KINDS[kind].grid_ms or STEP_MS),
    }


@dataclass(slots=True)
class _Draft:
    """A plan while it is drawn. `at` (ms) is when the next step is sent."""

    chance: Random
    kind: Kind
    at: int = 0
    topics: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    members: dict[str, dict[str, Any]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.kind.topics:
            self.topics = {name: self.chance.randint(1, 4) for name in OWN[:2]}
            self.counts = dict(self.topics)
        for number in range(1, self.chance.randint(2, 6) + 1):
            classic = self.chance.random() < self.kind.classic
            self.members[f"{'c' if classic else 'm'}{number}"] = self._member(number, classic)

    def _member(self, number: int, classic: bool) -> dict[str, Any]:
        chance = self.chance
        expression = chance.random() < self.kind.expressions and not classic
        instance = f"i{chance.choice((number, number, 1))}" if chance.random() < self.kind.static else None
        return {
            "kind": "classic" if classic else "consumer",
            "names": None if expression and chance.random() < 0.7 else self._names(),
            "regex": chance.choice(EXPRESSIONS[:4] if chance.random() < 0.8 else EXPRESSIONS) if expression else None,
            "R": self.kind.rebalance_ms,
            "S": self.kind.sessions_ms,
            "assignor": chance.choice((None, None, None, "uniform", "range")),
            "rack": chance.choice((None, None, None, "ra")),
            "instance": instance,
            "protocols": list(chance.choice(CLASSIC_PROTOCOLS)),
        }

    def _names(self) -> list[str]:
        """Mostly the same for all members of a plan."""
        known = OWN if self.kind.topics and self.chance.random() < 0.8 else SHARED
        if self.chance.random() < 0.05:
            return []
        if self.members and self.chance.random() < 0.6:
            return list(next(iter(self.members.values()))["names"] or known[:2])
        return sorted(self.chance.sample(known, self.chance.choice((1, 1, 2, 2, 3))))

    def steps(self) -> list[Step]:
        """All steps, in their order."""
        steps: list[Step] = []
        count = self.chance.randint(*(10, 18) if self.kind.expressions else (14, 26) if self.kind.grid_ms else (14, 44))
        waits = count // 2 if self.kind.expressions and self.chance.random() < 0.5 else -1
        restart = self.chance.randint(count // 3, count - 3) if self.kind.restarts else -1
        for number in range(count):
            step = {"as": "", "op": "restart"} if number == restart else self._step()
            steps.append({"i": number, "at": self.at, **step})
            self.at += REFRESH_MS if number == waits else self._pause_ms(step)
        return steps

    def _pause_ms(self, step: Step) -> int:
        if self.kind.grid_ms:
            return self.kind.grid_ms
        if step["op"].endswith("_topic"):
            return TOPICS_MS
        return EXPRESSION_MS if self.kind.expressions and step["op"] in ("next", "consumer_heartbeat") else STEP_MS

    def _step(self) -> Step:
        label = self.chance.choice(list(self.members))
        drawn = self.chance.random()
        if drawn < self.kind.offsets:
            return self._of_offsets(label)
        if drawn < self.kind.offsets + 0.05 and self.kind.topics:
            return self._of_topics()
        if drawn > 0.97:
            return {"as": "", "op": self.chance.choice(("list", "delete_group", "offset_delete", "describe"))}
        if drawn > 0.7 and label in self.begun:
            odd = CLASSIC_REQUESTS if self.members[label]["kind"] == "classic" else NATIVE_REQUESTS
            return {"as": label, **self.chance.choice(odd)(self)}
        self.begun.add(label)
        return {"as": label, "op": "next"}

    def _of_topics(self) -> Step:
        """A topic is created, grows or is deleted."""
        name = self.chance.choice(OWN)
        if name not in self.counts:
            self.counts[name] = self.chance.randint(1, 3)
            return {"as": "", "op": "create_topic", "topic": name, "partitions": self.counts[name]}
        if self.chance.random() < 0.6:
            self.counts[name] += self.chance.randint(1, 2)
            return {"as": "", "op": "grow_topic", "topic": name, "partitions": self.counts[name]}
        del self.counts[name]
        return {"as": "", "op": "delete_topic", "topic": name}

    def _of_offsets(self, label: str) -> Step:
        op = self.chance.choice(("commit", "commit", "txn_commit", "fetch"))
        classic = self.members[label]["kind"] == "classic"
        epochs: tuple[Any, ...] = ("gen",) * 3 + ("oldgen", "newgen", -1) if classic else ("cur",) * 3 + ("prev", 0, -1)
        who = self.chance.choice((label,) * 8 + ("", STRANGER))
        step = {
            "as": label,
            "op": op,
            "epoch": self.chance.choice(epochs),
            "topic": self.chance.choice(OWN[:2] if self.kind.topics else SHARED[:2]),
            "partitions": self.chance.choice(([0, 1, 2], [0], [0, 1], [1, 9])),
        }
        return step if who == label else {**step, "id": who, "instance": None}

    def one_of(self, *values: Any) -> Any:
        """One of these."""
        return self.chance.choice(values)


Drawn = Callable[[_Draft], Step]
HEARTBEAT = {"op": "consumer_heartbeat"}
NATIVE_REQUESTS: tuple[Drawn, ...] = (
    lambda d: {**HEARTBEAT, "epoch": -1},
    lambda d: {**HEARTBEAT, "epoch": d.one_of(-1, -2, -2)},
    lambda d: {**HEARTBEAT, "epoch": "prev", "parts": d.one_of("empty", "less", "assigned", None)},
    lambda d: {**HEARTBEAT, "epoch": d.one_of("next", -3, 0)},
    lambda d: {**HEARTBEAT, "epoch": 0, "full": True, "parts": d.one_of("empty", "empty", "owned", None)},
    lambda d: {**HEARTBEAT, "epoch": 0, "full": True, "parts": {}, "names": d._names()},
    lambda d: {**HEARTBEAT, "parts": d.one_of("empty", "less", "all", "owned")},
    lambda d: {**HEARTBEAT, "parts": d.one_of("less", "assigned"), "full": True},
    lambda d: {**HEARTBEAT, "names": d._names()},
    lambda d: {**HEARTBEAT, "names": d._names(), "parts": d.one_of("empty", "assigned", "less")},
    lambda d: {**HEARTBEAT, "assignor": d.one_of("uniform", "range", "", "Uniform")},
    lambda d: {**HEARTBEAT, "rack": d.one_of("rb", ""), "R": d.one_of(-1, d.kind.rebalance_ms)},
    lambda d: {**HEARTBEAT, "instance": d.one_of(None, "i1", "i9")},
    lambda d: {**HEARTBEAT, "epoch": 0, "full": True, "parts": {}, "instance": d.one_of(None, "i1", "i2", "")},
    lambda d: {**HEARTBEAT, "id": d.one_of(STRANGER, ""), "v": d.one_of(0, 1)},
    lambda d: {**HEARTBEAT, "regex": d.one_of(*EXPRESSIONS) if d.kind.expressions else ""},
    lambda d: {"op": "leave", "members": []},
    lambda d: {"op": "heartbeat", "gen": d.one_of("gen", 1)},
)
"""What a native member may ask besides what it should."""
CLASSIC_REQUESTS: tuple[Drawn, ...] = (
    lambda d: {"op": "leave"},
    lambda d: {"op": "leave"},
    lambda d: {"op": "join"},
    lambda d: {"op": "join", "names": d._names()},
    lambda d: {"op": "join", "owned": d.one_of("all", "empty")},
    lambda d: {"op": "join", "protocols": list(d.chance.choice(CLASSIC_PROTOCOLS))},
    lambda d: {"op": "join", "id": d.one_of("", STRANGER), "instance": d.one_of(None, "i1", "i2")},
    lambda d: {"op": "join", "sub_version": d.one_of(0, 1)},
    lambda d: {"op": "sync"},
    lambda d: {"op": "sync", "gen": d.one_of("oldgen", "newgen"), "pname": d.one_of("range", "none")},
    lambda d: {"op": "heartbeat", "gen": d.one_of("oldgen", "newgen")},
    lambda d: {"op": "heartbeat", "instance": d.one_of(None, "i1")},
)
"""What a classic member may ask besides what it should."""
