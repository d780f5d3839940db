"""The one measure of a prediction and of the truth: how long partitions were not held, from the first fault on.

It is that of a what-if, `analysis.availability.without_holder`: a recording's own events are read as the facts that a
simulation would have stored of them. The times of a consumer group (KIP-848) are the group's and not its members'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from groupsim.analysis.availability.without_holder import unheld
from groupsim.conformance.timelines.recorded_form import Record, process_of
from groupsim.conformance.timelines.recording import Recording
from groupsim.conformance.timelines.reenact import existing, opens_with_an_action
from groupsim.events import client as p
from groupsim.events import world as w
from groupsim.events.base import WORLD_STREAM, Event, Recorded, process_stream
from groupsim.events.client import CallbackKind
from groupsim.events.types import TopicPartition
from groupsim.simulation.clients.config import CONSUMER

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "group.consumer.assignment.interval.ms"
METADATA_AGE, USUAL_AGE_MS = "metadata.max.age.ms", 300_000
_USUAL = {HEARTBEAT: 1_000, ASSIGNMENT_INTERVAL: 1_000}
"""What nearly all recordings have; others are named in the choice."""


def session_and_heartbeat(recorded: Recording) -> dict[str, int]:
    """Both in ms, whoever they belong to; Kafka's defaults where the recording names none."""
    if recorded.protocol != CONSUMER:
        named = {name: recorded.consumer.get(name) for name in (SESSION, HEARTBEAT)}
        usual = {SESSION: 45_000, HEARTBEAT: 3_000}
    else:
        named = {name: recorded.group_config.get(f"consumer.{name}") for name in (SESSION, HEARTBEAT)}
        usual = {SESSION: 45_000, HEARTBEAT: 5_000}
    return {name: int(usual[name] if value is None else value) for name, value in named.items()}


def group_times(recorded: Recording) -> dict[str, int]:
    """By Kafka's names: the times of a consumer group that are not the usual ones."""
    interval = recorded.broker.get(ASSIGNMENT_INTERVAL, _USUAL[ASSIGNMENT_INTERVAL])
    times = {HEARTBEAT: session_and_heartbeat(recorded)[HEARTBEAT], ASSIGNMENT_INTERVAL: int(interval)}
    return {name: value for name, value in times.items() if value != _USUAL[name]}


def metadata_age(recorded: Recording) -> int:
    """The members' metadata.max.age.ms; Kafka's default where the recording names none."""
    return int(recorded.consumer.get(METADATA_AGE, USUAL_AGE_MS))


BEFORE_FAULT_MS = 50
"""A window opens so long, and half a heartbeat interval, before the first fault: a what-if draws when it happens."""
_GROUP = "recorded"


def opens_ms(recorded: Recording) -> int | None:
    """When a recording's window opens, in ms of its run; None: with the first full ownership, because it has no fault.

    Half a heartbeat interval and `BEFORE_FAULT_MS` before the first fault.
    """
    if not opens_with_an_action(recorded):
        return None
    margin = session_and_heartbeat(recorded)[HEARTBEAT] // 2 + BEFORE_FAULT_MS
    return max(0, recorded.window_from_ms - margin)


def recorded_ms(record: dict[str, Any], recorded: Recording) -> int:
    """The measure of a recorded (or re-enacted) run, in partition-milliseconds."""
    return recorded_between(record, recorded, opens_ms(recorded), recorded.end_ms)


def recorded_between(record: dict[str, Any], recorded: Recording, from_ms: int | None, to_ms: int) -> int:
    """The same of another time, in ms of the recording's run, from `from_ms` (None: first full ownership)."""
    return _measured(_as_facts(record, recorded), _GROUP, from_ms, to_ms, _existing(recorded))


def _existing(recorded: Recording) -> dict[TopicPartition, int]:
    named = ((name.rpartition("-"), at) for name, at in existing(recorded).items())
    return {TopicPartition(topic, int(number)): at for (topic, _, number), at in named}


def simulated_ms(facts: Iterable[Recorded], group: str, opens_at: int | None, end_ms: int) -> int:
    """The measure of a simulated run, in partition-milliseconds, from `opens_at` (None: first full ownership)."""
    return _measured(facts, group, opens_at, end_ms, {})


def _measured(
    facts: Iterable[Recorded], group: str, opens_at: int | None, end_ms: int, since: dict[TopicPartition, int]
) -> int:
    not_held = unheld(facts, group, end_ms, since)
    if opens_at is None:
        opens_at = end_ms if not_held.first_worked_ms is None else not_held.first_worked_ms
    return sum(not_held.within(opens_at, end_ms).values())


def _as_facts(record: dict[str, Any], recorded: Recording) -> list[Recorded]:
    """What listeners saw, and who was killed or frozen."""
    most: dict[str, int] = {}
    for name in existing(recorded):
        topic, _, number = name.rpartition("-")
        most[topic] = max(most.get(topic, 0), int(number) + 1)
    world: list[Event] = [w.TopicCreated(topic=topic, partitions=count) for topic, count in sorted(most.items())]
    world.append(w.GroupDeclared(group=_GROUP, protocol="classic", topics=tuple(sorted(most))))
    happened = sorted([*_listeners(record["events"]), *_signals(record)], key=itemgetter(0))
    facts = [(0, WORLD_STREAM, event) for event in world]
    facts += [(at, process_stream(_GROUP, event.process), event) for at, event in happened]
    return [Recorded("recorded", seq, at, stream, seq, event) for seq, (at, stream, event) in enumerate(facts)]


def _listeners(events: Iterable[Record]) -> Iterator[tuple[int, p.ClientEvent]]:
    for event in events:
        process, kind = process_of(event), event["kind"]
        if kind in tuple(CallbackKind):
            partitions = tuple(TopicPartition(topic, number) for topic, number in event["partitions"])
            yield event["t_ms"], p.CallbackStart(process=process, kind=kind, partitions=partitions)
        elif kind == "callback_end":
            yield event["t_ms"], p.CallbackEnd(process=process, kind=event["of"])


def _signals(record: dict[str, Any]) -> Iterator[tuple[int, p.ClientEvent]]:
    for action in record["actions"]:
        if action["action"] == "kill":
            yield action["t_ms"], p.Crashed(process=process_of(action))
    for process, spans in record.get("frozen", {}).items():
        for since, until in spans:
            yield since, p.Frozen(process=process)
            yield until, p.Thawed(process=process)
