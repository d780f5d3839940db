"""A plan of a script: what members want to ask; and what plans of streams groups and of share groups draw alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from groupsim.conformance.scripts.script import Step

Plan = dict[str, Any]
"""As a script, without what is recorded; a step has an `op`, or `next`: what a real client would ask at this moment.

`members`: by label, how a member is configured. In a step stand only the fields that differ from that.
"""
STEP_MS, BROKER_MS, INITIALISED_MS = 100, 500, 600
"""How far steps are apart: usually, and where the broker is given time: for topics and configurations, and until the
share coordinator has the state of new partitions.
"""
NO_TIMERS_MS, SHORT_SESSION_MS, SHORT_REBALANCE_MS = 45_000, 1_500, 1_410
OWN = ("p_a", "p_b")
"""Topics of one script only: those that may change."""
COMMITTED = ("t1", "t2")
OWN_STEPS = ("create_topic", "grow_topic", "delete_topic", "group_config")
STRANGER = "m9"
OTHERS: Mapping[str, dict[str, Any]] = {
    "c1": {"kind": "classic", "names": ["t1"], "protocols": ["range"], "instance": None, "S": NO_TIMERS_MS},
    "c2": {"kind": "consumer", "names": ["t1"], "protocols": ["range"], "instance": None},
    "c3": {"kind": "share", "names": ["t1"], "rack": None},
}
"""Members of groups of other types that come to the wrong group."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plans: broker configurations to draw from, and shares of what its members are and do.

    `topics`, `offsets`, `administrator`, `odd`: the shares of steps that change topics, commit or fetch, are asked by
    an administrator, and that no real client would ask. `settings`: of the group, that change in place of topics;
    `configs_at_first`: those that are changed before anything else. `restarts`: the broker is stopped and started.
    `grid_ms`: plans with timers that matter, steps so far apart.
    """

    configs: tuple[str, ...] = ("base",)
    members: tuple[int, int] = (2, 5)
    steps: tuple[int, int] = (14, 44)
    topics: float = 0.0
    offsets: float = 0.04
    administrator: float = 0.03
    odd: float = 0.27
    settings: tuple[Mapping[str, str | None], ...] = ()
    configs_at_first: Mapping[str, str] | None = None
    restarts: bool = False
    grid_ms: int = 0


@dataclass
class Drawing:
    """A plan while it is drawn. `at` (ms) is when the next step is sent; `counts`: partitions of the own topics.

    A protocol says what a member may ask besides what it should (`odd`), what an administrator asks (`asked`), which
    members of other protocols there are (`others`), and how long the broker needs after a step (`pause_ms`).
    """

    chance: Random
    kind: Kind
    at: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    members: dict[str, dict[str, Any]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    odd: Sequence[Callable[[Any], Step]] = ()
    asked: Sequence[Callable[[Any], Step]] = ()
    others: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    def one_of(self, *values: Any) -> Any:
        """One of these."""
        return self.chance.choice(values)

    def pause_ms(self, step: Step) -> int:
        """How far the next step is from this one."""
        if step["op"] == "share_heartbeat":
            return INITIALISED_MS
        return BROKER_MS if step["op"] in OWN_STEPS else STEP_MS

    def steps(self) -> list[Step]:
        """All steps, in their order."""
        steps: list[Step] = []
        count = self.chance.randint(*self.kind.steps)
        restart = self.chance.randint(count // 3, count - 3) if self.kind.restarts else -1
        for number in range(count):
            step = {"as": "", "op": "restart"} if number == restart else self.step(number)
            steps.append({"i": number, "at": self.at, **step})
            self.at += max(self.kind.grid_ms, 650) if number == 0 and "configs" in step else self._pause_ms(step)
        return steps

    def _pause_ms(self, step: Step) -> int:
        return self.kind.grid_ms or self.pause_ms(step)

    def step(self, number: int) -> Step:
        """What is asked next."""
        if number == 0 and self.kind.configs_at_first is not None:
            return {"as": "", "op": "group_config", "configs": dict(self.kind.configs_at_first)}
        label, drawn, kind = self.chance.choice(list(self.members)), self.chance.random(), self.kind
        if drawn > 1 - kind.odd and label in self.begun:
            return {"as": label, **self.chance.choice(self.odd)(self)}
        for share, draw in ((kind.topics, self._of_topics), (kind.offsets, self._of_offsets)):
            if drawn < share:
                return draw(label)
            drawn -= share
        if drawn < kind.administrator:
            return {"as": "", **self.chance.choice(self.asked)(self)}
        self.begun.add(label)
        return {"as": label, "op": "next"}

    def _of_topics(self, label: str) -> Step:
        """A topic is created, grows or is deleted; or the group's configuration changes."""
        if self.kind.settings and (not self.counts or self.chance.random() < 0.3):
            return {"as": "", "op": "group_config", "configs": dict(self.chance.choice(self.kind.settings))}
        name = self.chance.choice(sorted({*OWN, *self.counts}))
        if name not in self.counts:
            self.counts[name] = self.chance.randint(1, 3)
            return {"as": "", "op": "create_topic", "topic": name, "partitions": self.counts[name]}
        if self.chance.random() < 0.7:
            self.counts[name] += self.chance.randint(1, 2)
            return {"as": "", "op": "grow_topic", "topic": name, "partitions": self.counts[name]}
        del self.counts[name]
        return {"as": "", "op": "delete_topic", "topic": name}

    def _of_offsets(self, label: str) -> Step:
        op = self.chance.choice(("commit", "commit", "commit", "txn_commit", "fetch"))
        who = self.chance.choice((label,) * 8 + (None if op == "fetch" else "", STRANGER))
        step = {
            "as": label,
            "op": op,
            "epoch": self.one_of("cur", "cur", "cur", "prev", 0, -1, "next"),
            "topic": self.one_of(*COMMITTED, *self.counts),
            "partitions": self.one_of([0, 1, 2], [0], [0, 1, 2, 3]),
        }
        return step if who == label else {**step, "id": who, "instance": None}


def drawn(name: str, about: str, chance: Random, draft: Drawing, topics: Mapping[str, int]) -> Plan:
    """The plan of a draft. `topics`: its own ones at the beginning."""
    steps = draft.steps()
    return {
        "name": name,
        "family": "random",
        "about": about,
        "config": chance.choice(draft.kind.configs),
        **({"timed": True} if draft.kind.grid_ms else {}),
        **({"topics": dict(topics)} if topics else {}),
        "members": {**draft.members, **{label: {"R": NO_TIMERS_MS, **how} for label, how in draft.others.items()}},
        "steps": steps,
        "end_ms": draft.at,
    }
