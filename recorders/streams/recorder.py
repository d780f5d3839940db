"""Play the stories with real Kafka Streams: `python -m recorders.streams.recorder FOLDER [STORY__PROTOCOL...]`.

A folder each: `recording.json`, and `logs/` of the broker and of each instance. What is there already is not recorded
again. Run it under `nice -n 5`.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from recorders.broker import fetch
from recorders.broker.kafka import Kafka
from recorders.families.cpu import CpuShare
from recorders.streams import parsed
from recorders.streams.instances import VERSION, Process
from recorders.streams.stories import APART_MS, FAULT_MS, MEMBERS, PROTOCOLS, STORIES, Do, Step, StreamsStory

PARTITIONS, PRELOADED, RESTORED_PER_S = 12, 4_000, 2_000
SESSION_MS, HEARTBEAT_MS, LAG, PROBING_MS = 6_000, 1_000, 100, 60_000
BROKER = {
    "group.initial.rebalance.delay.ms": "0",
    "group.streams.min.session.timeout.ms": "5000",
    "group.streams.min.heartbeat.interval.ms": "1000",
    "offsets.topic.num.partitions": "1",
}
HEAP_MB = 512
BEGINS_WITHIN_S, SETTLES_WITHIN_S, SETTLED_S = 300, 90, 3
_DUMPS = re.compile(r"^\[[^\]]+\] INFO \w+ values: \n(?:\t.*\n)*(?: \(org\S+\)\n)?", re.MULTILINE)


class Application:
    """The instances of one story, each a process; a restarted one is the next incarnation of its label."""

    def __init__(self, story: StreamsStory, protocol: str, bootstrap: str, folder: Path) -> None:
        self.id = f"{story.name.lower()}.{protocol}"
        self.topics = ("orders", "payments") if story.second else ("orders",)
        starts = [*MEMBERS, *(step.member for step in story.steps if step.do == Do.START)]
        self.names = [f"{label}.{starts[:place].count(label)}" for place, label in enumerate(starts)]
        self.actions: list[dict[str, Any]] = []
        self._story, self._protocol, self._bootstrap, self._folder = story, protocol, bootstrap, folder
        self._processes: dict[str, Process] = {}
        self._running: dict[str, Process] = {}
        self._skip: dict[str, int] = {}
        self._began_ms = 0

    def producer(self) -> Process:
        """It configures the group, and produces. Raises Unavailable when it does not."""
        of_group = {
            "streams.session.timeout.ms": SESSION_MS,
            "streams.heartbeat.interval.ms": HEARTBEAT_MS,
            "streams.initial.rebalance.delay.ms": 0,
            "streams.acceptable.recovery.lag": LAG,
            "streams.num.standby.replicas": self._story.standbys,
        }
        given = {
            "bootstrap.servers": self._bootstrap,
            "topics": ",".join(self.topics),
            "partitions": PARTITIONS,
            "keys": PRELOADED,
            "group": self.id,
            **of_group,
        }
        process = Process("producer", "Producer", self._folder, {key: str(value) for key, value in given.items()})
        _wait([process], "configured")
        return process

    def begin(self) -> int:
        """UTC ms from which all times count; by then all processes wait for their start, with their classes loaded."""
        for name in self.names:
            label = name.partition(".")[0]
            self._processes[name] = Process(name, "Application", self._folder, self._settings(name, self._state(label)))
        _wait(list(self._processes.values()), "warm")
        self._began_ms = now_ms()
        return self._began_ms

    def _state(self, label: str) -> Path:
        return self._folder / f"state-{label}"

    def do(self, step: Step) -> None:
        """One step, when its time has come."""
        time.sleep(max(0, step.at_ms - (now_ms() - self._began_ms)) / 1_000)
        label, at_ms = step.member, now_ms() - self._began_ms
        before = sum(a["action"] == Do.START and a["member"] == label for a in self.actions)
        incarnation = before if step.do == Do.START else before - 1
        self.actions.append({"t_ms": at_ms, "action": str(step.do), "member": label, "incarnation": incarnation})
        match step.do:
            case Do.START:
                self._start(label, f"{label}.{incarnation}")
            case Do.CLOSE:
                self._running[label].tell("close")
            case Do.KILL:
                self._running[label].kill()

    def _start(self, label: str, name: str) -> None:
        if label in self._running:
            self._running[label].wait()
        if not self._story.volume:
            shutil.rmtree(self._state(label), ignore_errors=True)
        process = self._running[label] = self._processes[name]
        self._skip[name] = process.log.stat().st_size
        process.tell("start")

    def log(self, name: str) -> str:
        """What an incarnation logged since its start, without dumps of settings."""
        log = self._processes[name].log.read_bytes()[self._skip[name] :].decode()
        return _DUMPS.sub("", log).replace(str(self._folder), "RUN")

    def _settings(self, name: str, state: Path) -> dict[str, str]:
        settings: dict[str, Any] = {
            **{topic: topic for topic in self.topics},
            "restore": RESTORED_PER_S,
            "bootstrap.servers": self._bootstrap,
            "application.id": self.id,
            "client.id": name,
            "state.dir": state,
            "group.protocol": self._protocol,
            "num.stream.threads": 1,
            "commit.interval.ms": 1_000,
            "replication.factor": 1,
            "main.consumer.auto.offset.reset": "earliest",
            "restore.consumer.max.poll.records": 200,
            "max.poll.interval.ms": 10_000,
        }
        if self._protocol == "classic":
            settings |= {
                "num.standby.replicas": self._story.standbys,
                "acceptable.recovery.lag": LAG,
                "probing.rebalance.interval.ms": PROBING_MS,
                "main.consumer.session.timeout.ms": SESSION_MS,
                "main.consumer.heartbeat.interval.ms": HEARTBEAT_MS,
            }
        if self._story.static:
            settings["main.consumer.group.instance.id"] = f"i-{name.partition('.')[0]}"
        return {key: str(value) for key, value in settings.items()}

    def settle(self, running: int = 0, counted: int = 0, followed: int = 0) -> None:
        """Until so many tasks run, so many records of each are counted, so many standbys have what there is.

        Raises Unavailable when that takes too long.
        """
        deadline = time.monotonic() + SETTLES_WITHIN_S
        while missing := self._missing(running, counted, followed):
            if time.monotonic() > deadline:
                raise fetch.Unavailable(f"{self.id} has not settled within {SETTLES_WITHIN_S} s: {missing}")
            time.sleep(0.25)
        time.sleep(SETTLED_S)

    def _missing(self, running: int, counted: int, followed: int) -> str:
        """What is not there yet: running tasks, instances with some, tasks that counted all, standbys that are near."""
        on: dict[str, str] = {}
        near: dict[tuple[str, int], bool] = {}
        records: dict[tuple[str, str], int] = {}
        for name in self._running:
            for line in (self._folder / f"{name}.0.jsonl").read_text().splitlines():
                said = json.loads(line)
                match said["kind"]:
                    case "task_running":
                        on[said["task"]] = name
                    case "processed" | "task_closed":
                        records[name, said["task"]] = said["n"]
                    case "standby_near" | "standby_behind":
                        near[name, said["partition"]] = said["kind"] == "standby_near"
        most = {task: sum(n for (_, of), n in records.items() if of == task) for task in on if task.startswith("0_")}
        counts = sum(most.get(f"0_{number}", 0) >= counted for number in range(PARTITIONS))
        found = (len(on), len(set(on.values())), counts, sum(near.values()))
        wanted = (running, len(MEMBERS), PARTITIONS, followed)
        return "" if all(a >= b for a, b in zip(found, wanted, strict=True)) else f"{found} of {wanted}"

    def end(self) -> None:
        """Kill what still runs."""
        for process in self._processes.values():
            process.kill()


def _wait(processes: Sequence[Process], kind: str) -> None:
    """Until all have printed that. Raises Unavailable when it takes too long."""
    deadline = time.monotonic() + BEGINS_WITHIN_S
    while not all(process.said(kind) for process in processes):
        if time.monotonic() > deadline:
            raise fetch.Unavailable(f"no {kind!r} within {BEGINS_WITHIN_S} s")
        time.sleep(0.1)


class Times(NamedTuple):
    """`began_ms`: UTC; the others since then."""

    began_ms: int
    preloaded_ms: int
    run_end_ms: int


def now_ms() -> int:
    """UTC."""
    return time.time_ns() // 1_000_000


def play(story: StreamsStory, protocol: str, kafka: Kafka, into: Path) -> dict[str, Any]:
    """Record one story; its logs go to `into`/logs."""
    with tempfile.TemporaryDirectory(prefix="groupsim-streams-") as root:
        folder = Path(root)
        application = Application(story, protocol, kafka.bootstrap, folder)
        for topic in application.topics:
            kafka.create_topic(topic, PARTITIONS)
        producer = application.producer()
        try:
            with CpuShare() as busy:
                began_ms = application.begin()
                for place, label in enumerate(MEMBERS):
                    application.do(Step(APART_MS * place, Do.START, label))
                application.settle(running=PARTITIONS * len(application.topics))
                preloaded_ms = now_ms() - began_ms
                producer.tell(f"preload orders {PRELOADED}")
                application.settle(counted=PRELOADED, followed=PARTITIONS * story.standbys)
                later_ms = max(0, now_ms() - began_ms - FAULT_MS)
                for step in story.steps:
                    application.do(replace(step, at_ms=step.at_ms + later_ms))
                run_end_ms = story.lasts_ms + later_ms
                time.sleep(max(0, run_end_ms - (now_ms() - began_ms)) / 1_000)
                lines = {name: (folder / f"{name}.jsonl").read_text() for name in application.names}
        finally:
            application.end()
            producer.kill()
        logs = {name: application.log(name) for name in application.names}
        log = kafka.nodes[0].log.read_text().splitlines(keepends=True)
        logs["broker"] = "".join(line for line in log if application.id in line).replace(str(kafka.folder), "RUN")
        _write_logs(logs, into / "logs")
        times = Times(began_ms, preloaded_ms, run_end_ms)
        return recording(story, protocol, application, times, lines, logs, busy.found)


def _write_logs(logs: dict[str, str], into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for name, text in logs.items():
        # without a time of its own, so that the same log has the same bytes
        (into / f"{name}.log.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def recording(
    story: StreamsStory,
    protocol: str,
    application: Application,
    times: Times,
    lines: dict[str, str],
    logs: dict[str, str],
    busy: dict[str, float],
) -> dict[str, Any]:
    """What was recorded, with the keys of `recordings-streams`, `joins_ms` and `processes`."""
    began_ms, preloaded_ms, run_end_ms = times
    of_instances = {name: text for name, text in logs.items() if name != "broker"}
    ids = parsed.member_ids(of_instances)
    facts = parsed.broker(logs["broker"], began_ms, ids)
    seen = [each for each in parsed.events(lines, began_ms) if each["t_ms"] <= run_end_ms]
    taken = parsed.Taken(story, application.actions, seen, PARTITIONS, run_end_ms)
    return {
        "id": f"{story.name}__{protocol}__r1",
        "scenario": story.name,
        "protocol": protocol,
        "repetition": 1,
        "kafka_version": f"{VERSION} (release), KRaft, one broker",
        "client": f"kafka-streams {VERSION}",
        "config": _config(story, application, preloaded_ms),
        "machine_cpu_busy": busy,
        "run_start_utc": f"{datetime.fromtimestamp(began_ms / 1_000, UTC):%Y-%m-%d %H:%M:%S},{began_ms % 1_000:03}",
        "run_end_ms": run_end_ms,
        "members": sorted({name.partition(".")[0] for name in application.names}),
        "member_ids": ids,
        "actions": application.actions,
        "events": seen,
        "broker": [fact for fact in facts if fact["t_ms"] <= run_end_ms],
        **taken.found(),
        "joins_ms": parsed.joins_ms(facts),
        "processes": parsed.processes(of_instances),
    }


def _config(story: StreamsStory, application: Application, preloaded_ms: int) -> dict[str, Any]:
    parts = "source orders -> processor with one persistent store (changelog)"
    return {
        "partitions": dict.fromkeys(application.topics, PARTITIONS),
        "application_id": application.id,
        "num.stream.threads": 1,
        "topology": parts + (", source payments -> processor without a store" if story.second else ""),
        "commit.interval.ms": 1_000,
        "session.timeout.ms": SESSION_MS,
        "heartbeat.interval.ms": HEARTBEAT_MS,
        "max.poll.interval.ms": 10_000,
        "records_per_partition_per_s": 2,
        "preloaded_records_per_partition": PRELOADED,
        "preloaded_at_ms": preloaded_ms,
        "restored_records_per_s": RESTORED_PER_S,
        "restore.consumer.max.poll.records": 200,
        "acceptable.recovery.lag": LAG,
        "probing.rebalance.interval.ms": PROBING_MS,
        "num.standby.replicas": story.standbys,
        "static": story.static,
        "volume": story.volume,
        "initial_rebalance_delay_ms": 0,
        "assignment_interval_ms": "1000 (default)",
        "offsets.topic.num.partitions": 1,
    }


def record(wanted: Sequence[str], into: Path) -> Iterator[str]:
    """Record these, `STORY__PROTOCOL`, each on a broker of its own; a line about each."""
    for story, protocol in product(STORIES, PROTOCOLS):
        name = f"{story.name}__{protocol}"
        folder = into / f"{name}__r1"
        if name not in wanted or (folder / "recording.json").exists():
            continue
        with Kafka(BROKER, heap_mb=HEAP_MB) as kafka:
            recorded = play(story, protocol, kafka, folder)
        if not _joined_in_time(recorded):
            shutil.rmtree(folder)
            yield f"{name}: not kept, since an instance took longer than its session to start; the machine was too busy"
            continue
        (folder / "recording.json").write_text(json.dumps(recorded, separators=(",", ":")))
        yield name if story.aside else f"{name}: {recorded['summary']}"


def _joined_in_time(recorded: dict[str, Any]) -> bool:
    """Whether each instance that was started after the first fault joined within its session."""
    begin, joined = recorded["summary"]["window_ms"][0], recorded["joins_ms"]
    starts = [a for a in recorded["actions"] if a["action"] == Do.START and a["t_ms"] >= begin]
    times = [(a["t_ms"], joined.get(f"{a['member']}.{a['incarnation']}")) for a in starts]
    return all(at is not None and at - since <= SESSION_MS for since, at in times)


def main() -> None:
    """Record those named, else all."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that nothing is left behind
    folder, *names = sys.argv[1:]
    every = [f"{story.name}__{protocol}" for story in STORIES for protocol in PROTOCOLS]
    for line in record(names or every, Path(folder)):
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
