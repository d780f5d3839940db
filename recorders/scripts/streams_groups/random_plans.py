"""Random plans of scripts of streams groups, from a seed: what the threads of one to five processes might ask.

A plan says what a member wants to ask; what exactly it asks, its epoch and its tasks, follows from the answers that it
got, so that most requests are those of a real client. One request in four or so is none of those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.plan import (
    INITIALISED_MS,
    NO_TIMERS_MS,
    OTHERS,
    SHORT_REBALANCE_MS,
    SHORT_SESSION_MS,
    STRANGER,
    Drawing,
    Kind,
    Plan,
    drawn,
)
from recorders.scripts.streams_groups.client import NOTHING

CREATED_MS = 700
"""How long the broker may need for internal topics, which it makes in the background."""
SOURCES = {"t1": 4, "t2": 3, "t3": 6, "t4": 4}


def _internal(name: str, partitions: int = 0) -> Message:
    return {"name": name, "partitions": partitions, "replication": 0, "configs": {}}


def _subtopology(
    number: int,
    sources: Sequence[str] = (),
    logs: Sequence[str] = (),
    sinks: Sequence[str] = (),
    repartition: Sequence[str] = (),
    *,
    joined: bool = False,
) -> Message:
    """One subtopology. `joined`: all its sources are to have as many partitions."""
    group = {"sources": list(range(len(sources))), "regex": [], "repartition": list(range(len(repartition)))}
    return {
        "id": str(number),
        "sources": list(sources),
        "regex": [],
        "changelogs": [_internal(name) for name in logs],
        "repartition_sinks": list(sinks),
        "repartition_sources": [_internal(name) for name in repartition],
        "copartition": [group] if joined else [],
    }


SHARED_TOPOLOGIES = (
    [_subtopology(0, ["t1"])],
    [_subtopology(0, ["t1"], ["l1"])],
    [_subtopology(0, ["t3"], ["l3"])],
    [_subtopology(0, ["t1", "t3"])],
    [_subtopology(0, ["t1"]), _subtopology(1, ["t2"], ["l2"])],
    [_subtopology(0, ["t1"], ["l1"]), _subtopology(1, ["t2"], ["l2"]), _subtopology(2, ["t3"])],
    [_subtopology(0, ["t1"], sinks=["r1"]), _subtopology(1, [], ["lr"], repartition=["r1"])],
    [_subtopology(0, ["t1", "t4"], ["l1"], joined=True)],
    [_subtopology(0, ["t2"], ["l2"]), _subtopology(1, ["t3"], ["l3"]), _subtopology(2, ["t4"], ["l4"])],
)
OWN_TOPOLOGIES = (
    [_subtopology(0, ["p_a"])],
    [_subtopology(0, ["p_a"], ["p_log"])],
    [_subtopology(0, ["p_a", "p_b"], joined=True)],
    [_subtopology(0, ["p_a"]), _subtopology(1, ["p_b", "t2"])],
    [_subtopology(0, ["p_a"], sinks=["p_rep"]), _subtopology(1, [], ["p_log"], repartition=["p_rep"])],
)
BAD_TOPOLOGIES = (
    [_subtopology(0, ["t1", "t2"], joined=True)],
    [_subtopology(0, ["t1", "nowhere"])],
    [_subtopology(0, ["t1"], ["l2"])],
    [_subtopology(0, [], ["lr"], repartition=["r1"])],
    [_subtopology(0)],
)
STATEFUL = Kind(odd=0.3)
TAGS: tuple[Mapping[str, str], ...] = ({}, {"zone": "a"}, {"zone": "b"}, {"zone": "a", "cluster": "x"})
CONFIGS: tuple[Mapping[str, str | None], ...] = (
    {"streams.num.standby.replicas": "1"},
    {"streams.num.standby.replicas": "0"},
    {"streams.num.standby.replicas": None},
    {"streams.num.standby.replicas": "2"},
    {"streams.heartbeat.interval.ms": "2000"},
    {"streams.rack.aware.assignment.tags": "zone"},
    {"streams.rack.aware.assignment.tags": None},
    {"streams.acceptable.recovery.lag": "5"},
    {"streams.num.warmup.replicas": "1"},
    {"streams.task.offset.interval.ms": "1000"},
    {"streams.num.standby.replicas": "9"},
    {"streams.session.timeout.ms": "100"},
    {"share.session.timeout.ms": "50000"},
)


@dataclass(frozen=True, slots=True)
class StreamsKind(Kind):
    """`static`, `endpoints`, `tags`, `joint`: the share of members with an instance id, an endpoint, tags, or the
    process of another one. `own`: the topology reads the script's own topics; `missing`: of which the last is created
    later; `made`: whose internal topics the broker makes. `bad`: the share of plans with a topology that does not work.
    """

    static: float = 0.08
    endpoints: float = 0.12
    tags: float = 0.1
    joint: float = 0.2
    own: bool = False
    missing: bool = False
    made: bool = False
    bad: float = 0.03
    rebalance_ms: int = NO_TIMERS_MS


KINDS: Mapping[str, StreamsKind] = {
    "native": StreamsKind(configs=("base", "base", "nowarm")),
    "crowd": StreamsKind(configs=("base", "standby"), members=(5, 7), steps=(30, 60), odd=0.12),
    "standby": StreamsKind(configs=("standby",)),
    "static": StreamsKind(configs=("base", "base", "nowarm", "standby"), static=0.75),
    "endpoint": StreamsKind(configs=("base", "standby"), endpoints=0.8, static=0.2),
    "topics": StreamsKind(configs=("base", "base", "nowarm"), own=True, topics=0.1, bad=0.0),
    "missing": StreamsKind(own=True, missing=True, topics=0.12, bad=0.0, steps=(12, 26)),
    "internal": StreamsKind(own=True, made=True, bad=0.0, steps=(8, 18)),
    "config": StreamsKind(settings=CONFIGS, topics=0.12),
    "offsets": StreamsKind(offsets=0.35, administrator=0.08),
    "tags": StreamsKind(configs=("tags",), tags=0.7),
    "max": StreamsKind(configs=("max2",), static=0.3),
    "others": StreamsKind(administrator=0.35, members=(1, 3), steps=(10, 24)),
    "interval": StreamsKind(configs=("interval1000",), grid_ms=180, static=0.15, steps=(14, 28)),
    "delay": StreamsKind(configs=("delay",), grid_ms=200, static=0.1, steps=(14, 28)),
    "timers": StreamsKind(
        grid_ms=600,
        static=0.3,
        steps=(12, 22),
        rebalance_ms=SHORT_REBALANCE_MS,
        configs_at_first={
            "streams.session.timeout.ms": str(SHORT_SESSION_MS),
            "streams.heartbeat.interval.ms": "400",
        },
    ),
    "disabled": StreamsKind(configs=("disabled",), steps=(4, 8)),
    "restart": StreamsKind(static=0.3, endpoints=0.3, restarts=True, steps=(10, 30)),
}
"""No timer ends at a step, and no two at once.

