"""Real consumers of a real broker: one process each, with commands on its input and JSON events on its output."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from groupsim.simulation.clients.config import CONSUMER
from recorders.broker import fetch
from recorders.broker.kafka import Kafka

STRATEGIES = {
    "range": "org.apache.kafka.clients.consumer.RangeAssignor",
    "roundrobin": "org.apache.kafka.clients.consumer.RoundRobinAssignor",
    "sticky": "org.apache.kafka.clients.consumer.StickyAssignor",
    "cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
    "slow": "Member$SlowAssignor",
}
"""The Java classes of Kafka's assignors; `slow` is range after a sleep of assignor.ms."""
JVM = ("-Xmx160m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
SILENT = "status=off\nrootLogger.level=off\n"
LOGGED = """status=off
appender.errors.type=Console
appender.errors.name=errors
appender.errors.target=SYSTEM_ERR
appender.errors.layout.type=PatternLayout
appender.errors.layout.pattern=[%d{yyyy-MM-dd HH:mm:ss,SSS}{UTC}] %p %m (%c)%n
rootLogger.level=info
rootLogger.appenderRef.errors.ref=errors
"""
"""A client's log has the layout of the broker's."""
TELLS_HEARTBEATS = """logger.coordinator.name=org.apache.kafka.clients.consumer.internals.ConsumerCoordinator
logger.coordinator.level=debug
"""
READY_WITHIN_S = 180
Event = dict[str, Any]


def java_member(settings: Mapping[str, str], logs: bool = False, heartbeats: bool = False) -> list[str]:
    """The command of a Java consumer. `logs`: it writes its log, from INFO on, to its standard error.

    `heartbeats`: it also logs each heartbeat that it sends.
    """
    given = dict(settings)
    if given.get("group.protocol") != CONSUMER:
        named = given.get("partition.assignment.strategy", "range").split(",")
        given["partition.assignment.strategy"] = ",".join(STRATEGIES[name] for name in named)
    path = fetch.classpath()
    layout = _layout("errors", LOGGED) if logs else _layout("silent", SILENT)
    if heartbeats:
        layout = _layout("heartbeats", LOGGED + TELLS_HEARTBEATS)
    options = [*JVM, f"-XX:SharedArchiveFile={fetch.archive()}", f"-Dlog4j2.configurationFile={layout}"]
    return [fetch.java(), *options, "-cp", path, "Member", *(f"{k}={v}" for k, v in given.items())]


def rdkafka_member(settings: Mapping[str, str]) -> list[str]:
    """The command of a consumer of librdkafka."""
    return [
        sys.executable,
        "-m",
        "recorders.timelines.rdkafka_member",
        *(f"{k}={v}" for k, v in settings.items()),
    ]


def _layout(name: str, text: str) -> Path:
    file = fetch.folder() / f"{name}.properties"
    if not file.exists():
        file.write_text(text)
    return file


class Process:
    """One consumer's process. `events`: what it reported so far, `at_ms` since the epoch. `errors`: a new file."""

    def __init__(self, command: Sequence[str], errors: Path | None = None) -> None:
        guard = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with (errors or Path(os.devnull)).open("wb") as written:
            self._process = subprocess.Popen(
                [*guard, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=written, text=True
            )
        self.events: list[Event] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                self.events.append(json.loads(line))

    def send(self, line: str) -> None:
        """A line on its input; lost where the process has ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        """Kill, stop or continue it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, number)

    def wait_for(self, holds: Callable[[Event], bool], within_s: float = READY_WITHIN_S) -> Event:
        """The first event for which it holds. Raises Unavailable when it does not come."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            for event in list(self.events):
                if holds(event):
                    return event
            time.sleep(0.02)
        raise fetch.Unavailable(f"a real consumer did not come so far within {within_s:.0f} s")

    def end(self) -> None:
        """Kill it, if it still runs, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        self._process.wait()
        self._reader.join(5)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def held(events: Sequence[Event]) -> set[tuple[str, int]]:
    """The partitions that a consumer owns after these events."""
    owned: set[tuple[str, int]] = set()
    for event in events:
        named = {(topic, number) for topic, number in event.get("partitions", ())}
        if event["kind"] == "assigned":
            owned |= named
        elif event["kind"] in ("revoked", "lost"):
            owned -= named
    return owned


class Feed:
    """A producer that writes a record into every partition of topics every `every_ms`; a context manager."""

    def __init__(self, kafka: Kafka, *topics: str, every_ms: int = 500) -> None:
        self._command = [
            fetch.java(),
            *JVM,
            f"-Dlog4j2.configurationFile={_layout('silent', SILENT)}",
            "-cp",
            fetch.classpath(),
            "Feed",
        ]
        self._command += [kafka.bootstrap, str(every_ms), *topics]

    def __enter__(self) -> None:
        self._process = Process(self._command)

    def __exit__(self, *raised: object) -> None:
        self._process.end()
