"""What the times of a recorded run show: how fast its host was, and when the records came.

The steps of a host wait for nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from groupsim.conformance.timelines.recorded_form import Libraries, process_of
from groupsim.simulation.host_speed import Step

CLASSIC_JOIN = ("member_id_issued", "member_added", "static_added", "static_replaced")
CONSUMER_JOIN = ("member_joined", "static_joined", "static_rejoined", "unreleased")
FIRST_JOIN = (*CLASSIC_JOIN, *CONSUMER_JOIN)
"""Rows of the broker's log that show a program's first JoinGroup, or its first ConsumerGroupHeartbeat."""
WAITED_MS = 1_000
"""A step of so long has waited for something else."""
COOPERATIVE = "cooperative"
"""Members that keep their partitions work on records while they join, and come late to answers; eager ones wait."""


def steps(record: dict[str, Any], libraries: Libraries) -> Iterator[tuple[str, Step, float]]:
    """Each step with the library and its duration (ms), in order."""
    per_member = record["config"].get("per_member") or {}
    works = COOPERATIVE in str(record.get("assignor", record["id"]))
    busy = {label for label, program in per_member.items() if works and program.get("proc")}
    started: dict[str, int] = {}
    completed: dict[int, int] = {}
    joined: dict[tuple[str, int], int] = {}
    known: set[str] = set()
    for at, row in _in_order(record):
        process = process_of(row) if row.get("member") is not None else ""
        generation, library = row.get("generation", -1), libraries.of(process)
        match row["kind"]:
            case "start":
                started[process] = at
            case kind if kind in FIRST_JOIN and process in started:
                yield library, Step.START if kind in CLASSIC_JOIN else Step.CONSUMER_START, at - started.pop(process)
            case "join_completed":
                completed[generation] = at
            case "join_ok" if row["member"] not in busy and at - completed.get(generation, -WAITED_MS) < WAITED_MS:
                yield library, Step.JOINED if process in known else Step.FIRST_JOINED, at - completed[generation]
                joined[process, generation] = at
            case "assignment_received" if at - joined.get((process, generation), -WAITED_MS) < WAITED_MS:
                yield (
                    library,
                    Step.ASSIGNOR if process in known else Step.FIRST_ASSIGNOR,
                    at - joined[process, generation],
                )
            case "assigned":
                known.add(process)
            case _:
                pass


def _in_order(record: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Rows by time; what the broker did comes before what was seen of it in the same millisecond."""
    parts = ("broker", "client_log", "events")
    rows = [(row["t_ms"], i, row) for i, part in enumerate(parts) for row in record.get(part, ())]
    return [(at, row) for at, _, row in sorted(rows, key=lambda found: found[:2])]


LEAST = 6
"""Of fewer reads nothing is concluded."""
MORE_THAN_ONE = 1.4
"""Offsets that grow so much faster than one producer sends come from several: the instants of each are unknown."""


def first_arrivals(record: dict[str, Any], records_per_s: float) -> dict[str, float]:
    """By topic, when the record of offset 0 came (ms since the start of the run; before it if negative).

    A producer sends a record to every partition of a topic at once, evenly. A record that a member has read had come by
    then; so the earliest of all reads, each put back by its number of records, is close to the truth.
    """
    read: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for topic, offset, by_ms in _read(record):
        read[topic].append((by_ms, offset))
    arrivals = {}
    for topic, reads in sorted(read.items()):
        first, last = min(reads), max(reads)
        several = last[1] - first[1] > MORE_THAN_ONE * records_per_s * (last[0] - first[0]) / 1000 + 1
        if len(reads) >= LEAST and records_per_s > 0 and not several:
            arrivals[topic] = min(by_ms - offset * 1000 / records_per_s for by_ms, offset in reads)
    return arrivals


def _read(record: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Records that had been read: topic, offset, by when."""
    for event in record.get("events", ()):
        for topic, _, offset in event.get("offsets") or ():
            yield str(topic), int(offset), int(event["t_ms"])
        for topic, _, following in event.get("next_offsets") or ():
            yield str(topic), int(following) - 1, int(event["t_ms"])
