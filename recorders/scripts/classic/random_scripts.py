"""Random scripts of legal and illegal requests, from a seed: what two to six members might ask of a coordinator.

A script is written while the simulated coordinator answers it, so that members mostly do what a client would do next;
afterwards the requests are fixed, whatever a real broker answers. A script whose answers depend on a few milliseconds
is written anew: a request or a timer that coincides with another has no one right answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

from groupsim.conformance.scripts.classic.player import play
from groupsim.conformance.scripts.script import Script, Step

GRID_MS = 600
"""Steps are so far apart; timers end between them: session timeouts are multiples of it and a quarter more."""
TIMEOUTS_MS = (1350, 1950, 2550, 3150)
REBALANCE_MS = (850, 1450, 2050, 2650)
LONG_SESSION_MS, LONG_REBALANCE_MS = 30_000, 60_000
SHAKE_MS = 45
TIMEOUT_SHAKE_MS = 20
SHAKES = 12
LISTENED_MS = 1_300
"""How long after the last step answers are waited for."""
CONFIGS = ("d0",) * 13 + ("d300",) * 3 + ("max3",) * 3 + ("d3000",)
LISTS = (("range", "roundrobin"),) * 5 + (("roundrobin", "range"), ("range",), ("roundrobin", "range", "sticky"))
JOIN_VERSIONS = (9,) * 8 + (8, 7, 5, 5, 3)
STRANGER = "bogus"


class MemberState(StrEnum):
    """What a fake member's last answer means for it."""

    AWAY = "away"
    PENDING = "pending"
    WAITING = "waiting"
    JOINED = "joined"
    MUST_REJOIN = "must rejoin"
    STABLE = "stable"


@dataclass
class _Member:
    """The state of a fake member."""

    label: str
    instance: str | None
    session_ms: int
    rebalance_ms: int
    protocols: tuple[str, ...]
    id: str = ""
    generation: int = -1
    protocol: str | None = None
    group: tuple[str, ...] = ()
    state: MemberState = MemberState.AWAY

    def follow(self, step: Step) -> None:
        """Follow the answer to the last request."""
        answer = step["response"]
        if answer is None:
            self.state = MemberState.WAITING
            return
        error = answer["error"]
        if step["op"] == "join" and error in ("NONE", "MEMBER_ID_REQUIRED"):
            self.id, self.generation, self.protocol = answer["member_id"], answer["generation"], answer["protocol"]
            self.group = tuple(m["member_id"] for m in answer["members"])
            self.state = MemberState.JOINED if error == "NONE" else MemberState.PENDING
        elif (step["op"] == "leave" and error == "NONE") or error in (
            "UNKNOWN_MEMBER_ID",
            "FENCED_INSTANCE_ID",
            "GROUP_MAX_SIZE_REACHED",
        ):
            self.state, self.id = MemberState.AWAY, ""
        elif error in ("REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION"):
            self.state = MemberState.MUST_REJOIN
        elif step["op"] == "sync" and error == "NONE":
            self.state = MemberState.STABLE


