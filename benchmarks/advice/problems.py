"""Two hundred problems for an advice, drawn by one seed and listed in `problems.jsonl`.

`python -m benchmarks.advice.problems` draws them again. A draw is kept if every choice can be simulated and
chance or the choice changes anything at all; nothing else is asked of it. Problems 0 to 99 may be looked at while the
procedure is developed, with 100 to 199 it is only measured.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.advice import bare
from groupsim.advice.choices import combinations
from groupsim.advice.unknown import parse
from groupsim.events.errors import GroupsimError
from groupsim.scenarios import catalogue
from groupsim.simulation.host_speed import IDEAL
from groupsim.simulation.run import Scenario
from groupsim.simulation.settings import HOST

HERE = Path(__file__).parent
LIST = HERE / "problems.jsonl"
SEED, COUNT, DEVELOPED = 20, 200, 100
PILOT = range(1_000_000, 1_000_004)
"""Seeds by which a draw is looked at; the truth has others."""
DEAREST = {True: 200, False: 300}
"""Facts of one run in the mean, at most, in `worlds` and in the catalogue: there are a thousand runs of each choice."""
LONGER = (0, 42, 46, 62, 63, 115, 151, 154, 176, 186, 194, 197)
"""Problems of which some seed outlasts its scenario: they are given a minute."""
REFUSED = (63, 107, 121)
"""Problems in which no choice works: a session of 4 s with the classic protocol, of which brokers refuse less than 6 s
(`group.min.session.timeout.ms`). Nothing is ever available, and the fewest partitions cost least. They keep their
numbers; in 22 others some of the choices are refused, which is what a choice may be."""
GOALS = (
    *("partition_ms",) * 10,
    *("after_start_ms",) * 5,
    *("worst_partition_ms",) * 3,
    *("rebalances", "max_partitions", "reprocessed_records", "detection_ms"),
)
BOUNDED = 0.2
"""Share of the problems that have a bound on the mean of a second measure."""


@dataclass(frozen=True, slots=True)
class Problem:
    """`facts`: of a run in the mean, over the pilot's seeds; what simulating it costs."""

    id: int
    scenario: str
    fixed: dict[str, str]
    vary: dict[str, list[str]]
    unknown: dict[str, str]
    minimise: str
    bounds: dict[str, float] = field(default_factory=dict)
    facts: int = 0

    def choices(self) -> list[dict[str, str]]:
        """The settings of each, what is fixed not among them."""
        return combinations(self.vary)

    def settings(self, choice: Mapping[str, str], seed: int) -> dict[str, str]:
        """All settings of a choice under a seed. What is unknown is drawn independently: seeds are put in any order."""
        ranges = {key: ends for key, text in self.unknown.items() if (ends := parse(text, key)) is not None}
        drawn = {key: between.at(Random(f"{seed}/{key}").random()) for key, between in ranges.items()}
        return {HOST: IDEAL, **self.fixed, **drawn, **choice}  # as when the truths were counted


@dataclass(frozen=True, slots=True)
class Template:
    """A scenario, values of settings of which some are varied and the others fixed, and what may be unknown."""

    scenario: str
    weight: int
    values: Mapping[str, Sequence[str]]
    unknown: Mapping[str, Sequence[str]] = field(default_factory=dict)
    always: Mapping[str, str] = field(default_factory=dict)


SIZES = {"members": ("2", "2", "2", "3", "3", "4"), "partitions": ("2", "4", "6", "9")}
ANY = {
    "protocol": ("eager", "sticky", "cooperative", "consumer"),
    "session_ms": ("4000", "6000", "8000", "10000"),
    "heartbeat_ms": ("500", "1000", "2000", "3000"),
    "latency_ms": ("2", "20", "100"),
}
STATIC = {"static": ("true", "false")}
CLASSIC = {
    "assignor": ("range", "roundrobin", "sticky", "cooperative-sticky"),
    "heartbeat.interval.ms": ("1000", "2000", "3000", "5000"),
    "session.timeout.ms": ("8000", "12000", "20000", "45000"),
    "group.initial.rebalance.delay.ms": ("0", "1000", "3000"),
}
TEMPLATES = (
    Template(
        "deploy",
        6,
        {**SIZES, **ANY, **STATIC, "downtime_ms": ("500", "1500", "2500"), "pause_ms": ("0", "1000", "2000")},
        {"downtime_ms": ("300..4000", "1000..3000"), "pause_ms": ("0..2000",)},
    ),
    Template(
        "outage",
        6,
        {**SIZES, **ANY, **STATIC, "kind": ("kill", "freeze", "cut"), "away_ms": ("3000", "6000", "9000")},
        {"away_ms": ("1000..15000", "3000..9000")},
    ),
    Template(
        "scale",
        5,
        {**ANY, "delay_ms": ("0", "500", "1000", "3000"), "added": ("1", "2"), "start_ms": ("500", "1500", "3000")},
        {"start_ms": ("300..4000",), "members": ("2..4",), "latency_ms": ("1..60",)},
    ),
    Template(
        "pods",
        5,
        {
            **ANY,
            **STATIC,
            "kind": ("Deployment", "StatefulSet"),
            "surge": ("1", "2"),
            "unavailable": ("0", "1"),
            "start_ms": ("500", "1500", "3000"),
            "ready_after_ms": ("0", "1000", "2000"),
        },
        {"start_ms": ("300..3000",), "ready_after_ms": ("0..2000",)},
        {"replicas": "2"},
    ),
    Template(
        "busy",
        5,
        {
            **ANY,
            "process_ms": ("100", "300", "600"),
            "callback_ms": ("0", "300", "1000"),
            "poll_interval_ms": ("3000", "6000", "9000"),
        },
        {"batch_ms": ("1000..12000", "2000..6000"), "callback_ms": ("0..800",)},
        {"members": "2", "partitions": "4"},
    ),
    Template(
        "rolling_restart",
        3,
        {**CLASSIC, **STATIC, "partitions": ("2", "4", "6")},
        {"downtime_ms": ("1000..12000", "500..5000")},
        {"members": "2", "duration.ms": "60000"},
    ),
    Template(
        "steady_state",
        1,
        CLASSIC,
        {"members": ("2..4",), "partitions": ("2..12",)},
        {"duration.ms": "185000"},
    ),
    Template(
        "initial_delay",
        2,
        {"group.initial.rebalance.delay.ms": ("500", "1000", "2000"), "heartbeat.interval.ms": ("1000", "2000")},
        {"spread_ms": ("1000..9000",), "pods": ("2..5",)},
        {"duration.ms": "20000", "delay_ms": "1"},
    ),
    Template(
        "everybody_too_slow",
        1,
        {
            "poll_interval_ms": ("6000", "8000", "10000"),
            "members": ("2", "3"),
            "heartbeat.interval.ms": CLASSIC["heartbeat.interval.ms"],
        },
        {"batch_ms": ("11000..20000",)},
        {"duration.ms": "121000"},
    ),
    Template(
        "consumer_static_new_names",
        1,
        {
            "group.consumer.heartbeat.interval.ms": ("5000", "8000", "12000"),
            "partitions": ("2", "4"),
            "replaced": ("2", "3"),
        },
        {"group.consumer.session.timeout.ms": ("45000..60000",)},
        {"duration.ms": "100000"},
    ),
    Template(
        "commit_before_revoke",
        1,
        {"heartbeat.interval.ms": ("1000", "2000", "3000"), "partitions": ("2", "4", "6")},
        {"slow_ms": ("300..3000",)},
        {"duration.ms": "60000"},
    ),
)
OWN = ("deploy", "outage", "scale", "pods", "busy")


