"""Stories that the simulator told first, told to real Java clients and a real broker: confirmed, or refuted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from groupsim.conformance.broker import fetch
from groupsim.conformance.broker.driver import Script
from groupsim.conformance.broker.kafka import HOST, Kafka
from groupsim.conformance.scripts.record import Say
from groupsim.conformance.timelines.clients import Feed, Process, held, java_member

PROPERTIES = {"group.initial.rebalance.delay.ms": "3000"}
FORGETS = "F.other-protocol"


@dataclass(frozen=True, slots=True)
class Told:
    """A story as it went. `verdict`: `confirmed` or `refuted`; `seen`: the figures behind it."""

    scenario: str
    claim: str
    verdict: str
    seen: str


def _told(scenario: str, claim: str, holds: bool, seen: str) -> Told:
    return Told(scenario, claim, "confirmed" if holds else "refuted", seen)


class Stage:
    """A group of real consumers. A context manager: nobody is left."""

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
        """One more, ready to start."""
        given = {**self._settings, **{key.replace("_", "."): value for key, value in settings.items()}}
        process = Process(java_member(given))
        self._members.append(process)
        process.wait_for(lambda e: e["kind"] == "ready")
        return process

    def owned(self, *members: Process) -> int:
        """How many partitions they hold in all."""
        return sum(len(held(m.events)) for m in members)

    def settled(self, *members: Process, partitions: int, within_s: float = 40) -> bool:
        """Wait until they hold so many."""
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

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def forgets_assignors(records: Sequence[Script]) -> Told:
    """From the answers: before the failover the consumer is let in, after it the same request is refused."""
    script = next((r for r in records if r["name"] == FORGETS), None)
    if script is None:
        raise fetch.Unavailable(f"{FORGETS} is not among the recorded scripts: record the failovers again")
    moved = next(s["i"] for s in script["steps"] if s["op"] == "failover")
    before = script["steps"][moved - 1]["response"]["error"]
    after = script["steps"][moved + 1]["response"]["error"]
    return _told(
        "failover_forgets_assignors",
        "after a failover only the assignor in use is on record: a consumer that lists only another is refused",
        (before, after) == ("MEMBER_ID_REQUIRED", "INCONSISTENT_GROUP_PROTOCOL"),
        f"the same JoinGroup is answered {before} before the failover and {after} after it (`{FORGETS}`)",
    )


def away_leaves_orphans(kafka: Kafka) -> Told:
    """Mirrors scenarios/static_away_leaves_orphans.py."""
    config = {"partition.assignment.strategy": "cooperative-sticky", "max.poll.interval.ms": "10000"}
    with Stage(kafka, "orphans", 6, **config) as stage, Feed(kafka, stage.topic, 6):
        alice, bob, carol = (stage.member(group_instance_id=name) for name in ("alice", "bob", "carol"))
        alice.tell("start")
        bob.tell("start")
        stage.settled(alice, bob, partitions=6)
        time.sleep(4)
        alice.tell("enforce")
        time.sleep(8)
        bob.tell("slow_batch 30000")
        bob.wait_for(lambda e: e["kind"] == "processing", 20)
        time.sleep(5)
        carol.tell("start")
        bob.wait_for(lambda e: e["kind"] == "processing_end", 60)
        time.sleep(1.5)
        orphans = stage.partitions - stage.owned(alice, bob, carol)
        again = stage.settled(alice, bob, carol, partitions=6, within_s=30)
        kinds = [e["kind"] for e in bob.events if e["kind"] in ("assigned", "revoked", "lost")]
        return _told(
            "static_away_leaves_orphans",
            "what a static member should have given up while it was away belongs to nobody for a while when it is back",
            orphans > 0 and again,
            f"{orphans} of 6 partitions without an owner 1.5 s after its return (its callbacks: {', '.join(kinds)}); "
            f"half a minute later {'all are' if again else 'not all are'} owned, though nobody asked for a rebalance",
        )


def leader_misses_growth(kafka: Kafka, wait_s: float = 20) -> Told:
    """Mirrors scenarios/static_leader_misses_growth.py, with a wait of four refreshes instead of a minute."""
    with Stage(kafka, "growth", 4, **{"metadata.max.age.ms": "5000"}) as stage:
        leader, other = (stage.member(group_instance_id=name) for name in ("leader", "other"))
        back = stage.member(group_instance_id="leader")
        leader.tell("start")
        leader.wait_for(lambda e: e["kind"] == "assigned", 30)
        other.tell("start")
        other.wait_for(lambda e: e["kind"] == "assigned" and bool(e["partitions"]), 30)
        time.sleep(2)
        leader.tell("close")
        leader.wait_for(lambda e: e["kind"] == "closed", 30)
        kafka.add_partitions(stage.topic, 6)
        time.sleep(1)
        back.tell("start")
        stage.settled(back, other, partitions=4)
        time.sleep(wait_s)
        owned = stage.owned(back, other)
        back.tell("enforce")
        again = stage.settled(back, other, partitions=6)
        return _told(
            "static_leader_misses_growth",
            "a topic grows while the static leader restarts: the new partitions have no owner",
            owned == 4 and again,
            f"{owned} of 6 partitions owned {wait_s:.0f} s (four refreshes) after its return; after a forced rebalance "
            f"{'all are' if again else 'not all are'}",
        )


def slow_assignor(kafka: Kafka, watch_s: float = 45) -> Told:
    """Mirrors scenarios/assignor_slower_than_session.py with a session of 4 s and an assignor of 9 s."""
    config = {"session.timeout.ms": "4000", "heartbeat.interval.ms": "1000", "assignor.ms": "9000"}
    with Stage(kafka, "slow", 6, **config, **{"partition.assignment.strategy": "slow"}) as stage:
        members = [stage.member() for _ in range(3)]
        for member in members:
            member.tell("start")
        time.sleep(watch_s)
        lines = [line for line in kafka.nodes[0].log.read_text().splitlines() if "group slow " in line]
        rounds = sum("Stabilized group slow generation" in line for line in lines)
        stored = sum("Assignment received from leader" in line for line in lines)
        expired = sum("failed" in line and "heartbeat" in line.lower() for line in lines)
        return _told(
            "assignor_slower_than_session",
            "no generation is ever finished: the followers' own session timers run out behind the parked SyncGroup",
            rounds >= 3 and stored == 0,
            f"{rounds} join phases completed in {watch_s:.0f} s, {stored} assignments stored, {expired} members "
            "expired by the broker",
        )


def tell(records: Sequence[Script], say: Say) -> list[dict[str, Any]]:
    """All stories, side by side against one broker. `records`: the recorded scripts with a failover."""
    stories: tuple[Callable[[Kafka], Told], ...] = (away_leaves_orphans, leader_misses_growth, slow_assignor)
    told = [forgets_assignors(records)]
    with Kafka(PROPERTIES) as kafka, ThreadPoolExecutor(len(stories)) as threads:
        running = [threads.submit(story, kafka) for story in stories]
        told += [each.result() for each in running]
    for story in told:
        say(f"{story.scenario}: {story.verdict}; {story.seen}")
    return [asdict(story) for story in told]
