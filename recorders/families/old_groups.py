"""Record old groups: members that were left alone for minutes before anything happens, with all their heartbeats.

`python -m recorders.families.old_groups FOLDER STORY...` records the named stories side by side on one broker, each
into FOLDER/<id> with its `recording.json`, its `heartbeats.json` (when each process sent one, ms) and its logs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from groupsim.conformance.timelines.recorded_form import Record
from groupsim.conformance.timelines.recording import INITIAL_DELAY
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from recorders.broker.kafka import Kafka
from recorders.families.family import Family, choice
from recorders.families.logs import log_records, write_logs
from recorders.families.planned import FamilyRun
from recorders.families.recorder import PROPERTIES, head_of, play
from recorders.timelines.real_clients import Feed, java_member, rdkafka_member
from recorders.timelines.real_group import RealGroup, log_name
from recorders.timelines.real_recording import recording

QUIET_MS, LONG_QUIET_MS = 330_000, 1_800_000
SETTLED_MS, AFTERWARDS_MS = 24_000, 168_000
"""When the quiet time begins; how much longer a run is."""
SENDS: dict[str, re.Pattern[str]] = {
    JAVA: re.compile(r"Sending Heartbeat request with generation"),
    KAFKA_PYTHON: re.compile(r"Sending heartbeat for group"),
}
RDKAFKA_SENDS = re.compile(r"%7\|(\d+)\.(\d{3})\|HEARTBEAT\|.*Heartbeat for group")
MIXED = {"m5": LIBRDKAFKA, "m6": KAFKA_PYTHON}
ALL_LIBRDKAFKA = {f"m{n}": LIBRDKAFKA for n in range(1, 8)}


def _then(quiet_ms: int) -> str:
    """The seventh member comes and goes, and again after the quiet time; then a kill and a rolling restart."""
    again_ms = SETTLED_MS + quiet_ms
    killed_ms = again_ms + 40_000
    then = [(12_000, "start m7"), (SETTLED_MS, "close m7"), (again_ms, "start m7"), (again_ms + 20_000, "close m7")]
    then.append((killed_ms, "kill m3"))
    restarts_ms = killed_ms + 54_000
    for n, member in enumerate(("m1", "m2", "m3", "m4", "m5", "m6")):
        at_ms = restarts_ms + 10_000 * n
        then += [(at_ms, f"close {member}")] if member != "m3" else []
        then.append((at_ms + 3_000, f"start {member}"))
    return ",".join(f"{at} {what}" for at, what in then)


IDLE = Family(
    number=60,
    story="old-group",
    about="six members are left alone for minutes; then one joins, one is killed, and all are restarted in turn",
    topics={"orders": 24},
    founders=6,
    apart_ms=500,
    then=_then(QUIET_MS),
    end_ms=SETTLED_MS + QUIET_MS + AFTERWARDS_MS,
    choices="range",
    session_ms=45_000,
    heartbeat_ms=3_000,
    max_poll_ms=300_000,
    delay_ms=0,
    every_ms=1_000,
)
STEADY = replace(IDLE, number=62, story="old-group-at-work", every_ms=100, process_ms={"": 40})
HEAVY = replace(IDLE, number=68, story="old-group-heavy", every_ms=200, process_ms={"": 100})
BURSTS = replace(IDLE, number=64, story="old-group-bursts", every_ms=1_000, process_ms={"": 100})
LONG = replace(IDLE, then=_then(LONG_QUIET_MS), end_ms=SETTLED_MS + LONG_QUIET_MS + AFTERWARDS_MS)
STEADY_LONG = replace(LONG, number=70, story=STEADY.story, every_ms=97, process_ms=STEADY.process_ms)
HEAVY_LONG = replace(LONG, number=72, story=HEAVY.story, every_ms=170, process_ms=HEAVY.process_ms)


@dataclass(frozen=True, slots=True)
class OldGroup(FamilyRun):
    """`libraries`: of members that are none of Java."""

    libraries: Mapping[str, str] = field(default_factory=dict)

    def command(self, label: str, bootstrap: str) -> list[str]:
        """Of one member's process, which logs its heartbeats."""
        given = {
            "bootstrap.servers": bootstrap,
            "group.id": self.group,
            "client.id": label,
            "topics": ",".join(self.topics),
            "partition.assignment.strategy": self.choice.assignor,
            "process.ms": str(self.program(label).get("proc", 0)),
            **{key: str(value).lower() for key, value in self.consumer.items()},
        }
        match self.libraries.get(label, JAVA):
            case "librdkafka":
                return rdkafka_member({**given, "debug": "cgrp"})
            case "kafka-python":
                arguments = [f"{key}={value}" for key, value in given.items()]
                return [sys.executable, "-m", "recorders.timelines.kafka_python_member", *arguments]
            case _:
                return java_member(given, logs=True, heartbeats=True)

    def head(self) -> Record:
        """Names the library of each process."""
        head = FamilyRun.head(self)
        named = {log_name(label, n)[:-4]: lib for label, lib in self.libraries.items() for n in (0, 1)}
        head["config"] |= {"library_of_process": named} if named else {}
        return head