def find(name: str) -> Scenario:
    """A scenario of a problem: one of `worlds`, or of the catalogue."""
    return catalogue.find(f"{HERE / 'worlds.py'}::{name}" if name in OWN else name)


def draw(chance: Random, number: int) -> Problem:
    """Any problem."""
    template = chance.choices(TEMPLATES, [t.weight for t in TEMPLATES])[0]
    unknown = {key: chance.choice(texts) for key, texts in template.unknown.items() if chance.random() < 0.6}
    free = [key for key in template.values if key not in unknown]
    wanted = min(3 + int(chance.expovariate(0.5)), 12)
    vary: dict[str, list[str]] = {}
    for key in chance.sample(free, len(free)):
        left = wanted // math.prod(map(len, vary.values()))
        options = list(dict.fromkeys(template.values[key]))
        if left < 2:
            break
        some = sorted(chance.sample(options, min(left, len(options))), key=options.index)
        vary[key] = some
    fixed = {key: chance.choice(template.values[key]) for key in free if key not in vary}
    always = {key: value for key, value in template.always.items() if key not in unknown}
    minimise = chance.choice(GOALS)
    return Problem(number, template.scenario, {**always, **fixed}, vary, unknown, minimise)


def looked_at(problem: Problem, chance: Random) -> Problem | None:
    """With its cost, and in some cases a bound; None if it is no problem."""
    if not 3 <= len(problem.choices()) <= 12:
        return None
    scenario, seen = find(problem.scenario), []
    try:
        for choice in problem.choices():
            rows = [bare.measure(scenario, problem.settings(choice, seed), seed) for seed in PILOT]
            if statistics.fmean(row["facts"] for row in rows) > DEAREST[problem.scenario in OWN]:
                return None
            seen.append(rows)
    except (GroupsimError, ValueError):
        return None
    if len({row[problem.minimise] for rows in seen for row in rows}) < 3:
        return None
    facts = round(statistics.fmean(row["facts"] for rows in seen for row in rows))
    bounds = _bounds(problem, [{k: statistics.fmean(r[k] for r in rows) for k in rows[0]} for rows in seen], chance)
    return replace(problem, bounds=bounds, facts=facts)


def _bounds(problem: Problem, means: Sequence[Mapping[str, float]], chance: Random) -> dict[str, float]:
    """Between two choices of a measure in which they differ."""
    names = [name for name in dict.fromkeys(GOALS) if name != problem.minimise and len({m[name] for m in means}) > 1]
    if chance.random() >= BOUNDED or not names:
        return {}
    name = chance.choice(names)
    values = sorted({m[name] for m in means})
    i = chance.randrange(len(values) - 1)
    return {name: float(f"{(values[i] + values[i + 1]) / 2:.4g}")}


def drawn_problems(count: int = COUNT) -> list[Problem]:
    """The first of them, drawn again: all take minutes."""
    problems: list[Problem] = []
    attempt = 0
    while len(problems) < count:
        chance = Random(f"{SEED}/{attempt}")
        problem = looked_at(draw(chance, len(problems)), chance)
        if problem is not None:
            more = {"duration.ms": "60000"} if problem.id in LONGER else {}
            problems.append(replace(problem, fixed={**problem.fixed, **more}))
        attempt += 1
    return problems


def listed() -> list[Problem]:
    """The problems of the list, in order."""
    return [Problem(**json.loads(line)) for line in LIST.read_text(encoding="utf-8").splitlines()]


def as_line(problem: Problem) -> str:
    """One line of the list."""
    data: dict[str, Any] = asdict(problem)
    return json.dumps(data, separators=(",", ":"))


if __name__ == "__main__":
    LIST.write_text("".join(as_line(problem) + "\n" for problem in drawn_problems()), encoding="utf-8")
