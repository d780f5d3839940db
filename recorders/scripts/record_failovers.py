"""Record scripts with a failover: the coordinator moves between three real brokers while a script is played."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any

from groupsim.assignors.java.hash_order import string_hash
from groupsim.conformance.scripts.script import Script
from recorders.broker import kafka
from recorders.broker.connections import Pool
from recorders.broker.messages import APIS, ELECT_LEADERS, REASSIGN
from recorders.scripts.play_on_broker import LATE_MS, TRIES, BrokerPlay
from recorders.scripts.record import SHAKE_MS, Log, Steps, agreed

OFFSETS = "__consumer_offsets"
PARTITIONS = 4
"""Of the offsets topic: so many scripts are played at once, each with a coordinator of its own to move."""
PROPERTIES = {"offsets.topic.num.partitions": str(PARTITIONS), "auto.leader.rebalance.enable": "false"}
MOST_PLAYS = 16
NOT_COORDINATOR = "NOT_COORDINATOR"
SETTLE_S = 3
"""Until the leaders of the offsets topic are spread over the brokers that have just come up."""


def coordinated_by(group: str) -> int:
    """The partition of the offsets topic whose leader coordinates the group (GroupMetadataManager.partitionFor)."""
    return (string_hash(group) & 0x7FFFFFFF) % PARTITIONS


class Mover:
    """Moves the coordinator of one group, by making another replica the preferred leader and electing it."""

    def __init__(self, pools: Sequence[Pool], group: str) -> None:
        self._pools = pools
        self.group = group
        self._partition = coordinated_by(group)
        self._at = 0

    @property
    def pool(self) -> Pool:
        """Connections to the present coordinator."""
        return self._pools[self._at - 1]

    async def prepare(self, other_than: int = 0) -> None:
        """Find the coordinator and make the next broker the preferred leader; nothing moves yet."""
        self._at = await self._find(other_than)
        order = [(self._at + n) % len(self._pools) + 1 for n in range(len(self._pools))]
        partition = {"partition": self._partition, "replicas": order}
        body = {"timeout_ms": 10_000, "topics": [{"name": OFFSETS, "partitions": [partition]}]}
        await self._everywhere(REASSIGN, 0, body)
        await asyncio.sleep(0.5)

    async def move(self) -> Pool:
        """Elect it."""
        topics = [{"name": OFFSETS, "partitions": [self._partition]}]
        before = self._at
        await self._everywhere(ELECT_LEADERS, 2, {"type": 0, "topics": topics, "timeout_ms": 10_000})
        await self.prepare(other_than=before)
        return self.pool

    async def _find(self, other_than: int) -> int:
        """The number of the broker that answers for the group."""
        for _ in range(TRIES):
            for number, pool in enumerate(self._pools, start=1):
                said = await pool.ask(APIS["describe"], 5, "groupsim", {"groups": [self.group]})
                if number != other_than and said["groups"][0]["error"] == 0:
                    return number
            await asyncio.sleep(0.05)
        raise ConnectionError(f"nobody coordinates {self.group}")

    async def _everywhere(self, api: Any, version: int, body: dict[str, Any]) -> None:
        """Brokers forward it to the controller."""
        said = await self._pools[0].ask(api, version, "groupsim", body)
        errors = [said["error"], *(p["error"] for topic in said["topics"] for p in topic["partitions"])]
        if any(errors):
            raise ConnectionError(f"moving the coordinator of {self.group}: errors {errors}")


def _moved_too_soon(script: Script, steps: Steps) -> bool:
    """Whether the coordinator moved by itself before its time, because the others took a busy broker for dead."""
    first = next(step["i"] for step in script["steps"] if step["op"] == "failover")
    return any(
        step["response"] is not None and step["after"] < first and step["response"]["error"] == NOT_COORDINATOR
        for step in steps
    )


async def _record(cluster: kafka.Kafka, scripts: Sequence[Script], seed: int) -> tuple[list[Script], list[str]]:
    pools = [Pool(node.port) for node in cluster.nodes]
    chance = Random(seed)
    groups = count()
    free: asyncio.Queue[int] = asyncio.Queue()
    for partition in range(PARTITIONS):
        free.put_nowait(partition)
    records: dict[str, Script] = {}

    def named(script: Script, partition: int) -> str:
        return next(g for n in groups if coordinated_by(g := f"{script['name']}/{n}") == partition)

    async def play(script: Script, first: bool) -> Steps | None:
        partition = await free.get()
        try:
            mover = Mover(pools, named(script, partition))
            await mover.prepare()
            shifts = [0 if first else chance.randint(-SHAKE_MS, SHAKE_MS) for _ in script["steps"]]
            playing = BrokerPlay(script, mover.group, mover.pool, [max(0, shifts[0]), *shifts[1:]], mover.move)
            steps = await playing.run()
            return steps if playing.late_ms <= LATE_MS and not _moved_too_soon(script, steps) else None
        except ConnectionError:
            return None  # the move failed, or the broker hung up on a parked request
        finally:
            free.put_nowait(partition)

    async def one(script: Script) -> None:
        plays: list[Steps] = []
        for n in range(MOST_PLAYS):
            steps = await play(script, n == 0)
            plays += [steps] if steps is not None else []
            record = agreed(script, plays)
            if record is not None:
                records[script["name"]] = record
                return

    await asyncio.gather(*(one(script) for script in scripts))
    for pool in pools:
        await pool.close()
    return [records[s["name"]] for s in scripts if s["name"] in records], sorted(
        {s["name"] for s in scripts} - {*records}
    )


def record(scripts: Sequence[Script], seed: int, log: Log) -> tuple[list[Script], list[str]]:
    """All scripts against three brokers. Returns also the unstable names."""
    with kafka.Kafka(PROPERTIES, nodes=3) as cluster:
        cluster.create_topic("t", 4)
        time.sleep(SETTLE_S)
        agreed, unstable = asyncio.run(_record(cluster, scripts, seed))
    log(f"{len(agreed)} of {len(scripts)} scripts with a failover agreed")
    return agreed, unstable
