"""Where a played script differs from its recording, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from groupsim.conformance.scripts.groups.form import Record
from groupsim.conformance.scripts.script import Script, Step

COMPARED = ("response", "after", "t", "seen", "records")
"""What is compared of a step; times only in scripts where time matters."""
EARLIEST_MS, LATEST_MS = -90, 200
"""How far a recorded time may differ from the simulated one, in scripts where time matters."""
TASKS = [f"{kind}Tasks{pending}" for kind in ("Active", "Standby", "Warmup") for pending in ("", "PendingRevocation")]
TOPICS = [f"{stage}Topics" for stage in ("Initializing", "Initialized", "Deleting")]
ROWS = ("TopicPartitions", "AssignedPartitions", "PartitionsPendingRevocation", "members", *TASKS, *TOPICS)
"""The fields of a record's value that are rows in no order."""
IDENTIFY = ("TopicId", "Topic", "memberId", "SubtopologyId")
"""The fields that tell the rows of a record's value apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One step that differs in one of `response`, `after`, `t`, `seen`, `records`."""

    step: Step
    what: str
    recorded: Any
    played: Any
    unsupported: bool = False

    @property
    def kind(self) -> str:
        """The operation, and what differs; `unsupported` where the simulated coordinator has no such operation."""
        return f"{self.step['op']} {'unsupported' if self.unsupported else self.what}"

    def __str__(self) -> str:
        step = self.step
        where = f"step {step['i']} ({step['as'] or 'admin'} {step['op']} at {step['at']} ms)"
        return f"{where}, {self.what}: recorded {self.recorded}, simulated {self.played}"


def differences(recorded: Script, played: Script) -> Iterator[Difference]:
    """Every difference, in order. What is seen is left out where it is the same as after the step before."""
    seen_then = seen_now = None
    misplaced = misplaced_records(recorded, played)
    for number, (was, now) in enumerate(zip(recorded["steps"], played["steps"], strict=True)):
        seen_then, seen_now = was.get("seen", seen_then), now.get("seen", seen_now)
        pairs = [
            ("response", was["response"], now["response"]),
            ("after", was["after"], now["after"]),
            ("seen", seen_then, seen_now),
            ("records", _in_one_order(was.get("records", [])), _in_one_order(now.get("records", []))),
        ]
        for what, then, here in pairs:
            if then != here and not (what == "records" and number in misplaced):
                yield Difference(was, what, then, here, now.get("unsupported", False))
        if recorded.get("timed") and was["response"] is not None and not _in_time(was["t"], now["t"]):
            yield Difference(was, "t", was["t"], now["t"])


def misplaced_records(recorded: Script, played: Script) -> set[int]:
    """The places of steps whose records differ only because they were recorded one step early or late.

    Recordings say which step wrote a record by its time. So a run of steps is looked for in which all records together
    are equal, and none is more than one step away.
    """
    pairs = [
        (was.get("records", []), now.get("records", []))
        for was, now in zip(recorded["steps"], played["steps"], strict=True)
    ]
    misplaced: set[int] = set()
    first = 0
    while first < len(pairs):
        last = _end_of_shift(pairs, first)
        if last > first:
            misplaced.update(range(first, last + 1))
        first = last + 1
    return misplaced


def _end_of_shift(pairs: list[tuple[list[Record], list[Record]]], first: int) -> int:
    """The last step of such a run that begins here; the step itself where none does."""
    if _in_one_order(pairs[first][0]) == _in_one_order(pairs[first][1]):
        return first
    then: list[Record] = []
    here: list[Record] = []
    for last in range(first, len(pairs)):
        before = len(here)
        then, here = then + pairs[last][0], here + pairs[last][1]
        if last > first and _in_one_order(then) == _in_one_order(here):
            return last
        following = len(pairs[last + 1][1]) if last + 1 < len(pairs) else 0
        if not before <= len(then) <= len(here) + following:
            break
    return first


def _in_one_order(records: list[Record]) -> list[Record]:
    """Neighbouring records of one type by their keys, topics by name: in Kafka both have the order of hash maps."""
    rows: list[Record] = []
    for _, group in groupby(_removals_in_one_order(records), key=lambda record: (record[0], record[2] is None)):
        rows.extend(sorted(([kind, key, _sorted(value)] for kind, key, value in group), key=lambda row: str(row[1])))
    return rows


def _removals_in_one_order(records: list[Record]) -> list[Record]:
    """Removed members, each with three tombstones in a row, by their ids."""
    units: list[list[Record]] = []
    for record in records:
        last = units[-1] if units else []
        tombstone = record[2] is None and "MemberId" in record[1]
        if tombstone and last and len(last) < 3 and last[0][1:] == record[1:]:
            last.append(record)
        else:
            units.append([record])
    ordered: list[list[Record]] = []
    for removal, group in groupby(units, key=lambda unit: len(unit) == 3):
        neighbours = list(group)
        ordered.extend(sorted(neighbours, key=lambda unit: str(unit[0][1])) if removal else neighbours)
    return [record for unit in ordered for record in unit]


def _sorted(value: Any) -> Any:
    """A record's value with its rows by topic, and the partitions of each by number."""
    if not isinstance(value, dict):
        return value
    return value | {
        key: sorted(map(_by_number, value[key]), key=lambda row: [str(row.get(name)) for name in IDENTIFY])
        for key in ROWS
        if key in value
    }


def _by_number(row: dict[str, Any]) -> dict[str, Any]:
    if "AssignedPartitions" in (row.get("assignment") or {}):  # of a member of a group that has become classic
        return row | {"assignment": _sorted(row["assignment"])}
    if "Partitions" not in row:
        return row
    epochs = row.get("AssignmentEpochs") or [None] * len(row["Partitions"])
    return row | {"Partitions": sorted(zip(row["Partitions"], epochs, strict=True)), "AssignmentEpochs": None}


def _in_time(recorded_ms: float, played_ms: float | None) -> bool:
    return played_ms is not None and EARLIEST_MS <= recorded_ms - played_ms <= LATEST_MS