STORIES: dict[str, OldGroup] = {
    **{f"idle{n}": OldGroup(IDLE, choice("range"), n) for n in (1, 2, 3, 4, 5)},
    **{f"steady{n}": OldGroup(STEADY, choice("range"), n) for n in (1, 2, 3)},
    "steady-long1": OldGroup(STEADY_LONG, choice("range"), 1),
    "heavy-long1": OldGroup(HEAVY_LONG, choice("range"), 1),
    "heavy1": OldGroup(HEAVY, choice("range"), 1),
    "mixed1": OldGroup(replace(STEADY, number=66, story="old-group-mixed"), choice("range"), 1, libraries=MIXED),
    **{
        f"librdkafka{n}": OldGroup(
            replace(IDLE, number=74, story="old-group-librdkafka"), choice("range"), n, libraries=ALL_LIBRDKAFKA
        )
        for n in (1, 2)
    },
    "bursts1": OldGroup(BURSTS, choice("range"), 1),
}


def sent_ms(lines: Iterable[str], library: str) -> Iterator[int]:
    """When a process sent a heartbeat by its log (UTC ms since 1970)."""
    if library == LIBRDKAFKA:
        for line in lines:
            if stamped := RDKAFKA_SENDS.match(line):
                yield int(stamped[1]) * 1000 + int(stamped[2])
        return
    for at_ms, text in log_records(lines):
        if SENDS[library].search(text):
            yield at_ms


def _heartbeats(run: OldGroup, group: RealGroup, written: Path) -> dict[str, list[int]]:
    """By process, since the start of the run; the process has warmed up in another group before it."""
    found = {}
    for (label, n), process in group.processes.items():
        started = next((e["at_ms"] for e in process.events if e["kind"] == "start"), None)
        if started is None:
            continue
        name, until = log_name(label, n), group.began_ms + run.end_ms
        with (written / name).open(errors="replace") as lines:
            sent = [at for at in sent_ms(lines, run.libraries.get(label, JAVA)) if started <= at <= until]
        found[name.removesuffix(".log")] = [at - group.began_ms for at in sent]
    return found


def record(root: Path, runs: Sequence[OldGroup]) -> None:
    """Record runs side by side. Raises Unavailable where there is no Kafka."""
    with Kafka({**PROPERTIES, INITIAL_DELAY: "0"}) as kafka, ExitStack() as stack:
        for run in runs:
            for topic, count in run.topics.items():
                kafka.create_topic(topic, count)
            stack.enter_context(Feed(kafka, *run.topics, every_ms=run.family.every_ms))
        played, busy = play(stack, kafka, runs)
        lines = kafka.nodes[0].log.read_text(errors="replace").splitlines()
        for run, group, written in played:
            target = root / run.id
            write_logs(target / "logs", group, written, lines, run.family.prints_config)
            _write(target / "heartbeats.json", _heartbeats(run, group, written))
            _write(target / "recording.json", recording(group, head_of(run, group, busy), run.first_fault, lines))
        print(f"{', '.join(run.id for run in runs)}: {busy}")


def _write(file: Path, what: Any) -> None:
    file.write_text(json.dumps(what, separators=(",", ":")))


if __name__ == "__main__":
    record(Path(sys.argv[1]), [STORIES[name] for name in sys.argv[2:]])
