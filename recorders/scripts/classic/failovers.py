"""Scripts in which the coordinator moves to another broker: what the group is there (Kafka: onUnloaded, onLoaded)."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.script import Script, Step

GAP_MS = 300
AROUND_MS = 1_500
"""A move takes some time; nothing is asked just after it."""
LISTENED_MS = 700
BOTH = [["range", "r"], ["roundrobin", "b"]]
MINUTE_MS = 60_000


class _Writer:
    """A script, step by step."""

    def __init__(self, name: str, about: str) -> None:
        self._head = {"name": f"F.{name}", "family": "failover", "about": about, "config": "d0"}
        self._steps: list[Step] = []
        self._at = 0

    def done(self) -> Script:
        """The whole script."""
        return {**self._head, "end_ms": self._at + LISTENED_MS, "plays": 0, "choices": [], "steps": self._steps}

    def _step(self, label: str, op: str, version: int, request: dict[str, Any]) -> None:
        i = len(self._steps)
        self._steps.append({"i": i, "at": self._at, "as": label, "op": op, "v": version, "request": request})
        self._at += GAP_MS

    def join(
        self,
        label: str,
        member: str = "",
        instance: str | None = None,
        protocols: list[list[str]] | None = None,
        session_ms: int = 30_000,
    ) -> _Writer:
        """JoinGroup."""
        request = {
            "session_timeout_ms": session_ms,
            "rebalance_timeout_ms": MINUTE_MS,
            "member_id": member,
            "group_instance_id": instance,
            "protocol_type": "consumer",
            "protocols": protocols or BOTH,
        }
        self._step(label, "join", 9, request)
        return self

    def sync(self, label: str, generation: int, *members: str, instance: str | None = None) -> _Writer:
        """SyncGroup; the members it names get an assignment."""
        request = {
            "generation": generation,
            "member_id": f"{label}#1",
            "group_instance_id": instance,
            "protocol_type": "consumer",
            "protocol_name": "range",
            "assignments": [[member, f"g{generation}/{member}"] for member in members],
        }
        self._step(label, "sync", 5, request)
        return self

    def beat(self, label: str, generation: int, member: str = "", instance: str | None = None) -> _Writer:
        """Heartbeat."""
        who = {"generation": generation, "member_id": member or f"{label}#1", "group_instance_id": instance}
        self._step(label, "heartbeat", 4, who)
        return self

    def commit(self, label: str, generation: int) -> _Writer:
        """OffsetCommit."""
        who = {"generation": generation, "member_id": f"{label}#1", "group_instance_id": None}
        self._step(label, "commit", 9, {**who, "partition": 0, "offset": 7})
        return self

    def leave(self, label: str) -> _Writer:
        """LeaveGroup."""
        self._step(label, "leave", 5, {"members": [{"member_id": f"{label}#1", "group_instance_id": None}]})
        return self

    def describe(self) -> _Writer:
        """DescribeGroups."""
        self._step("", "describe", 5, {})
        return self

    def wait(self, ms: int) -> _Writer:
        """Ask nothing for so long."""
        self._at += ms
        return self

    def move(self) -> _Writer:
        """The coordinator moves."""
        self._step("", "failover", 0, {})
        self._at += AROUND_MS
        return self

    def pair(self) -> _Writer:
        """m1 leads and m2 follows in generation 2, Stable."""
        self.join("m1").join("m1", "m1#1").join("m2").join("m2", "m2#1").join("m1", "m1#1")
        return self.sync("m2", 2).sync("m1", 2, "m1#1", "m2#1")


def _one(name: str, about: str) -> _Writer:
    """m1 alone in generation 1, Stable."""
    return _Writer(name, about).join("m1").join("m1", "m1#1").sync("m1", 1, "m1#1")


def scripts() -> list[Script]:
    """All of them."""
    return [writer.done() for writer in (*_phases(), *_members())]


def _phases() -> list[_Writer]:
    """A failover in each state of a group."""
    return [
        _Writer("stable", "a Stable group is as it was")
        .pair()
        .move()
        .describe()
        .beat("m1", 2)
        .beat("m2", 2)
        .commit("m2", 2)
        .beat("m2", 1)
        .describe(),
        _one("parked-join", "a parked join is answered; the rebalance it began is forgotten, and so is the new member")
        .join("m2")
        .join("m2", "m2#1")
        .move()
        .describe()
        .beat("m1", 1)
        .beat("m2", 1)
        .join("m2", "m2#1")
        .beat("m1", 1),
        _one("parked-sync", "a generation without an assignment is forgotten: the group is back at the one before")
        .join("m2")
        .join("m2", "m2#1")
        .join("m1", "m1#1")
        .sync("m2", 2)
        .move()
        .describe()
        .beat("m1", 2)
        .beat("m1", 1)
        .commit("m1", 2)
        .commit("m1", 1)
        .beat("m2", 2),
        _Writer("pending", "an id that was only handed out is forgotten")
        .pair()
        .join("m3")
        .move()
        .join("m3", "m3#1")
        .join("m3")
        .describe(),
        _one("empty", "an Empty group keeps its generation")
        .leave("m1")
        .move()
        .describe()
        .join("m2")
        .join("m2", "m2#1")
        .describe(),
        _Writer("never-stable", "a group that never had an assignment is Empty")
        .join("m1")
        .join("m1", "m1#1")
        .move()
        .describe()
        .beat("m1", 1)
        .join("m1", "m1#1")
        .join("m1")
        .describe(),
    ]


def _members() -> list[_Writer]:
    """Scripts about what is on record of the members."""
    return [
        _Writer("session", "sessions count from the load")
        .join("m1", session_ms=2_950)
        .join("m1", "m1#1", session_ms=2_950)
        .sync("m1", 1, "m1#1")
        .wait(900)
        .move()
        .describe()
        .wait(2_000)
        .describe()
        .beat("m1", 1),
        _Writer("other-protocol", "only the assignor in use is on record: one that lists another is refused")
        .pair()
        .join("m3", protocols=[["roundrobin", "b"]])
        .move()
        .join("m3", protocols=[["roundrobin", "b"]])
        .join("m3", protocols=[["range", "r"]])
        .describe(),
        _Writer("follower-two-protocols", "a follower that lists two assignors again starts a rebalance")
        .pair()
        .move()
        .join("m2", "m2#1")
        .describe()
        .beat("m1", 2),
        _Writer("follower-one-protocol", "a follower that lists the one on record is answered at once")
        .pair()
        .move()
        .join("m2", "m2#1", protocols=[["range", "r"]])
        .describe()
        .beat("m1", 2),
        _Writer("static-replaced", "a static member's new id is on record: the old one stays fenced")
        .join("s1", instance="i1")
        .sync("s1", 1, "s1#1", instance="i1")
        .join("s1", instance="i1")
        .move()
        .beat("s1", 1, "s1#1", instance="i1")
        .beat("s1", 1, "s1#2", instance="i1")
        .join("s1", instance="i1")
        .describe(),
        _Writer("twice", "two moves are no more than one")
        .pair()
        .move()
        .beat("m1", 2)
        .move()
        .beat("m1", 2)
        .beat("m2", 2)
        .describe(),
    ]
