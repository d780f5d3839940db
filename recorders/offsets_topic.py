"""`groupsim record` against a real broker: killed and continued again and again while groups work.

What it recorded is compared with the segment files of the broker, record for record; and our table of schemas with the
definitions in Kafka's jars.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from groupsim.incidents.offsets_topic.partitions import PartitionsReader
from groupsim.incidents.offsets_topic.record import KINDS, GroupRecord
from groupsim.incidents.offsets_topic.recording import RecordingReader
from groupsim.incidents.offsets_topic.schemas import ASSIGNMENT, KEYS, SUBSCRIPTION, VALUES, Field, Schema
from recorders.broker import fetch
from recorders.broker.definitions import Definitions, carries
from recorders.broker.kafka import Kafka

GROUPS = {"classic-group": "classic", "consumer-group": "consumer", "other-group": "classic"}
RECORDED = ("classic-group", "consumer-group")
TOPIC, PARTITIONS = "orders", 6
KILLS = 8
_PERIOD_S = 1.5
_CAUGHT_UP_S = 60


def check(log: Callable[[str], None]) -> dict[str, Any]:
    """What was recorded, and how it differs from what the broker has: nothing may be lost, or be there twice."""
    differing = schema_differences(Definitions(fetch.jars()))
    log(f"schemas: {len(KEYS)} keys, {len(VALUES)} values, {len(differing)} differences")
    with tempfile.TemporaryDirectory() as folder, Kafka(keep=Path(folder) / "kafka") as kafka:
        kafka.create_topic(TOPIC, PARTITIONS)
        recording = Path(folder) / "recording.jsonl"
        ended = threading.Event()
        working = [threading.Thread(target=_produce, args=(kafka.bootstrap, ended))]
        for group, protocol in GROUPS.items():
            for number in range(3):
                arguments = (kafka.bootstrap, group, protocol, number, ended)
                working.append(threading.Thread(target=_consume, args=arguments))
        for thread in working:
            thread.start()
        for number in range(KILLS):
            _killed(kafka.bootstrap, recording, _PERIOD_S + 0.25 * number)
            log(
                f"killed {number + 1} of {KILLS} times: {recording.stat().st_size if recording.exists() else 0:,} bytes"
            )
        ended.set()
        for thread in working:
            thread.join()
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
        names = sorted(group.group_id for group in admin.list_consumer_groups().result().valid)
        subprocess.run([*_command(kafka.bootstrap, recording), "--for", "0s"], check=True, timeout=_CAUGHT_UP_S)
        for node in kafka.nodes:
            node.end(signal.SIGTERM)
        segments = sorted((Path(folder) / "kafka").rglob("__consumer_offsets-*/*.log"))
        differences = compared(list(RecordingReader(recording)), list(_kept(segments)))
    return {
        "kafka": fetch.VERSION,
        "killed": KILLS,
        **differences,
        "groups_of_the_cluster": names,
        "schema_differences": differing,
    }


def compared(recorded: list[GroupRecord], kept: list[GroupRecord]) -> dict[str, Any]:
    """How a recording differs from the segments: counts."""
    ours = {_identity(record): record for record in recorded}
    theirs = {_identity(record): record for record in kept}
    return {
        "records": len(kept),
        "by_kind": {kind: sum(r.kind == kind for r in kept) for kind in sorted({r.kind for r in kept})},
        "lost": len(theirs.keys() - ours.keys()),
        "made_up": len(ours.keys() - theirs.keys()),
        "twice": len(recorded) - len(ours),
        "different": sum(ours[place].value != theirs[place].value for place in ours.keys() & theirs.keys()),
        "other_batch": sum(ours[place].batch != theirs[place].batch for place in ours.keys() & theirs.keys()),
    }


def _identity(record: GroupRecord) -> tuple[object, ...]:
    return record.offset, record.at_ms, record.key_version, repr(sorted(record.key.items()))


def _kept(segments: list[Path]) -> list[GroupRecord]:
    return list(PartitionsReader(segments, groups=frozenset(RECORDED)))


def _command(bootstrap: str, recording: Path) -> list[str]:
    groups = [word for group in RECORDED for word in ("--group", group)]
    program = [sys.executable, "-m", "groupsim.cli.main"]
    return [*program, "incident", "record", "--bootstrap", bootstrap, *groups, "-o", str(recording)]


def _killed(bootstrap: str, recording: Path, after_s: float) -> None:
    """One recorder that is killed after so long, and half a line, as if it had been writing then."""
    process = subprocess.Popen(_command(bootstrap, recording), stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    process.kill()
    process.wait()
    if recording.exists() and recording.stat().st_size:
        with recording.open("ab") as out:
            out.write(b'{"partition":1,"offs')


def _produce(bootstrap: str, ended: threading.Event) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    while not ended.wait(0.02):
        producer.produce(TOPIC, b"x")
        producer.poll(0)
    producer.flush(10)


def _consume(bootstrap: str, group: str, protocol: str, number: int, ended: threading.Event) -> None:
    """A member that comes and goes; the higher its number the oftener."""
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "group.protocol": protocol,
        "client.id": f"m{number}",
        "auto.offset.reset": "earliest",
        "auto.commit.interval.ms": 200,
    }
    while not ended.wait(0.3 * number):
        consumer = Consumer(settings)
        consumer.subscribe([TOPIC])
        until = time.monotonic() + (600 if number == 0 else 6 / number)
        try:
            while time.monotonic() < until and not ended.is_set():
                consumer.poll(0.1)
        except KafkaException:
            pass  # the next one joins
        finally:
            consumer.close()


def schema_differences(definitions: Definitions) -> list[str]:
    """Fields in which our table differs from Kafka's definitions, in any version both know; empty if none does."""
    differences: list[str] = []
    ours = {"ConsumerProtocolSubscription": SUBSCRIPTION, "ConsumerProtocolAssignment": ASSIGNMENT}
    for kind, name in {**KINDS, 0: "LegacyOffsetCommit"}.items():
        ours |= {f"{name}Key": KEYS[kind], f"{name}Value": VALUES[kind]}
    for name, schema in ours.items():
        differences += _differences(name, schema, definitions.named(name))
    return differences


