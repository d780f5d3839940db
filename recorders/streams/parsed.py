"""What instances and broker wrote down, in the form of `recordings-streams`: events, facts of the broker, who ran what.

Times are ms since the first instance was started. A task is named by its partition, or, where the application has
several subtopologies, as Kafka names it (`1_3`).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from recorders.streams.stories import FAULT_MS, StreamsStory

Spans = dict[str, list[dict[str, Any]]]
_ID = r"\[MemberId (?P<id>[^\]]+)\] "
BROKER_LINES = {
    "member_joined": _ID + r"Member joins the streams group|Static member (?P<joined>\S+) with instance id \S+ joins",
    "static_replaced": _ID + r"Static member with instance id (\S+) re-joins .* replace the existing member (\S+)\.",
    "topology_configured": _ID + r"Valid topic configuration found in \S+ topology epoch (\d+) is now initialized",
    "epoch_bumped": _ID + r"Bumped streams group epoch to (\d+) ",
    "target_computed": r"Computed a new target assignment for epoch (\d+) ",
    "member_state": _ID
    + r"Member's new assignment state: epoch=(\d+), previousEpoch=(\d+), state=(\w+), assignedTasks=(.*?) \(org",
    "member_left": r"Member (?P<left>\S+?)(?: with instance id \S+)? (?:left|has left|leaves)"
    + r"|Static member (?P<gone>\S+) with instance id \S+ temporarily left",
    "fenced": r"Streams member (\S+) fenced from the group because (.*?\.)",
    "rebalance_started": r"Preparing to rebalance group \S+ in state (\S+) with old generation (\d+) \(reason: (.*)\)\."
    + r" \(org",
    "join_completed": r"Stabilized group \S+ generation (\d+) with (\d+) members",
    "assignment_received": r"Assignment received from leader (\S+) for group \S+ for generation (\d+)",
    "member_added": r"with id (\S+) joins group \S+ in \w+ state\. Adding",
    "static_added": r"groupInstanceId=(\S+) and unknown member id joins group .* Created a new member id (\S+) for",
    "static_rejoined": r"groupInstanceId=(\S+) and unknown member id joins .* previously mapped member (\S+) with",
    "session_expired": r"Member (\S+) in group \S+ has failed, removing it from the group",
}
_KINDS = {kind: re.compile(pattern) for kind, pattern in BROKER_LINES.items()}
_AT = re.compile(r"^\[([-\d]+ [\d:]+,\d{3})\] \w+ (.*)$")
_MEMBER_IDS = re.compile(r"Member ([\w-]{22}) with epoch|memberId='([^']+)'")
_PROCESS = re.compile(r"(?:got fresh process id|Reading UUID from process file|process id) (?P<id>[0-9a-f-]{36})")


def instant_ms(stamp: str) -> int:
    """UTC milliseconds of a log line's time."""
    return round(datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC).timestamp() * 1_000)


def events(lines: Mapping[str, str], began_ms: int) -> list[dict[str, Any]]:
    """What instances wrote since their start, by label.incarnation, in the order of time."""
    found = []
    for name, text in lines.items():
        member, _, incarnation = name.partition(".")
        for line in text.splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue  # it was killed while it wrote
            if said["kind"] == "warm":
                continue
            found.append({"t_ms": said.pop("at") - began_ms, "member": member, "incarnation": int(incarnation), **said})
    return sorted(found, key=lambda event: event["t_ms"])


def broker(text: str, began_ms: int, members: Mapping[str, str]) -> list[dict[str, Any]]:
    """Lines of the broker's log about the group, as facts."""
    found = []
    for line in text.splitlines():
        at = _AT.match(line)
        for kind, pattern in _KINDS.items():
            if at and (match := pattern.search(at[2])):
                groups = [group for group in match.groups() if group is not None]
                fact: dict[str, Any] = {"t_ms": instant_ms(at[1]) - began_ms, "kind": kind, "groups": groups}
                named = next((members[group] for group in groups if group in members), None)
                found.append({**fact, "member": named} if named else fact)
                break
    return found


def member_ids(logs: Mapping[str, str]) -> dict[str, str]:
    """Member ids to label.incarnation, by the logs of those who had them."""
    return {one or other: name for name, log in logs.items() for one, other in _MEMBER_IDS.findall(log)}


def processes(logs: Mapping[str, str]) -> dict[str, str]:
    """The process id of each label.incarnation."""
    return {name: match["id"] for name, log in logs.items() if (match := _PROCESS.search(log))}