class Author:
    """Writes one script."""

    def __init__(self, seed: int, number: int, attempt: int) -> None:
        self._chance = chance = Random(f"{seed}/{number}/{attempt}")
        self._config = chance.choice(CONFIGS)
        self._name = f"R.{seed}.{self._config}.{number:03d}"
        self._members = [self._member(k) for k in range(1, chance.randint(2, 6) + 1)]
        self._latest: dict[str, int] = {}
        self._steps: list[Step] = []
        self._tags = 0

    def write(self) -> Script:
        """10 to 26 steps."""
        for _ in range(self._chance.randint(10, 26)):
            self._answer()
            member = self._chance.choice(self._members)
            if self._chance.random() < 0.13:
                self._ask("", "describe", 5, {})
            else:
                self._next(member)
        return self._script()

    def _member(self, k: int) -> _Member:
        chance = self._chance
        return _Member(
            label=f"m{k}",
            instance=f"i{k}" if chance.random() < 0.3 else None,
            session_ms=chance.choice((LONG_SESSION_MS, LONG_SESSION_MS, *TIMEOUTS_MS)),
            rebalance_ms=LONG_REBALANCE_MS if chance.random() < 0.4 else chance.choice(REBALANCE_MS),
            protocols=chance.choice(LISTS),
        )

    def _script(self) -> Script:
        end = len(self._steps) * GRID_MS + LISTENED_MS - GRID_MS
        about = f"random, {len(self._members)} members"
        return {
            "name": self._name,
            "family": "random",
            "config": self._config,
            "about": about,
            "end_ms": end,
            "plays": 0,
            "choices": [],
            "steps": self._steps,
        }

    def _answer(self) -> None:
        """Play the script so far; every member gets the answer to its last request."""
        if not self._steps:
            return
        played = play({**self._script(), "end_ms": len(self._steps) * GRID_MS})["steps"]
        for member in self._members:
            if member.label in self._latest:
                member.follow(played[self._latest[member.label]])

    def _ask(self, label: str, op: str, version: int, request: dict[str, Any]) -> None:
        if label:
            self._latest[label] = len(self._steps)
        at = len(self._steps) * GRID_MS
        self._steps.append({"i": len(self._steps), "at": at, "as": label, "op": op, "v": version, "request": request})

    def _next(self, m: _Member) -> None:
        """What a client would do; sometimes something else."""
        roll = self._chance.random()
        if roll < 0.16:
            self._unexpected(m)
        elif m.state is MemberState.JOINED:
            self._sync(m)
        elif m.state in (MemberState.AWAY, MemberState.PENDING, MemberState.MUST_REJOIN):
            self._join(m)
        elif m.state is MemberState.WAITING:
            self._chance.choice((self._heartbeat, self._heartbeat, self._join, self._leave))(m)
        elif roll < 0.45:
            self._heartbeat(m)
        elif roll < 0.70:
            self._join(m)
        elif roll < 0.90:
            self._commit(m)
        else:
            self._leave(m)

    def _unexpected(self, m: _Member) -> None:
        """A stranger's id, a wrong generation, the other's id, an unknown instance, foreign protocols, a restart."""
        change = self._chance.choice(("stranger", "generation", "other", "instance", "foreign", "restart", "restart"))
        saved = (m.id, m.generation, m.instance, m.protocols)
        if change == "stranger":
            m.id = STRANGER
        elif change == "generation":
            m.generation += self._chance.choice((-1, 1, 2))
        elif change == "other":
            m.id = self._chance.choice(self._members).id or STRANGER
        elif change == "instance":
            m.instance = self._chance.choice(("i1", "i2", "nobody"))
            m.id = m.id or STRANGER
        elif change == "foreign":
            m.protocols = ("other",)
            m.id = ""
        else:
            m.id = ""
        if change in ("foreign", "restart"):
            self._join(m)
        else:
            self._chance.choice((self._heartbeat, self._sync, self._commit, self._join, self._leave))(m)
        m.id, m.generation, m.instance, m.protocols = saved

    def _join(self, m: _Member) -> None:
        self._tags += self._chance.random() < 0.6
        version = self._chance.choice(JOIN_VERSIONS)
        kind = "connect" if m.protocols == ("other",) and self._chance.random() < 0.5 else "consumer"
        self._ask(
            m.label,
            "join",
            version,
            {
                "session_timeout_ms": m.session_ms,
                "rebalance_timeout_ms": m.rebalance_ms,
                "member_id": m.id,
                "group_instance_id": m.instance,
                "protocol_type": kind,
                "protocols": [[name, f"{name[0]}{self._tags}"] for name in m.protocols],
            },
        )

    def _sync(self, m: _Member) -> None:
        named = self._chance.random() > 0.05
        plan = [[member, f"s{len(self._steps)}/{member}"] for member in m.group]
        self._ask(
            m.label,
            "sync",
            5 if self._chance.random() < 0.9 else 4,
            {
                "generation": m.generation,
                "member_id": m.id,
                "group_instance_id": m.instance,
                "protocol_type": "consumer" if named else None,
                "protocol_name": (m.protocol or "range") if named else None,
                "assignments": plan,
            },
        )

    def _heartbeat(self, m: _Member) -> None:
        who = {"generation": m.generation, "member_id": m.id or STRANGER, "group_instance_id": m.instance}
        self._ask(m.label, "heartbeat", 4, who)

    def _commit(self, m: _Member) -> None:
        op = "txn_commit" if self._chance.random() < 0.25 else "commit"
        version = 3 if op == "txn_commit" else self._chance.choice((8, 9, 9))
        who = {"generation": m.generation, "member_id": m.id, "group_instance_id": m.instance}
        self._ask(m.label, op, version, {**who, "partition": 0, "offset": 100 + len(self._steps)})

    def _leave(self, m: _Member) -> None:
        alone = m.instance is not None and self._chance.random() < 0.5
        entry = {"member_id": "" if alone else m.id or STRANGER, "group_instance_id": m.instance}
        self._ask(m.label, "leave", 5, {"members": [entry]})


def steady(script: Script) -> bool:
    """Whether the simulated answers stay the same when every step and timeout is a little longer or shorter.

    Checked again for a recorded script: with the leaders that a real broker chose other timers may coincide.
    """
    chance = Random(f"shake {script['name']}")
    first = play(script)["steps"]
    for _ in range(SHAKES):
        again = play({**script, "steps": [_shaken(step, chance) for step in script["steps"]]})["steps"]
        if any((a["response"], a["after"]) != (b["response"], b["after"]) for a, b in zip(first, again, strict=True)):
            return False
    return True


def _shaken(step: Step, chance: Random) -> Step:
    asked = dict(step["request"])
    for key in ("session_timeout_ms", "rebalance_timeout_ms"):
        if key in asked:
            asked[key] += chance.randint(-TIMEOUT_SHAKE_MS, TIMEOUT_SHAKE_MS)
    return {**step, "at": max(0, step["at"] + chance.randint(-SHAKE_MS, SHAKE_MS)), "request": asked}


def draw(seed: int, number: int) -> Script:
    """Script `number` of a seed."""
    attempt = 0
    while True:
        script = Author(seed, number, attempt).write()
        if steady(script):
            return script
        attempt += 1
