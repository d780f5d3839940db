"""Record timelines of real consumers on a real broker: what was done, what members saw, what the broker logged.

All libraries and assignors are recorded side by side, a group each, and twice: only what repeats itself can be
compared.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from groupsim.conformance.broker import fetch
from groupsim.conformance.broker.kafka import HOST, Kafka
from groupsim.conformance.timelines import real_broker_log, scenarios
from groupsim.conformance.timelines.ownership import ObservedRun
from groupsim.conformance.timelines.real_clients import Feed
from groupsim.conformance.timelines.real_group import PlannedRun, RealGroup
from groupsim.conformance.timelines.recorded_form import member_fields, process_of
from groupsim.conformance.timelines.recording import APPEND_LINGER
from groupsim.conformance.timelines.scenarios import JAVA, RDKAFKA, SCENARIOS, TimelineScenario
from groupsim.conformance.timelines.summary import summary

PROPERTIES = {
    "group.initial.rebalance.delay.ms": str(scenarios.DELAY_MS),
    "group.min.session.timeout.ms": "1000",
    "offsets.topic.num.partitions": "50",
}
LINGER_MS = -1
"""Kafka 4.4's own default; stated, because 4.0 had another one."""
REPETITIONS = 2
STAGGER_S = 0.6
"""Groups side by side begin so far apart: their faults do not fall on one instant."""
AFTERWARDS_S = 0.5
"""Until the broker's last lines are on disk."""
LIBRARIES = {JAVA: "Apache Kafka Java client", RDKAFKA: "confluent-kafka (librdkafka)"}
LABEL = re.compile(r"[mi](\d+)-")
"""How a member id begins: with the client's id, or with the static member's instance id."""
NOT_SEEN = ("ready", "input_error")


def recording(group: RealGroup, lines: Sequence[str]) -> dict[str, Any]:
    """What happened in a group. `lines`: the broker's log."""
    run, scenario = group.run, group.run.scenario
    events = _events(group)
    broker = real_broker_log.rows(lines, run.id, group.began_ms)
    broker = [row for row in broker if row["t_ms"] <= scenario.end_ms]
    members = _members(broker, events)
    for row in broker:
        process = members.get(row.get("member_id", ""))
        if process is not None:
            row |= member_fields(process)
    frozen = _frozen(group.actions, scenario.end_ms)
    existing = {f"{scenarios.TOPIC}-{p}": 0 for p in range(scenarios.PARTITIONS)}
    seen = ObservedRun(events, broker, group.actions, frozen, existing, scenario.end_ms)
    opens_at = None if scenario.first_fault is None else group.actions[scenario.first_fault]["t_ms"]
    return {
        **_head(run),
        "member_ids": members,
        "actions": group.actions,
        "events": events,
        "broker": broker,
    } | summary(seen, opens_at)


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


def _events(group: RealGroup) -> list[dict[str, Any]]:
    """What the members reported, in the order of time."""
    found = []
    for (label, n), process in group.processes.items():
        for event in list(process.events):
            at_ms = event["at_ms"] - group.began_ms
            if event["kind"] in NOT_SEEN or at_ms > group.run.scenario.end_ms:
                continue
            more = {k: v for k, v in event.items() if k not in ("at_ms", "partitions")}
            if "partitions" in event:
                more["partitions"] = sorted(event["partitions"])
            found.append({"t_ms": max(0, at_ms), "member": label, "incarnation": n, **more})
    return sorted(found, key=lambda e: (e["t_ms"], e["member"], e["incarnation"]))


def _members(broker: Sequence[dict[str, Any]], events: Sequence[dict[str, Any]]) -> dict[str, str]:
    """By member id its process: as the process reports it, else by the order in which ids were given."""
    members = {e["member_id"]: process_of(e) for e in events if e.get("member_id")}
    for row in broker:
        named = LABEL.match(row.get("member_id", ""))
        if named and row["member_id"] not in members:
            label = f"m{named[1]}"
            known = [int(process.rpartition(".")[2]) for process in members.values() if process.startswith(f"{label}.")]
            members[row["member_id"]] = f"{label}.{max(known, default=0)}"
    return members


def _frozen(actions: Sequence[dict[str, Any]], end_ms: int) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {}
    for action in actions:
        process = process_of(action)
        if action["action"] == "stop":
            found.setdefault(process, []).append([action["t_ms"], end_ms])
        elif action["action"] == "cont":
            found[process][-1][1] = action["t_ms"]
    return found


def _side_by_side(kafka: Kafka, runs: Sequence[PlannedRun]) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        groups = [stack.enter_context(closing(RealGroup(run, f"{HOST}:{kafka.port}"))) for run in runs]
        for group in groups:
            group.wait_until_ready()
        with ThreadPoolExecutor(len(groups)) as threads:
            playing = []
            for group in groups:
                playing.append(threads.submit(group.play))
                time.sleep(STAGGER_S)
            for each in playing:
                each.result()
        time.sleep(AFTERWARDS_S)
        lines = kafka.nodes[0].log.read_text(errors="replace").splitlines()
        return [recording(group, lines) for group in groups]


def record(folder: Path, log: Callable[[str], None], wanted: Sequence[TimelineScenario] = SCENARIOS) -> None:
    """Record all scenarios into a folder, one file per run."""
    folder.mkdir(parents=True, exist_ok=True)
    with Kafka(PROPERTIES) as kafka:
        kafka.create_topic(scenarios.TOPIC, scenarios.PARTITIONS)
        with Feed(kafka, scenarios.TOPIC, scenarios.PARTITIONS, scenarios.EVERY_MS):
            for scenario in wanted:
                for repetition in range(1, REPETITIONS + 1):
                    runs = [
                        PlannedRun(scenario, library, assignor, repetition)
                        for library, assignors in scenarios.STRATEGIES.items()
                        for assignor in assignors
                    ]
                    began = time.monotonic()
                    for found in _side_by_side(kafka, runs):
                        write(folder / f"{found['id']}.json.gz", found)
                    took = time.monotonic() - began
                    log(f"{scenario.name}, repetition {repetition}: {len(runs)} groups, {took:.0f} s")


def write(path: Path, recorded: dict[str, Any]) -> None:
    """One recording, the same bytes for the same recording."""
    path.write_bytes(gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0))


def read(folder: Path) -> list[dict[str, Any]]:
    """All recordings of a folder, by name."""
    return [json.loads(gzip.decompress(path.read_bytes())) for path in sorted(folder.glob("*.json.gz"))]