def _differences(name: str, ours: Schema, theirs: Mapping[str, Any]) -> list[str]:
    shared = {struct["name"]: struct["fields"] for struct in theirs.get("commonStructs", ())}
    newest = int(theirs["validVersions"].rpartition("-")[2])
    differences = [] if newest <= ours.newest else [f"{name}: version {newest} is not known"]
    for version in range(newest + 1):
        flexible = carries(theirs["flexibleVersions"], version)
        if flexible != (version >= ours.flexible):
            differences.append(f"{name}: version {version} has other lengths")
        if _plain(ours.fields, version) != _kafkas(theirs["fields"], version, shared):
            differences.append(f"{name}: version {version} has other fields")
    return differences


def _plain(fields: tuple[Field, ...], version: int) -> list[tuple[object, ...]]:
    return [
        (
            field.name,
            field.kind.replace("raw", "bytes")
            if isinstance(field.kind, str)
            else (field.many, _plain(field.kind, version)),
            field.nullable,
            field.tag,
        )
        for field in fields
        if field.since <= version <= field.until
    ]


def _kafkas(
    fields: list[Mapping[str, Any]], version: int, shared: Mapping[str, list[Mapping[str, Any]]]
) -> list[tuple[object, ...]]:
    plain: list[tuple[object, ...]] = []
    for field in fields:
        if not carries(field["versions"], version):
            continue
        kind = str(field["type"])
        inner = field.get("fields") or shared.get(kind.removeprefix("[]"))
        plain.append(
            (
                field["name"][0].lower() + field["name"][1:],
                kind if inner is None else (kind.startswith("[]"), _kafkas(inner, version, shared)),
                carries(field.get("nullableVersions"), version),
                field.get("tag") if carries(field.get("taggedVersions"), version) else None,
            )
        )
    return plain
