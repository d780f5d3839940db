"""One consumer of aiokafka, driven by lines on standard input; it reports what it sees as JSON lines.

Arguments: KEY=VALUE, consumer settings by their Kafka names, and topics=; logs=true: its log, from INFO
on, goes to standard error. Input: `start`, `close`, `slow_batch MS`.
Times are milliseconds since the epoch. It does what recorders/broker/java/Member.java does. It runs in an environment
of its own, which has aiokafka and nothing of ours.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Collection
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener  # pyright: ignore[reportMissingImports] # not ours
from aiokafka.coordinator.assignors.range import RangePartitionAssignor  # pyright: ignore[reportMissingImports]
from aiokafka.coordinator.assignors.roundrobin import (  # pyright: ignore[reportMissingImports]
    RoundRobinPartitionAssignor,
)

ASSIGNORS = {"range": RangePartitionAssignor, "roundrobin": RoundRobinPartitionAssignor}
LONG_BATCH_MS = 500
POLL_MS = 100


def report(kind: str, **more: Any) -> None:
    """One line."""
    print(json.dumps({"at_ms": round(time.time() * 1000), "kind": kind, **more}), flush=True)


class Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # the library is not installed where types are checked
    """Reports what it is called for."""

    consumer: Any = None

    def call(self, kind: str, partitions: Collection[Any]) -> None:
        """One callback, which takes no time."""
        known = self.consumer._coordinator
        named = sorted([p.topic, p.partition] for p in partitions)
        more = {"member_id": known.member_id, "generation": known.generation, "partitions": named}
        report(kind, **more)
        report("callback_end", of=kind, **more)

    async def on_partitions_assigned(self, assigned: Collection[Any]) -> None:
        self.call("assigned", assigned)

    async def on_partitions_revoked(self, revoked: Collection[Any]) -> None:
        self.call("revoked", revoked)


def consumer_of(settings: dict[str, str]) -> Any:
    """It commits by itself."""
    return AIOKafkaConsumer(
        bootstrap_servers=settings["bootstrap.servers"],
        group_id=settings["group.id"],
        client_id=settings["client.id"],
        group_instance_id=settings.get("group.instance.id"),
        session_timeout_ms=int(settings["session.timeout.ms"]),
        heartbeat_interval_ms=int(settings["heartbeat.interval.ms"]),
        max_poll_interval_ms=int(settings["max.poll.interval.ms"]),
        auto_offset_reset=settings["auto.offset.reset"],
        partition_assignment_strategy=(ASSIGNORS[settings["partition.assignment.strategy"]],),
    )


async def main() -> None:
    """Wait for `start`, then consume until `close`."""
    settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
    if settings.get("logs") == "true":
        logging.Formatter.converter = time.gmtime
        logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(levelname)s %(message)s (%(name)s)")
    else:
        logging.disable(logging.CRITICAL)
    commands = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    report("ready")
    while (await commands.readline()).strip() != b"start":
        pass
    report("start")
    consumer, listener = consumer_of(settings), Listener()
    orders: asyncio.Queue[list[str]] = asyncio.Queue()
    listener.consumer = consumer

    async def listen() -> None:
        while line := await commands.readline():
            orders.put_nowait(line.decode().split())
        os._exit(0)  # whoever drove us is gone

    listening = asyncio.create_task(listen())
    await consumer.start()
    consumer.subscribe(settings["topics"].split(","), listener=listener)
    slow_ms = 0
    while True:
        while not orders.empty():
            words = orders.get_nowait()
            if words[0] == "slow_batch":
                slow_ms = int(words[1])
            elif words[0] == "close":
                report("closing", member_id=consumer._coordinator.member_id)
                held = consumer.assignment()
                await consumer.stop()
                if held:
                    listener.call("revoked", held)  # stop() calls no listener
                report("closed")
                listening.cancel()
                return
        records = await consumer.getmany(timeout_ms=POLL_MS)
        busy_ms, slow_ms = (slow_ms, 0) if records else (0, slow_ms)
        if busy_ms >= LONG_BATCH_MS:
            report("processing", ms=busy_ms)
        if busy_ms:
            await asyncio.sleep(busy_ms / 1000)
        if busy_ms >= LONG_BATCH_MS:
            report("processing_end")


asyncio.run(main())
