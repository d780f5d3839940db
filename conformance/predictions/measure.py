"""The one measure of a prediction and of the truth: how long partitions had no live owner, from the first fault on.

Both sides are read in the same way: a partition is owned from the end of an assigned callback to the begin of revoked
or lost, or to the kill; time in which the owner's process is frozen does not count as owned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.conformance.timelines import intervals, ownership
from groupsim.conformance.timelines.intervals import Intervals
from groupsim.conformance.timelines.ownership import ObservedRun
from groupsim.conformance.timelines.recorded_form import Record, member_fields
from groupsim.conformance.timelines.recording import Recording
from groupsim.conformance.timelines.reenact import existing, opens_with_an_action
from groupsim.events import client as p
from groupsim.events import world as w
from groupsim.events.base import Recorded
from groupsim.events.types import ProcessId

BEFORE_FAULT_MS = 50
"""A window opens so long, and half a heartbeat interval, before the first fault: a what-if draws when it happens."""
HEARTBEAT = "heartbeat.interval.ms"


def opens_ms(recorded: Recording) -> int | None:
    """When a recording's window opens, in ms of its run; None: with the first full ownership, because it has no fault.

    Half a heartbeat interval and `BEFORE_FAULT_MS` before the first fault.
    """
    if not opens_with_an_action(recorded):
        return None
    margin = int(recorded.consumer.get(HEARTBEAT, 3_000)) // 2 + BEFORE_FAULT_MS
    return max(0, recorded.window_from_ms - margin)


def recorded_ms(record: dict[str, Any], recorded: Recording) -> int:
    """The measure of a recorded (or re-enacted) run, in partition-milliseconds."""
    run = ObservedRun(
        events=record["events"],
        broker=[],
        actions=record["actions"],
        frozen=record.get("frozen", {}),
        existing=existing(recorded),
        end_ms=recorded.end_ms,
    )
    return _measured(run, opens_ms(recorded), recorded.end_ms)


def simulated_ms(facts: Iterable[Recorded], opens_at: int | None, end_ms: int) -> int:
    """The measure of a simulated run, in partition-milliseconds, from `opens_at` (None: first full ownership)."""
    return _measured(_observed(facts, end_ms), opens_at, end_ms)


def _measured(run: ObservedRun, opens_at: int | None, end_ms: int) -> int:
    owned = ownership.ownership(run)
    if opens_at is None:
        full = ownership.first_full_ownership_ms(run, owned)
        opens_at = end_ms if full is None else full
    gaps = ownership.unavailable(run, owned, [opens_at, end_ms])
    return sum(intervals.length(each) for each in gaps.values())


def _observed(facts: Iterable[Recorded], end_ms: int) -> ObservedRun:
    """What listeners saw in a simulated run until `end_ms`, and who was killed or frozen."""
    events: list[Record] = []
    kills: list[Record] = []
    frozen: dict[ProcessId, Intervals] = {}
    existing_since: dict[str, int] = {}
    running: dict[ProcessId, list[list[Any]]] = {}
    for fact in facts:
        at, event = fact.at_ms, fact.event
        if at > end_ms:
            break
        match event:
            case p.CallbackStart(process=process, kind=kind, partitions=partitions):
                running[process] = [[each.topic, each.partition] for each in partitions]
                events.append({"t_ms": at, **member_fields(process), "kind": kind, "partitions": running[process]})
            case p.CallbackEnd(process=process, kind=kind):
                done = {"kind": "callback_end", "of": kind, "partitions": running.pop(process, [])}
                events.append({"t_ms": at, **member_fields(process), **done})
            case p.Crashed(process=process):
                kills.append({"t_ms": at, **member_fields(process), "action": "kill"})
            case p.Frozen(process=process):
                frozen.setdefault(process, []).append([at, end_ms])
            case p.Thawed(process=process) if process in frozen:
                frozen[process][-1][1] = at
            case w.TopicCreated(topic=topic, partitions=count) | w.PartitionsAdded(topic=topic, partitions=count):
                for number in range(count):
                    existing_since.setdefault(f"{topic}-{number}", at)
            case _:
                pass
    return ObservedRun(events, [], kills, frozen, existing_since, end_ms)
