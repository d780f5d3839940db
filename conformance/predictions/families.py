"""Families: recordings of one story that differ in one choice only; and the order in which they are asked."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from groupsim.conformance.predictions.measure import METADATA_AGE, USUAL_AGE_MS, group_times, metadata_age, recorded_ms
from groupsim.conformance.timelines.recording import INITIAL_DELAY, BadRecording, Recording, parse
from groupsim.incidents.logs.times import instant
from groupsim.simulation.clients.config import JAVA

CONSUMER_PROTOCOL, MIXED = "consumer", "mixed"
LOGS = "logs"
RECORDS = ("recording.json", "recording.json.gz")
"""The names that the file of a recording may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """One recording of a folder. `real_ms`: what it cost, in partition-milliseconds, by `measure`.

    `starts`: UTC ms since 1970 of its time 0 (None: the file does not say).
    """

    folder: Path
    id: str
    story: str
    family: str
    choice: str
    real_ms: int
    starts: int | None
    recorded: Recording

    def record(self) -> dict[str, Any]:
        """The whole `recording.json`."""
        return read_record(self.folder)


def read_record(folder: Path) -> dict[str, Any]:
    """The `recording.json` of a folder, also .gz. Raises BadRecording."""
    file = next((folder / name for name in RECORDS if (folder / name).is_file()), folder / RECORDS[0])
    try:
        record = json.loads(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes())
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise BadRecording(f"{file}: not a recorded run ({error})") from None
    if not isinstance(record, dict) or not isinstance(record.get("config"), dict):
        raise BadRecording(f"{file}: not a recorded run (an object with `config` is expected)")
    return record


def read_folder(folder: Path, *, across: bool = False) -> tuple[list[RecordedRun], int]:
    """The recordings in a folder, by id, and how many are left out. Raises BadRecording.

    Left out are those of the consumer protocol (KIP-848) whose file does not have the group's own times
    (`group_config`), and those of groups that have members of both. `across`: there must be groups of both.
    """
    runs, left_out = [], 0
    for inside in sorted({file.parent for name in RECORDS for file in folder.glob(f"*/{name}")}):
        record = read_record(inside)
        protocol = record["config"].get("group.protocol", record.get("protocol"))
        if protocol == MIXED or (protocol == CONSUMER_PROTOCOL and "group_config" not in record["config"]):
            left_out += 1
        else:
            runs.append(_run(inside, record))
    if not runs:
        raise BadRecording(f"{folder}: holds no recordings (folders with {RECORDS[0]}) that can be asked")
    if across and all(run.recorded.protocol != CONSUMER_PROTOCOL for run in runs):
        raise BadRecording(f"{folder}: holds no recordings of consumer groups with their own times (`group_config`)")
    return _by_age(runs), left_out


def _by_age(runs: Sequence[RecordedRun]) -> list[RecordedRun]:
    """The runs; where one choice of a family has several ages of the metadata, each that is not usual is named."""
    ages: dict[tuple[str, str], set[int]] = defaultdict(set)
    for run in runs:
        ages[run.family, run.choice].add(metadata_age(run.recorded))
    return [
        replace(run, choice=f"{run.choice},{METADATA_AGE}={age}")
        if len(ages[run.family, run.choice]) > 1 and (age := metadata_age(run.recorded)) != USUAL_AGE_MS
        else run
        for run in runs
    ]


def _run(folder: Path, record: dict[str, Any]) -> RecordedRun:
    recorded = parse(record)
    config = record["config"]
    story = str(record.get("scenario") or recorded.id.split("__")[0])
    try:
        real_ms = recorded_ms(record, recorded)
    except KeyError as error:
        raise BadRecording(f"{folder}: {error} is missing") from None
    return RecordedRun(
        folder=folder,
        id=recorded.id,
        story=story,
        family=_family(story, recorded, config),
        choice=str(config.get("choice") or _choice(recorded)),
        real_ms=real_ms,
        starts=_starts(record.get("run_start_utc")),
        recorded=recorded,
    )


def _choice(recorded: Recording) -> str:
    """The assignors; of the consumer protocol the broker's, and the group's times if they are not the usual ones."""
    if recorded.protocol != CONSUMER_PROTOCOL:
        return ",".join(recorded.assignors)
    times = [f"{name}={value}" for name, value in group_times(recorded).items()]
    return ",".join([CONSUMER_PROTOCOL, recorded.remote_assignor or "", *times])


def _starts(text: str | None) -> int | None:
    return None if text is None else instant(text.replace(",", ".") + "Z")


def _family(story: str, recorded: Recording, config: dict[str, Any]) -> str:
    """The story, the initial rebalance delay, the family that the recording names, and the library if not Java's."""
    parts = [story, f"d{int(recorded.broker[INITIAL_DELAY]) // 1_000}"]
    if config.get("family"):
        parts.append(str(config["family"]))
    if recorded.library != JAVA:
        parts.append(recorded.library)
    return " ".join(parts)


def families(runs: Sequence[RecordedRun]) -> dict[str, dict[str, list[RecordedRun]]]:
    """The runs by family and choice, sorted by both."""
    by_family: dict[str, dict[str, list[RecordedRun]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        by_family[run.family][run.choice].append(run)
    return {family: dict(sorted(by_family[family].items())) for family in sorted(by_family)}


def in_order(runs: Sequence[RecordedRun], *, across: bool = False) -> Iterator[tuple[RecordedRun, list[RecordedRun]]]:
    """Every run that can be asked, with one run of each other choice of its family: a beginning is a fair sample.

    In turn, one run of each family; within a family in the order of a hash of the id, so that choices mix. The order
    depends on nothing but the ids. `across`: only choices of the other group protocol count, else only of the same.
    """
    queues = []
    for by_choice in families(runs).values():
        if len(by_choice) > 1:
            mixed = sorted((run for repetitions in by_choice.values() for run in repetitions), key=_shuffled)
            queues.append((by_choice, mixed))
    for turn in range(max((len(mixed) for _, mixed in queues), default=0)):
        for by_choice, mixed in queues:
            if turn < len(mixed):
                run = mixed[turn]
                every = [repetitions[0] for choice, repetitions in by_choice.items() if choice != run.choice]
                others = [each for each in every if across == (each.recorded.protocol != run.recorded.protocol)]
                if others:
                    yield run, others


def _shuffled(run: RecordedRun) -> str:
    return hashlib.sha256(run.id.encode()).hexdigest()
