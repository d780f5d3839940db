"""Play the stories with real Connect workers: `python -m recorders.connect.recorder FOLDER [STORY...]`.

Of each story one file, `STORY.json.gz`: the workers' logs, the broker's lines about the group, what was done to the
workers, and when each connector and task started and stopped by its own words. Times are UTC milliseconds.
"""

from __future__ import annotations

import gzip
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recorders.broker import fetch
from recorders.broker.kafka import Kafka
from recorders.connect.stories import FOURTH, SESSION_S, STORIES, WORKERS, ConnectStory, Do, Step
from recorders.connect.workers import CONNECTOR, VERSION, Worker

CONNECTORS = {"orders": 6, "users": 3}
"""Each with so many tasks."""
ADDED = {"payments": 4}
"""What a story may add later."""
BEGIN_WITHIN_S = 300
BROKER = {"group.initial.rebalance.delay.ms": "0"}
HEAP_MB = 512


def _settings(story: ConnectStory, bootstrap: str) -> dict[str, str]:
    group = story.name
    stored = {f"{what}.storage.topic": f"{group}-{what}" for what in ("config", "offset", "status")}
    single = {f"{what}.storage.replication.factor": "1" for what in ("config", "offset", "status")}
    json_converter = "org.apache.kafka.connect.json.JsonConverter"
    return {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "key.converter": json_converter,
        "value.converter": json_converter,
        **stored,
        **single,
        "offset.storage.partitions": "1",
        "status.storage.partitions": "1",
        "session.timeout.ms": str(SESSION_S * 1_000),
        "scheduled.rebalance.max.delay.ms": str(story.delay_s * 1_000),
        "connect.protocol": story.protocol,
        "plugin.discovery": "service_load",
    }


def _stamps(file: Path) -> list[list[Any]]:
    lines = file.read_text().splitlines() if file.exists() else []
    return sorted([int(at), what, unit, worker] for at, what, unit, worker in map(str.split, lines))


def _create(connectors: dict[str, int], worker: Worker, stamps: Path) -> None:
    for name, tasks in connectors.items():
        config = {"connector.class": CONNECTOR, "tasks.max": str(tasks), "stamps": str(stamps)}
        worker.ask("connectors", {"name": name, "config": config})


def _begin(workers: dict[str, Worker], stamps: Path) -> None:
    """Three workers, two connectors; until all tasks have started."""
    for name in WORKERS:
        workers[name].start()
    for name in WORKERS:
        workers[name].wait()
    _create(CONNECTORS, workers[WORKERS[0]], stamps)
    deadline = time.monotonic() + BEGIN_WITHIN_S
    units = len(CONNECTORS) + sum(CONNECTORS.values())
    while len({unit for _, what, unit, _ in _stamps(stamps) if what == "start"}) < units:
        if time.monotonic() > deadline:
            raise fetch.Unavailable(f"not all tasks started within {BEGIN_WITHIN_S} s")
        time.sleep(0.2)
    time.sleep(5)


def _do(step: Step, workers: dict[str, Worker], stamps: Path) -> None:
    match step.do:
        case Do.WAIT:
            time.sleep(step.seconds)
        case Do.STOP:
            workers[step.worker].end()
        case Do.KILL:
            workers[step.worker].end(signal.SIGKILL)
        case Do.START:
            workers[step.worker].start()
        case Do.ADD:
            _create(ADDED, workers[step.worker], stamps)
        case Do.READY:
            workers[step.worker].wait()


def _now() -> int:
    return time.time_ns() // 1_000_000


def _play(story: ConnectStory, kafka: Kafka, folder: Path) -> dict[str, Any]:
    stamps = folder / "stamps.txt"
    workers = {name: Worker(name, folder, _settings(story, kafka.bootstrap)) for name in (*WORKERS, FOURTH)}
    done: list[list[Any]] = []
    try:
        _begin(workers, stamps)
        began = _now()
        for step in story.steps:
            at = _now()
            _do(step, workers, stamps)
            done.append([at, step.do, step.worker, _now()])
        ended = _now()
        taken = _stamps(stamps)
        logs = {name: worker.log.read_text() for name, worker in workers.items() if worker.log.exists()}
    finally:
        for worker in workers.values():
            worker.end(signal.SIGKILL)
    broker = [line for line in kafka.nodes[0].log.read_text().splitlines() if f" {story.name} " in line]
    return {
        "kafka": VERSION,
        "story": story.name,
        "delay_ms": story.delay_s * 1_000,
        "protocol": story.protocol,
        "window": [began, ended],
        "done": done,
        "stamps": [each for each in taken if each[0] <= ended],
        "broker": "\n".join(broker) + "\n",
        "logs": logs,
    }


def record(names: list[str], into: Path) -> Iterator[str]:
    """Record the stories with these names, all on one broker; a line about each."""
    into.mkdir(parents=True, exist_ok=True)
    with Kafka(BROKER, heap_mb=HEAP_MB) as kafka:
        for story in STORIES:
            if story.name not in names:
                continue
            with tempfile.TemporaryDirectory(prefix="groupsim-connect-") as folder:
                recorded = _play(story, kafka, Path(folder))
            # without a time of its own, so that the same recording has the same bytes
            packed = gzip.compress(json.dumps(recorded, indent=0).encode(), 9, mtime=0)
            (into / f"{story.name}.json.gz").write_bytes(packed)
            yield f"{story.name}: {len(recorded['stamps'])} stamps"


def main() -> None:
    """Record the stories named, else all."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that nothing is left behind
    folder, *names = sys.argv[1:]
    for line in record(names or [story.name for story in STORIES], Path(folder)):
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
