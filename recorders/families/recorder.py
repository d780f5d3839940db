"""Record families on a real Kafka, two groups side by side; what is recorded already is not recorded again."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from groupsim.conformance.timelines.recorded_form import Record
from groupsim.conformance.timelines.recording import INITIAL_DELAY
from recorders.broker.kafka import Kafka
from recorders.families.cpu import CpuShare
from recorders.families.family import Family, folder_of
from recorders.families.logs import write_logs
from recorders.families.planned import OFFSETS_PARTITIONS, FamilyRun, runs
from recorders.timelines.real_clients import Feed
from recorders.timelines.real_group import RealGroup, play_side_by_side
from recorders.timelines.real_recording import recording
from recorders.timelines.taken import write_taken

Run = TypeVar("Run", bound=FamilyRun)
REPETITIONS = 2
SIDE_BY_SIDE = 2
RECORD, LOGS, TAKEN = "recording.json.gz", "logs", "taken.csv.gz"
PROPERTIES = {
    "group.min.session.timeout.ms": "1000",
    "offsets.topic.num.partitions": str(OFFSETS_PARTITIONS),
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.min.heartbeat.interval.ms": "100",
}


def record(
    root: Path,
    wanted: Sequence[Family],
    log: Callable[[str], None],
    repetitions: int = REPETITIONS,
    tells_taken: bool = False,
) -> None:
    """Record all runs of some families below a folder, a folder each. Families with one initial delay share a broker.

    `tells_taken`: also when each record came and was taken, in `TAKEN`. Raises Unavailable where there is no Kafka.
    """
    by_delay: dict[int, list[Family]] = defaultdict(list)
    for family in wanted:
        by_delay[family.delay_ms].append(family)
    for delay_ms, families in sorted(by_delay.items()):
        waiting = [pair for family in families for pair in _pairs(root, family, repetitions, tells_taken)]
        if not waiting:
            continue
        with Kafka({**PROPERTIES, INITIAL_DELAY: str(delay_ms)}) as kafka:
            for pair in waiting:
                began = time.monotonic()
                busy = _record_pair(root, kafka, pair)
                others = busy["mean"] - busy["mean_of_this_harness"]
                took = time.monotonic() - began
                log(f"{', '.join(run.id for run in pair)}: {took:.0f} s, other work {others:.0%} of the processors")


def _pairs(root: Path, family: Family, repetitions: int, tells_taken: bool) -> Iterator[list[FamilyRun]]:
    waiting = [run for run in runs(family, repetitions, tells_taken) if not (_folder(root, run) / RECORD).exists()]
    for first in range(0, len(waiting), SIDE_BY_SIDE):
        yield waiting[first : first + SIDE_BY_SIDE]


def _folder(root: Path, run: FamilyRun) -> Path:
    return folder_of(root, run.family) / run.id


def _record_pair(root: Path, kafka: Kafka, pair: Sequence[FamilyRun]) -> dict[str, float]:
    """Record runs of one family side by side; returns the shares of the processors."""
    topics = {topic: count for run in pair for topic, count in run.topics.items()}
    for topic, count in topics.items():
        kafka.create_topic(topic, count)
    for run in pair:
        if run.group_config:
            kafka.configure_group(run.group, run.group_config)
    with ExitStack() as stack:
        stack.enter_context(Feed(kafka, *topics, every_ms=pair[0].family.every_ms))
        played, busy = play(stack, kafka, pair)
        lines = kafka.nodes[0].log.read_text(errors="replace").splitlines()
        for run, group, written in played:
            target = _folder(root, run)
            shutil.rmtree(target, ignore_errors=True)
            write_logs(target / LOGS, group, written, lines, run.family.prints_config)
            _write(target / RECORD, recording(group, head_of(run, group, busy), run.first_fault, lines))
            if run.tells_taken:
                write_taken(target / TAKEN, group)
    return busy


def play(
    stack: ExitStack, kafka: Kafka, runs: Sequence[Run]
) -> tuple[list[tuple[Run, RealGroup, Path]], dict[str, float]]:
    """Play runs side by side: each with its group and the folder of its logs, which last as long as the stack does;
    and the shares of the processors.
    """
    played = []
    for run in runs:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        played.append((run, stack.enter_context(closing(RealGroup(run, kafka, folder))), folder))
    groups = [group for _, group, _ in played]
    for group in groups:
        group.wait_until_ready()
    with CpuShare() as busy:
        play_side_by_side(groups)
    return played, busy.found


def head_of(run: FamilyRun, group: RealGroup, busy: dict[str, float]) -> Record:
    """The head of a recording: the run's own, when it began, and how busy the machine was."""
    began = datetime.fromtimestamp(group.began_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    return {**run.head(), "machine_cpu_busy": busy, "run_start_utc": began}


def _write(file: Path, recorded: Record) -> None:
    file.write_bytes(gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0))