On the grid of `timers` a session (1,500 ms) ends 300 ms after a step, a rebalance timeout (1,410 ms) 210 ms. On that of
`interval` a second ends 100 ms after a step; on that of `delay` the initial delay (1,500 ms) does.
"""
COUNTS = {
    "native": 20,
    "crowd": 12,
    "standby": 22,
    "static": 26,
    "endpoint": 16,
    "topics": 20,
    "missing": 9,
    "internal": 9,
    "config": 14,
    "offsets": 12,
    "tags": 8,
    "max": 8,
    "others": 8,
    "interval": 12,
    "delay": 8,
    "timers": 8,
    "disabled": 1,
    "restart": 10,
}
"""How many plans of each kind are recorded: some more than 200, because plays of a few never agree."""


def plans(seed: int) -> list[Plan]:
    """All plans to record."""
    return [draw(seed, kind, number) for kind, count in COUNTS.items() for number in range(count)]


def draw(seed: int, kind: str, number: int) -> Plan:
    """One plan; the same for the same arguments."""
    chance = Random(f"streams/{seed}/{kind}/{number}")
    draft = _Draft(chance, KINDS[kind], odd=REQUESTS, asked=ADMINISTRATOR, others=OTHERS)
    name = f"R.{kind}.{seed}{number:03}"
    return drawn(name, f"random script, kind {kind}", chance, draft, draft.topics)


@dataclass
class _Draft(Drawing):
    """A plan of one application. `topics`: its own ones at the beginning."""

    topics: dict[str, int] = field(default_factory=dict)
    topology: Message = field(default_factory=dict)

    def __post_init__(self) -> None:
        kind = self.streams
        listed = SHARED_TOPOLOGIES if not kind.own else OWN_TOPOLOGIES[1:] if kind.made else OWN_TOPOLOGIES
        found = self.chance.choice(BAD_TOPOLOGIES if self.chance.random() < kind.bad else listed)
        self.topology = {"epoch": self.one_of(0, 0, 0, 3), "subtopologies": found}
        if kind.own:
            self.topics = self._own(found)
            self.counts = dict(self.topics)
        for number in range(1, self.chance.randint(*kind.members) + 1):
            self.members[f"m{number}"] = self._member(number)

    @property
    def streams(self) -> StreamsKind:
        """The kind of the plan."""
        assert isinstance(self.kind, StreamsKind)
        return self.kind

    def _own(self, subtopologies: Sequence[Message]) -> dict[str, int]:
        """Topics that fit the topology, but for those that are to be missing and those that the broker makes."""
        sources = sorted({t for sub in subtopologies for t in sub["sources"] if t.startswith("p_")})
        joined = any(sub["copartition"] for sub in subtopologies)
        count = self.chance.randint(1, 4)
        topics = {name: count if joined else self.chance.randint(1, 4) for name in sources}
        if self.streams.missing:
            topics.pop(sources[-1])
        elif not self.streams.made:
            inner = [t["name"] for sub in subtopologies for t in (*sub["repartition_sources"], *sub["changelogs"])]
            topics |= dict.fromkeys(inner, topics["p_a"])
        return topics

    def _member(self, number: int) -> dict[str, Any]:
        kind, chance = self.streams, self.chance
        joint = number > 1 and chance.random() < kind.joint
        return {
            "kind": "streams",
            "instance": f"i{self.one_of(number, number, number, 1)}" if chance.random() < kind.static else None,
            "rack": self.one_of(None, None, None, None, "ra"),
            "R": kind.rebalance_ms,
            "process": f"P{chance.randint(1, number - 1) if joint else number}",
            "endpoint": [f"h{number}", 7000 + number] if chance.random() < kind.endpoints else None,
            "tags": dict(self.one_of(*TAGS[1:])) if chance.random() < kind.tags else {},
            "topology": self.topology,
        }

    def pause_ms(self, step: Step) -> int:
        """The broker makes internal topics in the background."""
        if self.streams.own and "_log" in str(self.topology):
            return CREATED_MS
        return INITIALISED_MS if step["as"] in self.others else super().pause_ms(step)

    def other_topology(self) -> Message:
        """One that is not the group's: newer, or as old but different, or older."""
        other = self.chance.choice(SHARED_TOPOLOGIES)
        return {"epoch": self.topology["epoch"] + self.one_of(0, 1, 9, -1), "subtopologies": other}

    def tasks(self) -> Message:
        """Tasks as nobody has them."""
        numbers = sorted(self.chance.sample(range(5), 2))
        kind = self.one_of("active", "active", "standby", "warmup")
        return {**NOTHING, kind: {self.one_of("0", "0", "1", "9"): numbers}}

    def sums(self) -> dict[str, Message]:
        """Offsets that a member reports of its own tasks or of others'."""
        held = {str(n): self.one_of(0, 10, 99, 50_000) for n in range(self.chance.randint(1, 4))}
        ends = {n: offset + self.one_of(0, 1, 20_000) for n, offset in held.items()}
        sub = self.one_of("0", "0", "1")
        return {"offsets": {sub: held}, "end_offsets": {sub: ends}}