def joins_ms(facts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """When the broker had each label.incarnation as a member."""
    found: dict[str, int] = {}
    joined: defaultdict[str, int] = defaultdict(int)
    for fact in facts:
        if fact["kind"] in {"member_joined", "member_added", "static_replaced"}:
            found.setdefault(fact.get("member", ""), fact["t_ms"])
        elif fact["kind"] in {"static_added", "static_rejoined"}:
            label = fact["groups"][0].split("-")[1]
            found.setdefault(f"{label}.{joined[label]}", fact["t_ms"])
            joined[label] += 1
    return {name: at for name, at in sorted(found.items()) if name}


def task_of(event: Mapping[str, Any], second: bool) -> str:
    """Its task's name; what is restored is always of the first subtopology."""
    if not second:
        return str(event["partition"])
    return str(event.get("task", f"0_{event['partition']}"))


def spans(
    seen: Iterable[Mapping[str, Any]],
    killed: Mapping[tuple[str, int], int],
    run_end_ms: int,
    second: bool,
    begins: str,
    ends: Mapping[str, str],
) -> Spans:
    """From an event `begins` of a task until one of `ends` (kind to what the span is ended by), a kill, or the end."""
    opened: dict[tuple[str, int, str], int] = {}
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def close(key: tuple[str, int, str], to_ms: int, by: str, records: int | None = None) -> None:
        member, incarnation, task = key
        span: dict[str, Any] = {"member": member, "incarnation": incarnation, "from_ms": opened.pop(key)}
        span["to_ms"] = to_ms
        found[task].append({**span, **({} if records is None else {"records": records}), "ended_by": by})

    for event in seen:
        if event["kind"] not in {begins, *ends}:
            continue
        key = event["member"], event["incarnation"], task_of(event, second)
        if event["kind"] == begins:
            opened.setdefault(key, event["t_ms"])
        elif key in opened:
            close(key, event["t_ms"], ends[event["kind"]], event.get("records"))
    for key in list(opened):
        at = killed.get(key[:2])
        close(key, run_end_ms if at is None else at, "run_end" if at is None else "killed")
    by_name = sorted(found.items(), key=lambda item: [int(part) for part in item[0].split("_")])
    return {task: sorted(each, key=lambda span: span["from_ms"]) for task, each in by_name}


def without(owned: Spans, tasks: Iterable[str], begin_ms: int, end_ms: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """By task: intervals in a window in which nobody ran it, and in which two did."""
    nobody: dict[str, Any] = {}
    two: dict[str, Any] = {}
    for task in tasks:
        each = owned.get(task, [])
        times = sorted({begin_ms, end_ms, *(s[edge] for s in each for edge in ("from_ms", "to_ms"))})
        for wanted, into in ((0, nobody), (2, two)):
            joined: list[list[int]] = []
            for start, stop in pairwise(t for t in times if begin_ms <= t <= end_ms):
                running = sum(s["from_ms"] <= start and stop <= s["to_ms"] for s in each)
                if (running == 0) if wanted == 0 else (running >= wanted):
                    if joined and joined[-1][1] == start:
                        joined[-1][1] = stop
                    else:
                        joined.append([start, stop])
            if joined:
                into[task] = joined
    return nobody, two


def total_ms(by_task: Mapping[str, list[list[int]]]) -> int:
    """All intervals together."""
    return sum(stop - start for each in by_task.values() for start, stop in each)


def most_at_once(by_task: Mapping[str, list[list[int]]]) -> int:
    """How many tasks at the same time."""
    edges = sorted(edge for each in by_task.values() for start, stop in each for edge in ((start, 1), (stop, -1)))
    most = now = 0
    for _, change in edges:
        now += change
        most = max(most, now)
    return most


class Taken:
    """Who ran each task, and in the window since the first fault: who restored, and when nobody ran it."""

    def __init__(
        self,
        story: StreamsStory,
        actions: Iterable[Mapping[str, Any]],
        seen: list[dict[str, Any]],
        partitions: int,
        run_end_ms: int,
    ) -> None:
        killed = {(a["member"], a["incarnation"]): a["t_ms"] for a in actions if a["action"] == "kill"}
        self._window = min(a["t_ms"] for a in actions if a["t_ms"] >= FAULT_MS), run_end_ms
        parts = [""] if not story.second else ["0_", "1_"]
        self._tasks = [f"{part}{number}" for part in parts for number in range(partitions)]
        running = {"task_closed": "closed"}
        self._owned = spans(seen, killed, run_end_ms, story.second, "task_running", running)
        restored = {"restore_end": "end", "restore_suspended": "suspended"}
        self._restoring = spans(seen, killed, run_end_ms, story.second, "restore_start", restored)

    def found(self) -> dict[str, Any]:
        """`ownership`, `restoring`, `unavailable`, `two_live_owners`, `summary`."""
        begin, end = self._window
        nobody, two = without(self._owned, self._tasks, begin, end)
        restoring = [span for each in self._restoring.values() for span in each]
        all_ran = [min(s["from_ms"] for s in self._owned[task]) for task in self._tasks if task in self._owned]
        summary = {
            "window_ms": [begin, end],
            "first_full_ownership_ms": max(all_ran, default=None) if len(all_ran) == len(self._tasks) else None,
            "unavailable_partition_ms": total_ms(nobody),
            "max_unavailable_partitions": most_at_once(nobody),
            "two_live_owners_partition_ms": total_ms(two),
            "restoring_partition_ms": sum(max(0, min(s["to_ms"], end) - max(s["from_ms"], begin)) for s in restoring),
            "tasks_moved": self._moved(),
        }
        return {
            "ownership": self._owned,
            "restoring": self._restoring,
            "unavailable": nobody,
            "two_live_owners": two,
            "summary": summary,
        }

    def _moved(self) -> int:
        """How many tasks ran somewhere else, or in another incarnation, at the end than when the window began."""
        begin, end = self._window
        return sum(
            {(s["member"], s["incarnation"]) for s in each if s["from_ms"] <= begin < s["to_ms"]}
            != {(s["member"], s["incarnation"]) for s in each if s["to_ms"] >= end}
            for each in self._owned.values()
        )
