"""One consumer of kafka-python, driven by lines on standard input; it reports what it sees as JSON lines.

Arguments: KEY=VALUE, consumer settings by their Kafka names, topics= and process.ms=. Input: `start`, `close`.
Times are milliseconds since the epoch. It does what recorders/broker/java/Member.java does; its log goes to stderr.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Collection
from queue import Empty, SimpleQueue
from typing import Any

from kafka import (  # type: ignore[import-untyped]
    ConsumerRebalanceListener,
    KafkaConsumer,
)
from kafka.coordinator.assignors.range import (  # type: ignore[import-untyped]
    RangePartitionAssignor,
)

from recorders.timelines.rdkafka_member import commands_once_started, report

POLL_MS = 100
LAYOUT = "[%(asctime)s,%(msecs)03d] %(levelname)s %(message)s (%(name)s)"
ASSIGNORS = {"range": RangePartitionAssignor}
TEXTS = ("bootstrap.servers", "group.id", "client.id", "auto.offset.reset")
NUMBERS = ("session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms")


class Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
    """Reports what it is called for."""

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer

    def _call(self, kind: str, partitions: Collection[Any]) -> None:
        member = self._consumer.group_metadata()
        named = sorted([p.topic, p.partition] for p in partitions)
        more = {"member_id": member.member_id, "generation": member.generation_id, "partitions": named}
        report(kind, **more)
        report("callback_end", of=kind, **more)

    def on_partitions_assigned(self, assigned: Collection[Any]) -> None:
        self._call("assigned", assigned)

    def on_partitions_revoked(self, revoked: Collection[Any]) -> None:
        self._call("revoked", revoked)

    def on_partitions_lost(self, lost: Collection[Any]) -> None:
        self._call("lost", lost)


def consumer_of(settings: dict[str, str]) -> Any:
    """It commits by itself."""
    given: dict[str, Any] = {key.replace(".", "_"): settings[key] for key in TEXTS}
    given |= {key.replace(".", "_"): int(settings[key]) for key in NUMBERS}
    return KafkaConsumer(**given, partition_assignment_strategy=(ASSIGNORS[settings["partition.assignment.strategy"]],))


def _must_close(commands: SimpleQueue[str]) -> bool:
    try:
        return commands.get_nowait() == "close"
    except Empty:
        return False


def main() -> None:
    """Wait for `start`, then consume until `close`."""
    logging.basicConfig(level=logging.INFO, format=LAYOUT, datefmt="%Y-%m-%d %H:%M:%S")
    logging.Formatter.converter = time.gmtime
    logging.getLogger("kafka.coordinator").setLevel(logging.DEBUG)
    settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
    process_s = int(settings.get("process.ms", "0")) / 1000
    commands = commands_once_started()
    consumer = consumer_of(settings)
    consumer.subscribe(settings["topics"].split(","), listener=Listener(consumer))
    while not _must_close(commands):
        if consumer.poll(timeout_ms=POLL_MS):
            time.sleep(process_s)
    member_id = consumer.group_metadata().member_id
    report("closing", member_id=member_id)
    consumer.close()
    report("closed")


if __name__ == "__main__":
    main()
