"""Timelines of real consumers on a real broker, recorded in the recordings' form: what was done, seen and logged.

All ways to assign are recorded side by side, a group each, and twice: what does not repeat itself is no yardstick.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from groupsim.conformance.broker import fetch
from groupsim.conformance.broker.kafka import HOST, Kafka
from groupsim.conformance.scripts.record import Say
from groupsim.conformance.timelines import broker_lines, scenarios
from groupsim.conformance.timelines.clients import Feed
from groupsim.conformance.timelines.ownership import Seen
from groupsim.conformance.timelines.recording import APPEND_LINGER
from groupsim.conformance.timelines.scenarios import JAVA, PLOTS, RDKAFKA, Plot
from groupsim.conformance.timelines.stage import Run, Stage
from groupsim.conformance.timelines.summary import summary

PROPERTIES = {
    "group.initial.rebalance.delay.ms": str(scenarios.DELAY_MS),
    "group.min.session.timeout.ms": "1000",
    "offsets.topic.num.partitions": "50",
}
LINGER_MS = -1
"""Kafka 4.4's own default; told, because it was another one in 4.0."""
REPETITIONS = 2
STAGGER_S = 0.6
"""Groups side by side begin so far apart: their faults do not fall on one instant."""
AFTERWARDS_S = 0.5
"""Until the broker's last lines are on disk."""
LIBRARIES = {JAVA: "Apache Kafka Java client", RDKAFKA: "confluent-kafka (librdkafka)"}
LABEL = re.compile(r"[mi](\d+)-")
"""How a member id begins: with the client's id, or with the static member's instance id."""
NOT_SEEN = ("ready", "input_error")


def recording(stage: Stage, lines: Sequence[str]) -> dict[str, Any]:
    """What happened on a stage. `lines`: the broker's log."""
    run, plot = stage.run, stage.run.plot
    events = _events(stage)
    broker = broker_lines.facts(lines, run.id, stage.began_ms)
    broker = [fact for fact in broker if fact["t_ms"] <= plot.end_ms]
    members = _members(broker, events)
    for fact in broker:
        process = members.get(fact.get("member_id", ""))
        if process is not None:
            label, _, incarnation = process.rpartition(".")
            fact |= {"member": label, "incarnation": int(incarnation)}
    frozen = _frozen(stage.actions, plot.end_ms)
    existing = {f"{scenarios.TOPIC}-{p}": 0 for p in range(scenarios.PARTITIONS)}
    seen = Seen(events, broker, stage.actions, frozen, existing, plot.end_ms)
    opens_at = None if plot.opens_at is None else stage.actions[plot.opens_at]["t_ms"]
    return {
        **_head(run),
        "member_ids": members,
        "actions": stage.actions,
        "events": events,
        "broker": broker,
    } | summary(seen, opens_at)


def _head(run: Run) -> dict[str, Any]:
    static = {label: {"instance": f"i{label[1:]}"} for label in run.plot.members} if run.plot.static else {}
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
        "scenario": run.plot.name,
        "assignor": run.assignor,
        "protocol": "classic",
        "repetition": run.repetition,
        "kafka_version": fetch.VERSION,
        "config": config,
        "run_end_ms": run.plot.end_ms,
        "members": list(run.plot.members),
    }


def _events(stage: Stage) -> list[dict[str, Any]]:
    """What the members told, in the order of time."""
    found = []
    for (label, n), process in stage.processes.items():
        for event in list(process.events):
            at_ms = event["at_ms"] - stage.began_ms
            if event["kind"] in NOT_SEEN or at_ms > stage.run.plot.end_ms:
                continue
            more = {k: v for k, v in event.items() if k not in ("at_ms", "partitions")}
            if "partitions" in event:
                more["partitions"] = sorted(event["partitions"])
            found.append({"t_ms": max(0, at_ms), "member": label, "incarnation": n, **more})
    return sorted(found, key=lambda e: (e["t_ms"], e["member"], e["incarnation"]))


def _members(broker: Sequence[dict[str, Any]], events: Sequence[dict[str, Any]]) -> dict[str, str]:
    """By member id its process: by what the process says itself, else by the order in which ids were given."""
    members = {e["member_id"]: f"{e['member']}.{e['incarnation']}" for e in events if e.get("member_id")}
    for fact in broker:
        named = LABEL.match(fact.get("member_id", ""))
        if named and fact["member_id"] not in members:
            label = f"m{named[1]}"
            known = [int(process.rpartition(".")[2]) for process in members.values() if process.startswith(f"{label}.")]
            members[fact["member_id"]] = f"{label}.{max(known, default=0)}"
    return members


def _frozen(actions: Sequence[dict[str, Any]], end_ms: int) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {}
    for action in actions:
        process = f"{action['member']}.{action['incarnation']}"
        if action["action"] == "stop":
            found.setdefault(process, []).append([action["t_ms"], end_ms])
        elif action["action"] == "cont":
            found[process][-1][1] = action["t_ms"]
    return found


def _side_by_side(kafka: Kafka, runs: Sequence[Run]) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        stages = [stack.enter_context(closing(Stage(run, f"{HOST}:{kafka.port}"))) for run in runs]
        for stage in stages:
            stage.warm()
        with ThreadPoolExecutor(len(stages)) as threads:
            playing = []
            for stage in stages:
                playing.append(threads.submit(stage.play))
                time.sleep(STAGGER_S)
            for each in playing:
                each.result()
        time.sleep(AFTERWARDS_S)
        lines = kafka.nodes[0].log.read_text(errors="replace").splitlines()
        return [recording(stage, lines) for stage in stages]


def record(folder: Path, say: Say, wanted: Sequence[Plot] = PLOTS) -> None:
    """Record all plots into a folder, one file per run."""
    folder.mkdir(parents=True, exist_ok=True)
    with Kafka(PROPERTIES) as kafka:
        kafka.create_topic(scenarios.TOPIC, scenarios.PARTITIONS)
        with Feed(kafka, scenarios.TOPIC, scenarios.PARTITIONS, scenarios.EVERY_MS):
            for plot in wanted:
                for repetition in range(1, REPETITIONS + 1):
                    runs = [
                        Run(plot, lib, a, repetition) for lib in scenarios.STRATEGIES for a in scenarios.STRATEGIES[lib]
                    ]
                    began = time.monotonic()
                    for told in _side_by_side(kafka, runs):
                        write(folder / f"{told['id']}.json.gz", told)
                    say(f"{plot.name}, repetition {repetition}: {len(runs)} groups, {time.monotonic() - began:.0f} s")


def write(path: Path, told: dict[str, Any]) -> None:
    """One recording, the same bytes for the same recording."""
    path.write_bytes(gzip.compress(json.dumps(told, separators=(",", ":")).encode(), 9, mtime=0))


def read(folder: Path) -> list[dict[str, Any]]:
    """All recordings of a folder, by name."""
    return [json.loads(gzip.decompress(path.read_bytes())) for path in sorted(folder.glob("*.json.gz"))]