HEARTBEAT = {"op": "streams_heartbeat"}
JOIN = {**HEARTBEAT, "epoch": 0, "full": True, "tasks": "empty"}
NATURAL = ("empty", "owned", "assigned", "less", None)
REQUESTS = (
    lambda d: {**HEARTBEAT, "epoch": -1},
    lambda d: {**HEARTBEAT, "epoch": d.one_of(-1, -2, -2)},
    lambda d: {**HEARTBEAT, "epoch": "prev", "tasks": d.one_of(*NATURAL)},
    lambda d: {**HEARTBEAT, "epoch": d.one_of("next", -3, 1, 0), "tasks": d.one_of("empty", None)},
    lambda d: JOIN,
    lambda d: {**JOIN, "tasks": d.one_of("owned", None, "empty")},
    lambda d: {**JOIN, "fields": {"topology": d.one_of(d.other_topology(), d.other_topology(), None)}},
    lambda d: {**JOIN, "fields": {"process_id": d.one_of("P1", "P2", "P9", "")}},
    lambda d: {**JOIN, "fields": {"endpoint": d.one_of(None, ["h9", 7009], ["h1", 7001])}},
    lambda d: {**JOIN, "fields": {"instance_id": d.one_of(None, "i1", "i2", "i9", "")}},
    lambda d: {**JOIN, "fields": {"rack_id": d.one_of(None, "rb", ""), "tags": dict(d.one_of(*TAGS))}},
    lambda d: {**JOIN, "fields": {"rebalance_timeout_ms": d.one_of(-1, d.streams.rebalance_ms, -2)}},
    lambda d: {**JOIN, "v": 0},
    lambda d: {**HEARTBEAT, "tasks": d.one_of("empty", "less", "owned")},
    lambda d: {**HEARTBEAT, "tasks": "less", "full": True},
    lambda d: {**HEARTBEAT, "tasks": d.tasks()},
    lambda d: {**HEARTBEAT, "fields": d.tasks() | {d.one_of("standby", "warmup"): None}},
    lambda d: {**HEARTBEAT},
    lambda d: {**HEARTBEAT},
    lambda d: {**HEARTBEAT, "fields": d.sums()},
    lambda d: {**HEARTBEAT, "fields": d.sums()},
    lambda d: {**HEARTBEAT, "fields": {"process_id": d.one_of("P1", "P9")}},
    lambda d: {**HEARTBEAT, "fields": {"endpoint": d.one_of(["h9", 7009], ["h1", 7001])}},
    lambda d: {**HEARTBEAT, "fields": {"tags": dict(d.one_of(*TAGS))}},
    lambda d: {**HEARTBEAT, "fields": {"rack_id": d.one_of("rb", "ra", "")}},
    lambda d: {**HEARTBEAT, "fields": {"instance_id": d.one_of(None, "i1", "i9")}},
    lambda d: {**HEARTBEAT, "fields": {"endpoint_epoch": d.one_of(-1, 0, 9)}},
    lambda d: {**HEARTBEAT, "fields": {"topology": d.topology}},
    lambda d: {**HEARTBEAT, "id": d.one_of(STRANGER, "m1", ""), "v": d.one_of(0, 1)},
    lambda d: (
        {**HEARTBEAT, "fields": {"shutdown": True}, "epoch": d.one_of("cur", "cur", -1)}
        if d.chance.random() < 0.3
        else {**HEARTBEAT}
    ),
)
"""What a member may ask besides what it should."""
ADMINISTRATOR = (
    lambda d: {"op": "list"},
    lambda d: {"op": "streams_describe"},
    lambda d: {"op": "delete_group"},
    lambda d: {"op": "offset_delete", "topic": d.one_of("t1", "t2")},
    lambda d: {"op": d.one_of("describe", "consumer_describe", "share_describe")},
    lambda d: {"as": d.one_of(*d.others), "op": "next"},
)
"""What an administrator asks, and what members of groups of other types do."""
