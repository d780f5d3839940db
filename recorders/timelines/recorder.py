"""Record timelines of real consumers on a real broker: what was done, what members saw, what the broker logged.

All libraries and assignors are recorded side by side, a group each, and twice: only what repeats itself can be
compared.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from groupsim.conformance.timelines.recording import APPEND_LINGER
from recorders.broker import fetch
from recorders.broker.kafka import Kafka
from recorders.timelines import programs, scenarios
from recorders.timelines.real_clients import Feed
from recorders.timelines.real_group import PlannedRun, RealGroup, play_side_by_side
from recorders.timelines.real_recording import recording
from recorders.timelines.scenarios import JAVA, RDKAFKA, SCENARIOS, TimelineScenario

PROPERTIES = {
    "group.initial.rebalance.delay.ms": str(scenarios.DELAY_MS),
    "group.min.session.timeout.ms": "1000",
    "offsets.topic.num.partitions": "50",
}
LINGER_MS = -1
"""Kafka 4.4's own default; stated, because 4.0 had another one."""
REPETITIONS = 2
LIBRARIES = {JAVA: "Apache Kafka Java client", RDKAFKA: "confluent-kafka (librdkafka)", **programs.NAMES}


def _head(run: PlannedRun) -> dict[str, Any]:
    static = {label: {"instance": f"i{label[1:]}"} for label in run.scenario.members} if run.scenario.static else {}
    config = {
        "partitions": {scenarios.TOPIC: scenarios.PARTITIONS},
        "client_library": LIBRARIES[run.library],
        "group.protocol": "classic",
        "group.initial.rebalance.delay.ms": scenarios.DELAY_MS,
        APPEND_LINGER: LINGER_MS,
        "poll_timeout_ms": 100,
        "records_per_partition_per_s": 1000 / scenarios.EVERY_MS,
        "per_member": static,
        **run.consumer,
    }
    return {
        "id": run.id,
        "scenario": run.scenario.name,
        "assignor": run.assignor,
        "protocol": "classic",
        "repetition": run.repetition,
        "kafka_version": fetch.VERSION,
        "config": config,
        "run_end_ms": run.scenario.end_ms,
        "members": list(run.scenario.members),
    }


def _side_by_side(kafka: Kafka, runs: Sequence[PlannedRun]) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        groups = [stack.enter_context(closing(RealGroup(run, kafka))) for run in runs]
        for group in groups:
            group.wait_until_ready()
        play_side_by_side(groups)
        lines = kafka.nodes[0].log.read_text(errors="replace").splitlines()
        planned = zip(runs, groups, strict=True)
        return [recording(group, _head(run), run.scenario.first_fault, lines) for run, group in planned]


def record(
    folder: Path,
    log: Callable[[str], None],
    wanted: Sequence[TimelineScenario] = SCENARIOS,
    strategies: Mapping[str, Sequence[str]] = scenarios.STRATEGIES,
) -> None:
    """Record all scenarios into a folder, one file per run. `strategies`: the assignors of each library."""
    folder.mkdir(parents=True, exist_ok=True)
    with Kafka(PROPERTIES) as kafka:
        kafka.create_topic(scenarios.TOPIC, scenarios.PARTITIONS)
        with Feed(kafka, scenarios.TOPIC, every_ms=scenarios.EVERY_MS):
            for scenario in wanted:
                for repetition in range(1, REPETITIONS + 1):
                    runs = [
                        PlannedRun(scenario, library, assignor, repetition)
                        for library, assignors in strategies.items()
                        if not (scenario.static and library in programs.NEVER_STATIC)
                        for assignor in assignors
                    ]
                    began = time.monotonic()
                    for recording in _side_by_side(kafka, runs):
                        write(folder / f"{recording['id']}.json.gz", recording)
                    took = time.monotonic() - began
                    log(f"{scenario.name}, repetition {repetition}: {len(runs)} groups, {took:.0f} s")


def write(path: Path, recorded: dict[str, Any]) -> None:
    """One recording, the same bytes for the same recording."""
    path.write_bytes(gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0))


def read(folder: Path) -> list[dict[str, Any]]:
    """All recordings of a folder, by name."""
    return [json.loads(gzip.decompress(path.read_bytes())) for path in sorted(folder.glob("*.json.gz"))]
