"""One consumer of librdkafka, driven by lines on standard input; it reports what it sees as JSON lines.

Arguments: KEY=VALUE, consumer settings by their Kafka names (with debug= its log goes to stderr), topics= and
process.ms=. Input: `start`, `close`, `slow_batch MS`.
Times are milliseconds since the epoch. It does what recorders/broker/java/Member.java does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition

POLL_S = 0.1
LONG_BATCH_MS = 500
BATCH = 500


def report(kind: str, **more: Any) -> None:
    """One line."""
    print(json.dumps({"at_ms": round(time.time() * 1000), "kind": kind, **more}), flush=True)


def listen(commands: SimpleQueue[str]) -> None:
    """Queue the commands; at the end of the input the driving process has ended, and so does this one."""
    for line in sys.stdin:
        commands.put(line.strip())
    os._exit(0)


def commands_once_started() -> SimpleQueue[str]:
    """Say that the program is ready, wait for `start`, and queue what comes after it."""
    commands: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=listen, args=(commands,), daemon=True).start()
    report("ready")
    while commands.get() != "start":
        pass
    report("start")
    return commands


class Member:
    """The consumer and its next command."""

    def __init__(self, settings: dict[str, str], commands: SimpleQueue[str]) -> None:
        self._topics = settings.pop("topics").split(",")
        self._process_ms = int(settings.pop("process.ms", "0"))
        self._commits = settings.get("enable.auto.commit") == "false"
        self._commands = commands
        self._slow_ms = 0
        self._consumer = Consumer(settings if "debug" in settings else {**settings, "logger": _Silent()})

    def run(self) -> None:
        """Consume until the command `close`."""
        self._consumer.subscribe(
            self._topics,
            on_assign=lambda _, partitions: self._call("assigned", partitions),
            on_revoke=lambda _, partitions: self._call("revoked", partitions),
            on_lost=lambda _, partitions: self._call("lost", partitions),
        )
        while True:
            if self._must_close():
                report("closing", member_id=self._consumer.memberid())
                self._consumer.close()
                report("closed")
                return
            messages = self._consumer.consume(BATCH, POLL_S)
            errors = [message.error() for message in messages]
            for error in errors:
                if error is not None:
                    report("poll_error", error=error.name())
            if None in errors:
                self._work()

    def _must_close(self) -> bool:
        while True:
            try:
                words = self._commands.get_nowait().split()
            except Empty:
                return False
            if words[0] == "close":
                return True
            if words[0] == "slow_batch":
                self._slow_ms = int(words[1])

    def _call(self, kind: str, partitions: Sequence[TopicPartition]) -> None:
        named = sorted([p.topic, p.partition] for p in partitions)
        more = {"member_id": self._consumer.memberid(), "partitions": named}
        report(kind, **more)
        report("callback_end", of=kind, **more)

    def _work(self) -> None:
        busy_ms, self._slow_ms = self._slow_ms or self._process_ms, 0
        if busy_ms >= LONG_BATCH_MS:
            report("processing", ms=busy_ms)
        time.sleep(busy_ms / 1000)
        if busy_ms >= LONG_BATCH_MS:
            report("processing_end")
        if self._commits:
            try:
                self._consumer.commit(asynchronous=False)
            except KafkaException as error:
                report("commit_refused", error=error.args[0].name(), member_id=self._consumer.memberid())


class _Silent:
    """librdkafka's own log goes nowhere."""

    def log(self, *said: object) -> None:
        """Nothing."""


def main() -> None:
    """Wait for `start`, then consume."""
    settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
    Member(settings, commands_once_started()).run()


if __name__ == "__main__":
    main()
