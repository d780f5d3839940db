"""What happened in a group of real consumers, as a recording: events, the broker's rows, what follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from groupsim.conformance.timelines.ownership import ObservedRun, summary
from groupsim.conformance.timelines.recorded_form import Record, member_fields, process_of
from groupsim.conformance.timelines.recording import parse
from groupsim.conformance.timelines.reenact import existing
from recorders.timelines.real_group import RealGroup

LINE = re.compile(
    r"\[(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] [A-Z]+ \[GroupCoordinator [^\]]*\] (?P<text>.*) \(\S+\)$"
)
MEMBER = r"(?P<member_id>\S+)"
STATE = r"(?P<state>\w+)"
WORDINGS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "member_id_issued",
            rf"Dynamic member with unknown member id joins group G in {STATE} state\. Created a new member id {MEMBER} "
            r"and requesting",
        ),
        ("member_added", rf"Pending dynamic member with id {MEMBER} joins group G in {STATE} state\. Adding"),
        (
            "static_added",
            rf"Static member with groupInstanceId=(?P<instance_id>\S+) and unknown member id joins group G in {STATE} "
            rf"state\. Created a new member id {MEMBER} for this member",
        ),
        (
            "static_replaced",
            rf"Static member with groupInstanceId=(?P<instance_id>\S+) and unknown member id joins group G in {STATE} "
            rf"state\. Replacing previously mapped member {MEMBER} ",
        ),
        (
            "rebalance_started",
            rf"Preparing to rebalance group G in state {STATE} with old generation (?P<generation>\d+) "
            r"\(reason: (?P<reason>.*)\)\.",
        ),
        ("join_completed", r"Stabilized group G generation (?P<generation>\d+) with (?P<n_members>\d+) members"),
        (
            "assignment_received",
            rf"Assignment received from leader {MEMBER} for group G for generation (?P<generation>\d+)\. "
            r"The group has (?P<n_members>\d+) members",
        ),
        ("session_expired", rf"Member {MEMBER} in group G has failed, removing it"),
        ("pending_expired", rf"Pending member {MEMBER} in group G has been removed after session timeout"),
        ("member_left", rf"\[Group G Member {MEMBER} has left group through explicit `LeaveGroup` request"),
        ("join_timeout", rf"Group G removed dynamic members who haven't joined: \[{MEMBER}\]"),
        ("member_joined", rf"\[GroupId G\] Member {MEMBER} joins the consumer group"),
        ("epoch_bumped", r"\[GroupId G\] Bumped group epoch to (?P<generation>\d+)"),
        (
            "target_computed",
            r"\[GroupId G\] Computed a new target assignment for epoch (?P<generation>\d+) "
            r"with '(?P<reason>[^']+)' assignor in (?P<took_ms>\d+)ms",
        ),
        ("fenced", rf"\[GroupId G\] Member {MEMBER} fenced from the group because (?P<reason>.*?)\.?$"),
        ("member_left", rf"\[GroupId G\] Member {MEMBER} left the consumer group"),
        ("group_empty", r"Group G with generation (?P<generation>\d+) is now empty"),
    )
)
"""Of Kafka 4; `G` stands for the group."""
NUMBERS = ("generation", "n_members", "took_ms")


def _name_of(group: str) -> re.Pattern[str]:
    """A group's name where no other group's name contains it."""
    return re.compile(rf"(?<![\w.-]){re.escape(group)}(?![\w-]|\.\w)")


def lines_of(lines: Iterable[str], group: str) -> list[str]:
    """The lines that name a group."""
    named = _name_of(group)
    return [line for line in lines if group in line and named.search(line)]


def rows(lines: Iterable[str], group: str, began_ms: int) -> list[Record]:
    """What lines say about a group, `t_ms` since `began_ms` (since the epoch)."""
    named = _name_of(group)
    recorded = []
    for line in lines:
        parsed = LINE.match(line.rstrip("\n")) if group in line else None
        if parsed is None:
            continue
        text = named.sub("G", parsed["text"])
        at = datetime.strptime(parsed["at"], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        for kind, pattern in WORDINGS:
            if match := pattern.match(text):
                more = {k: int(v) if k in NUMBERS else v for k, v in match.groupdict().items()}
                recorded.append({"t_ms": round(at.timestamp() * 1000) - began_ms, "kind": kind, **more})
                break
    return recorded


LABEL = re.compile(r"[mi](\d+)-")
"""How a member id begins: with the client's id, or with the static member's instance id."""
NOT_SEEN = ("ready", "input_error", "took")


def recording(group: RealGroup, head: Record, first_fault: int | None, lines: Sequence[str]) -> Record:
    """What happened in a group. `head`: what was planned. `lines`: the broker's log.

    `first_fault`: the index of the action from which unavailability counts; None: from the first full ownership.
    """
    end_ms = group.run.end_ms
    events = _events(group)
    broker = rows(lines, group.run.group, group.began_ms)
    broker = [row for row in broker if row["t_ms"] <= end_ms]
    members = _members(broker, events)
    for row in broker:
        process = members.get(row.get("member_id", ""))
        if process is not None:
            row |= member_fields(process)
    record = {**head, "member_ids": members, "actions": group.actions, "events": events, "broker": broker}
    frozen = _frozen(group.actions, end_ms)
    seen = ObservedRun(events, broker, group.actions, frozen, existing(parse(record)), end_ms)
    return record | summary(seen, None if first_fault is None else group.actions[first_fault]["t_ms"])


def _events(group: RealGroup) -> list[dict[str, Any]]:
    """What the members reported, in the order of time."""
    reported = []
    for (label, n), process in group.processes.items():
        for event in list(process.events):
            at_ms = event["at_ms"] - group.began_ms
            if event["kind"] in NOT_SEEN or at_ms > group.run.end_ms:
                continue
            more = {k: v for k, v in event.items() if k not in ("at_ms", "partitions")}
            if "partitions" in event:
                more["partitions"] = sorted(event["partitions"])
            reported.append({"t_ms": max(0, at_ms), "member": label, "incarnation": n, **more})
    return sorted(reported, key=lambda e: (e["t_ms"], e["member"], e["incarnation"]))


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
    spans: dict[str, list[list[int]]] = {}
    for action in actions:
        if action["action"] == "stop":
            spans.setdefault(process_of(action), []).append([action["t_ms"], end_ms])
        elif action["action"] == "cont":
            spans[process_of(action)][-1][1] = action["t_ms"]
    return spans
