"""Predictions of the simulator, tried with real Java clients and a real broker: confirmed or refuted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from recorders.broker import fetch
from recorders.broker.kafka import HOST, Kafka
from recorders.timelines.real_clients import Feed, Process, held, java_member

PROPERTIES = {"group.initial.rebalance.delay.ms": "3000"}
FORGETTING_SCRIPT = "F.other-protocol"


class Verdict(StrEnum):
    """Whether real clients did what the simulator predicts."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was predicted and what happened. `seen`: the figures behind the verdict."""

    scenario: str
    claim: str
    verdict: Verdict
    seen: str


def _checked(scenario: str, claim: str, holds: bool, seen: str) -> Prediction:
    return Prediction(scenario, claim, Verdict.CONFIRMED if holds else Verdict.REFUTED, seen)


class ConsumerGroup:
    """A group of real consumers; a context manager that ends all of them."""

    def __init__(self, kafka: Kafka, group: str, partitions: int, **settings: str) -> None:
        self._kafka = kafka
        self.topic = group
        self.partitions = partitions
        kafka.create_topic(self.topic, partitions)
        self._settings = {
            "bootstrap.servers": f"{HOST}:{kafka.port}",
            "group.id": group,
            "topics": self.topic,
            "auto.offset.reset": "latest",
            **settings,
        }
        self._members: list[Process] = []

    def member(self, **settings: str) -> Process:
        """One more consumer, ready to start."""
        given = {**self._settings, **{key.replace("_", "."): value for key, value in settings.items()}}
        process = Process(java_member(given))
        self._members.append(process)
        process.wait_for(lambda e: e["kind"] == "ready")
        return process

    def owned(self, *members: Process) -> int:
        """How many partitions they own together."""
        return sum(len(held(m.events)) for m in members)

    def settled(self, *members: Process, partitions: int, within_s: float = 40) -> bool:
        """Wait until they own so many."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            if self.owned(*members) == partitions:
                return True
            time.sleep(0.1)
        return False

    def close(self) -> None:
        """End all of them."""
        for member in self._members:
            member.end()

    def __enter__(self) -> ConsumerGroup:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def forgets_assignors(records: Sequence[dict[str, Any]]) -> Prediction:
    """From the answers: before the failover the consumer is let in, after it the same request is refused."""
    script = next((r for r in records if r["name"] == FORGETTING_SCRIPT), None)
    if script is None:
        raise fetch.Unavailable(f"{FORGETTING_SCRIPT} is not among the recorded scripts: record the failovers again")
    moved = next(s["i"] for s in script["steps"] if s["op"] == "failover")
    before = script["steps"][moved - 1]["response"]["error"]
    after = script["steps"][moved + 1]["response"]["error"]
    return _checked(
        "failover_forgets_assignors",
        "after a failover only the assignor in use is on record: a consumer that lists only another is refused",
        (before, after) == ("MEMBER_ID_REQUIRED", "INCONSISTENT_GROUP_PROTOCOL"),
        f"the same JoinGroup is answered {before} before the failover and {after} after it (`{FORGETTING_SCRIPT}`)",
    )


def away_leaves_orphans(kafka: Kafka) -> Prediction:
    """Mirrors scenarios/static_away_leaves_orphans.py."""
    config = {"partition.assignment.strategy": "cooperative-sticky", "max.poll.interval.ms": "10000"}
    with ConsumerGroup(kafka, "orphans", 6, **config) as group, Feed(kafka, group.topic):
        alice, bob, carol = (group.member(group_instance_id=name) for name in ("alice", "bob", "carol"))
        alice.send("start")
        bob.send("start")
        group.settled(alice, bob, partitions=6)
        time.sleep(4)
        alice.send("enforce")
        time.sleep(8)
        bob.send("slow_batch 30000")
        bob.wait_for(lambda e: e["kind"] == "processing", 20)
        time.sleep(5)
        carol.send("start")
        bob.wait_for(lambda e: e["kind"] == "processing_end", 60)
        time.sleep(1.5)
        orphans = group.partitions - group.owned(alice, bob, carol)
        again = group.settled(alice, bob, carol, partitions=6, within_s=30)
        kinds = [e["kind"] for e in bob.events if e["kind"] in ("assigned", "revoked", "lost")]
        return _checked(
            "static_away_leaves_orphans",
            "what a static member should have given up while it was away belongs to nobody for a while when it is back",
            orphans > 0 and again,
            f"{orphans} of 6 partitions without an owner 1.5 s after its return (its callbacks: {', '.join(kinds)}); "
            f"half a minute later {'all are' if again else 'not all are'} owned, though nobody asked for a rebalance",
        )


def leader_misses_growth(kafka: Kafka, wait_s: float = 20) -> Prediction:
    """Mirrors scenarios/static_leader_misses_growth.py, with a wait of four refreshes instead of a minute."""
    with ConsumerGroup(kafka, "growth", 4, **{"metadata.max.age.ms": "5000"}) as group:
        leader, other = (group.member(group_instance_id=name) for name in ("leader", "other"))
        back = group.member(group_instance_id="leader")
        leader.send("start")
        leader.wait_for(lambda e: e["kind"] == "assigned", 30)
        other.send("start")
        other.wait_for(lambda e: e["kind"] == "assigned" and bool(e["partitions"]), 30)
        time.sleep(2)
        leader.send("close")
        leader.wait_for(lambda e: e["kind"] == "closed", 30)
        kafka.add_partitions(group.topic, 6)
        time.sleep(1)
        back.send("start")
        group.settled(back, other, partitions=4)
        time.sleep(wait_s)
        owned = group.owned(back, other)
        back.send("enforce")
        again = group.settled(back, other, partitions=6)
        return _checked(
            "static_leader_misses_growth",
            "a topic grows while the static leader restarts: the new partitions have no owner",
            owned == 4 and again,
            f"{owned} of 6 partitions owned {wait_s:.0f} s (four refreshes) after its return; after a forced rebalance "
            f"{'all are' if again else 'not all are'}",
        )


def slow_assignor(kafka: Kafka, watch_s: float = 45) -> Prediction:
    """Mirrors scenarios/assignor_slower_than_session.py with a session of 4 s and an assignor of 9 s."""
    config = {"session.timeout.ms": "4000", "heartbeat.interval.ms": "1000", "assignor.ms": "9000"}
    with ConsumerGroup(kafka, "slow", 6, **config, **{"partition.assignment.strategy": "slow"}) as group:
        members = [group.member() for _ in range(3)]
        for member in members:
            member.send("start")
        time.sleep(watch_s)
        lines = [line for line in kafka.nodes[0].log.read_text().splitlines() if "group slow " in line]
        rounds = sum("Stabilized group slow generation" in line for line in lines)
        stored = sum("Assignment received from leader" in line for line in lines)
        expired = sum("failed" in line and "heartbeat" in line.lower() for line in lines)
        return _checked(
            "assignor_slower_than_session",
            "no generation is ever finished: the followers' own session timers run out behind the parked SyncGroup",
            rounds >= 3 and stored == 0,
            f"{rounds} join phases completed in {watch_s:.0f} s, {stored} assignments stored, {expired} members "
            "expired by the broker",
        )


def check(records: Sequence[dict[str, Any]], log: Callable[[str], None]) -> list[dict[str, Any]]:
    """All predictions, side by side with one broker. `records`: the recorded scripts with a failover."""
    trials: tuple[Callable[[Kafka], Prediction], ...] = (away_leaves_orphans, leader_misses_growth, slow_assignor)
    predictions = [forgets_assignors(records)]
    with Kafka(PROPERTIES) as kafka, ThreadPoolExecutor(len(trials)) as threads:
        running = [threads.submit(trial, kafka) for trial in trials]
        predictions += [prediction.result() for prediction in running]
    for prediction in predictions:
        log(f"{prediction.scenario}: {prediction.verdict}; {prediction.seen}")
    return [asdict(trial) for trial in predictions]
