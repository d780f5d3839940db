"""What happened in a group of real consumers, as a recording: events, the broker's rows, what follows from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from groupsim.conformance.timelines.ownership import ObservedRun
from groupsim.conformance.timelines.recorded_form import Record, member_fields, process_of
from groupsim.conformance.timelines.recording import parse
from groupsim.conformance.timelines.reenact import existing
from groupsim.conformance.timelines.summary import summary
from recorders.timelines import real_broker_log
from recorders.timelines.real_group import RealGroup

LABEL = re.compile(r"[mi](\d+)-")
"""How a member id begins: with the client's id, or with the static member's instance id."""
NOT_SEEN = ("ready", "input_error")


def recording(group: RealGroup, head: Record, first_fault: int | None, lines: Sequence[str]) -> Record:
    """What happened in a group. `head`: what was planned. `lines`: the broker's log.

    `first_fault`: the index of the action from which unavailability counts; None: from the first full ownership.
    """
    end_ms = group.run.end_ms
    events = _events(group)
    broker = real_broker_log.rows(lines, group.run.group, group.began_ms)
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
    found = []
    for (label, n), process in group.processes.items():
        for event in list(process.events):
            at_ms = event["at_ms"] - group.began_ms
            if event["kind"] in NOT_SEEN or at_ms > group.run.end_ms:
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
        if action["action"] == "stop":
            found.setdefault(process_of(action), []).append([action["t_ms"], end_ms])
        elif action["action"] == "cont":
            found[process_of(action)][-1][1] = action["t_ms"]
    return found
