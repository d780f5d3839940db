"""Random plans of scripts of share groups, from a seed: what two to seven members and an administrator might ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.scripts.plans.plan import (
    INITIALISED_MS,
    OTHERS,
    OWN,
    SHORT_SESSION_MS,
    STRANGER,
    Drawing,
    Kind,
    Plan,
    drawn,
)

SHARED = ("t1", "t2", "t3", "t4")
FROM_ELSEWHERE = {
    **{label: how for label, how in OTHERS.items() if how["kind"] != "share"},
    "c3": {
        "kind": "streams",
        "process": "P1",
        "tags": {},
        "topology": {
            "epoch": 0,
            "subtopologies": [
                {
                    "id": "0",
                    "sources": ["t1"],
                    "regex": [],
                    "changelogs": [],
                    "repartition_sinks": [],
                    "repartition_sources": [],
                    "copartition": [],
                }
            ],
        },
    },
}
"""Members of groups of other types that come to the wrong group."""
STATEFUL = ("share_heartbeat", "share_alter", "share_delete", "delete_group")
CONFIGS: tuple[Mapping[str, str | None], ...] = (
    {"share.heartbeat.interval.ms": "2000"},
    {"share.heartbeat.interval.ms": None},
    {"share.auto.offset.reset": "earliest"},
    {"share.isolation.level": "read_committed"},
    {"share.session.timeout.ms": "50000"},
    {"share.record.lock.duration.ms": "1"},
    {"share.heartbeat.interval.ms": "20000"},
    {"streams.num.standby.replicas": "1"},
)


@dataclass(frozen=True, slots=True)
class ShareKind(Kind):
    """`alike`: the share of members that subscribe to what the first one does; `own`: to the script's own topics.

    `leaves`: the share of steps in which a member leaves: share offsets change only while nobody is there.
    """

    alike: float = 0.8
    own: float = 0.0
    leaves: float = 0.0


KINDS: Mapping[str, ShareKind] = {
    "equal": ShareKind(alike=1.0),
    "unequal": ShareKind(alike=0.2),
    "crowd": ShareKind(members=(5, 8), steps=(24, 50), odd=0.15, alike=0.6),
    "topics": ShareKind(topics=0.1, own=0.7, members=(1, 3)),
    "offsets": ShareKind(administrator=0.3, steps=(10, 26)),
    "emptied": ShareKind(administrator=0.45, leaves=0.2, members=(1, 2), steps=(12, 26), odd=0.1),
    "commits": ShareKind(offsets=0.25, administrator=0.1),
    "config": ShareKind(settings=CONFIGS, topics=0.12),
    "max": ShareKind(configs=("max2",)),
    "others": ShareKind(administrator=0.35, members=(1, 3), steps=(10, 24)),
    "disabled": ShareKind(configs=("disabled",)),
    "interval": ShareKind(configs=("interval1000",), grid_ms=280, steps=(12, 26)),
    "timers": ShareKind(
        grid_ms=600,
        steps=(12, 22),
        configs_at_first={
            "share.session.timeout.ms": str(SHORT_SESSION_MS),
            "share.heartbeat.interval.ms": "400",
        },
    ),
    "restart": ShareKind(restarts=True, steps=(10, 26)),
}
"""On the grid of `timers` a session (1,500 ms) ends 300 ms after a step; on that of `interval` a second 160 ms."""
COUNTS = {
    "equal": 18,
    "unequal": 24,
    "crowd": 12,
    "topics": 12,
    "offsets": 12,
    "emptied": 14,
    "commits": 6,
    "config": 5,
    "max": 4,
    "others": 4,
    "disabled": 2,
    "interval": 6,
    "timers": 6,
    "restart": 6,
}
"""How many plans of each kind are recorded: some more than 100, because plays of a few never agree."""


def plans(seed: int) -> list[Plan]:
    """All plans to record."""
    return [draw(seed, kind, number) for kind, count in COUNTS.items() for number in range(count)]


def draw(seed: int, kind: str, number: int) -> Plan:
    """One plan; the same for the same arguments."""
    chance = Random(f"share/{seed}/{kind}/{number}")
    draft = _Draft(chance, KINDS[kind], odd=REQUESTS, asked=ADMINISTRATOR, others=FROM_ELSEWHERE)
    name = f"R.{kind}.{seed}{number:03}"
    return drawn(name, f"random script, kind {kind}", chance, draft, draft.topics)


@dataclass
class _Draft(Drawing):
    """A plan of one group. `topics`: its own ones at the beginning."""

    topics: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.share.own:
            self.topics = {name: self.chance.randint(1, 4) for name in OWN[: self.chance.randint(1, 2)]}
            self.counts = dict(self.topics)
        for number in range(1, self.chance.randint(*self.kind.members) + 1):
            self.members[f"m{number}"] = self._member()

    @property
    def share(self) -> ShareKind:
        """The kind of the plan."""
        assert isinstance(self.kind, ShareKind)
        return self.kind

    def step(self, number: int) -> Step:
        """What is asked next."""
        if self.share.leaves and self.begun and self.chance.random() < self.share.leaves:
            return {"as": self.one_of(*sorted(self.begun)), **HEARTBEAT, "epoch": -1}
        return super().step(number)

    def _member(self) -> dict[str, Any]:
        alike = self.members and self.chance.random() < self.share.alike
        names = list(self.members["m1"]["names"]) if alike else self.names()
        return {"kind": "share", "names": names, "rack": self.one_of(None, None, "ra")}

    def names(self) -> list[str]:
        """Topics to subscribe to."""
        known = OWN if self.chance.random() < self.share.own else SHARED
        return self.chance.sample(known, min(len(known), self.one_of(1, 1, 1, 2, 2, 3)))

    def pause_ms(self, step: Step) -> int:
        """The share coordinator is asked in the background."""
        return INITIALISED_MS if step["op"] in ("next", *STATEFUL) else super().pause_ms(step)

    def some(self) -> dict[str, list[int]]:
        """Some partitions of a topic."""
        name = self.one_of(*SHARED, *SHARED, *self.topics)
        return {name: sorted(self.chance.sample(range(3), self.one_of(1, 1, 2))) if name in SHARED else [0]}


HEARTBEAT = {"op": "share_heartbeat"}
JOIN = {**HEARTBEAT, "epoch": 0, "full": True}
REQUESTS = (
    lambda d: {**HEARTBEAT, "epoch": -1},
    lambda d: {**HEARTBEAT, "epoch": d.one_of(-1, -1, -2, -3)},
    lambda d: {**HEARTBEAT, "epoch": d.one_of("prev", "prev", "next", 1, 99)},
    lambda d: JOIN,
    lambda d: {**HEARTBEAT, "epoch": 0},
    lambda d: {**JOIN, "fields": {"subscribed_topic_names": d.names()}},
    lambda d: {**JOIN, "fields": {"rack_id": d.one_of(None, "rb", "")}},
    lambda d: {**HEARTBEAT, "fields": {"subscribed_topic_names": d.names()}},
    lambda d: {**HEARTBEAT, "fields": {"subscribed_topic_names": d.names()}},
    lambda d: {**HEARTBEAT, "fields": {"subscribed_topic_names": d.one_of([], ["nowhere"], ["t1", "nowhere"])}},
    lambda d: {**HEARTBEAT, "full": True},
    lambda d: {**HEARTBEAT, "fields": {"rack_id": d.one_of("rb", "rb", "")}},
    lambda d: {**HEARTBEAT, "id": d.one_of(STRANGER, ""), "epoch": d.one_of("cur", -1)},
)
"""What a member may ask besides what it should."""
ADMINISTRATOR = (
    lambda d: {"op": "list"},
    lambda d: {"op": "share_describe"},
    lambda d: {"op": "share_offsets", "topics": None},
    lambda d: {"op": "share_offsets", "topics": d.some()},
    lambda d: {"op": "share_alter", "topics": {t: {str(n): d.one_of(0, 3) for n in p} for t, p in d.some().items()}},
    lambda d: {"op": "share_alter", "topics": {d.one_of("t1", "nowhere"): {d.one_of("0", "9"): 3}}},
    lambda d: {"op": "share_delete", "topics": [d.one_of(*SHARED, *d.topics, "nowhere")]},
    lambda d: {"op": "delete_group"},
    lambda d: {"op": "offset_delete", "topic": "t1"},
    lambda d: {"op": d.one_of("describe", "consumer_describe", "streams_describe")},
    lambda d: {"as": d.one_of(*d.others), "op": "next"},
)
"""What an administrator asks, and what members of groups of other types do."""
