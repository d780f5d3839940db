"""A reading becomes a run: the same facts as a simulation writes, each with its file and line."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import NamedTuple

from groupsim.events import client as client_facts
from groupsim.events.base import WORLD_STREAM, Event, process_stream
from groupsim.events.world import GroupDeclared, RunEnded, TopicCreated
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.builder import FactBuilder, PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow, is_broker, place
from groupsim.incidents.facts.coordinator import CoordinatorFacts
from groupsim.incidents.facts.consumer_group import ConsumerGroupFacts
from groupsim.incidents.facts.index import Index
from groupsim.incidents.facts.clients_only import ClientsOnlyFacts
from groupsim.incidents.facts.notes import left_out, unrelated
from groupsim.incidents.facts.processes import ProcessLog, split
from groupsim.incidents.facts.skew import estimate
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant, iso
from groupsim.storage.store import EventStore, RunInfo


class ImportResult(NamedTuple):
    """The run that was written, and what the logs could not tell; `remarks` are those of the notes that bid a choice.

    A remark speaks of the logs themselves: damaged, unrelated, without times, with clocks that step back or differ.
    """

    run: RunInfo
    notes: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def import_run(
    reading: Reading,
    store: EventStore,
    *,
    name: str | None,
    topics: Mapping[str, int],
    session_timeout_ms: int | None = None,
) -> ImportResult:
    """Write a run of what was read. Its time 0 is the first group-related row.

    `topics` gives partition counts that the logs don't tell. `session_timeout_ms` dates the last heartbeat of a member
    that fell silent (its removal minus this); without it the log's own figure counts, else the shortest session that a
    broker allows by default. Raises LogError if nothing in the reading can be placed in time.
    """
    skews, troubles = estimate(reading)
    known = {skew.file: skew.ms for skew in skews if skew.ms}
    placed, remarks = place(reading, known)
    remarks += [*troubles, *(str(skew) for skew in skews if skew.ms)]
    placed = [each for each in placed if each.row.group is not None or each.row.kind in _WITHOUT_GROUP]
    if not any(each.row.group for each in placed):
        raise LogError(
            f"{', '.join(reading.files)}: no line tells of a consumer group at a known time; nothing to import"
        )
    builder = FactBuilder()
    remarks += [*unrelated(placed), *reading.troubles]
    for note in (*remarks, *(str(skew) for skew in skews if not skew.ms)):
        builder.note(note)
    index = Index(placed)
    told = _add(placed, index, builder, session_timeout_ms)
    origin = min([placed[0].at] + [first.at for first in told[:1]])
    info = RunInfo(
        id=uuid.uuid4().hex[:12],
        name=name or _name(reading.files),
        source="recorded",
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        origin=iso(origin),
        params={f"log.{number}": file for number, file in enumerate(reading.files)},
    )
    world = _world(index, topics, builder)
    for note in left_out(placed):
        builder.note(note)
    ends = [instant(end) + known.get(file, 0) for file, end in reading.ends.items()]
    ended = max([placed[-1].at, *ends] + [last.at for last in told[-1:]]) - origin
    summary: dict[str, object] = {"notes": list(builder.notes), "lines": reading.counts.lines, "rows": len(reading.rows)}
    return ImportResult(_write(store, info, world, told, origin, ended, summary), builder.notes, tuple(remarks))


def _write(
    store: EventStore,
    info: RunInfo,
    world: Sequence[Event],
    told: Sequence[PendingFact],
    origin: int,
    ended: int,
    summary: dict[str, object],
) -> RunInfo:
    """The run in the store: the world first, then what the lines tell, in order."""
    writer = store.begin(info)
    for event in world:
        writer.append(0, WORLD_STREAM, [event])
    for each in told:
        writer.append(each.at - origin, each.stream, [each.event], each.source)
    writer.append(ended, WORLD_STREAM, [RunEnded(status="finished")])
    return writer.finish("finished", ended, summary)


_SHORTEST_SESSION_MS = 6_000
_WITHOUT_GROUP = frozenset(
    [
        "client_position",
        "session_expired",
        "heartbeat_thread_stopped",
        "poll_timeout",
        "leave_sent",
        "leave_failed",
        "synced",
    ]
)


def _name(files: Sequence[str]) -> str:
    """The folder's name for several logs out of one folder, else the first file's."""
    folders = {PurePath(file).parent.name for file in files}
    if len(files) > 1 and len(folders) == 1 and (folder := folders.pop()):
        return folder
    return PurePath(files[0]).name.split(".log")[0]


def _add(
    placed: Sequence[TimedRow], index: Index, builder: FactBuilder, session_timeout_ms: int | None
) -> list[PendingFact]:
    """All facts in the order of their lines."""
    brokers: dict[str, CoordinatorFacts] = {}
    for number, each in enumerate(placed):
        group = each.row.group
        if group is not None and group in index.broker_groups and is_broker_row(each):
            if group not in brokers:
                teller = ConsumerGroupFacts if group in index.consumer_groups else CoordinatorFacts
                brokers[group] = teller(group, index, builder)
            brokers[group].take(number, each)
    for broker in brokers.values():
        broker.finish()
    processes = split(placed, builder)
    lives = [ClientFacts(process, index, builder) for process in processes]
    for life in lives:
        if (shortest := life.shortest()) is not None:
            known = index.quickest.get(life.process.group, shortest)
            index.quickest[life.process.group] = min(known, shortest)
    for life in lives:
        life.write()
    for group in sorted(index.client_groups - index.broker_groups):
        ClientsOnlyFacts(group, index, builder).write(placed)
    _deaths(placed, lives, index, builder, session_timeout_ms)
    return sorted(builder.facts, key=lambda t: (t.at, t.place, t.step))


def is_broker_row(placed: TimedRow) -> bool:
    """Whether a broker printed it, context included."""
    return is_broker(placed.row) or placed.row.kind.startswith("broker_")


def _deaths(
    placed: Sequence[TimedRow],
    lives: Sequence[ClientFacts],
    index: Index,
    builder: FactBuilder,
    session_timeout_ms: int | None,
) -> None:
    """A killed process says nothing: the broker's removal of a silent member, or its successor's start, tells."""
    removed = {
        (p.row.group, p.row.member): (number, p) for number, p in enumerate(placed) if p.row.kind == "member_failed"
    }
    for life in lives:
        process = life.process
        if process.closed or not life.holds:
            continue
        end = removed.get((process.group, life.member))
        if end is not None and process.last > end[1].at >= process.first:
            builder.note(
                f"{process.name} was removed by the broker at {iso(end[1].at)} while it lived and held partitions"
                " (stalled, or cut off); a log does not tell since when"
            )
        after = _successor(process, [other.process for other in lives])
        if end is None or end[1].at < process.last:
            end = None
        if after is not None and (end is None or after.first < end[1].at):
            end = after.rows[0]
        if end is None:
            continue
        timeout = session_timeout_ms or index.session_timeouts.get(process.group)
        at = end[1].at
        if end[1].row.kind == "member_failed":
            at = max(process.last, at - (timeout or _SHORTEST_SESSION_MS))
        builder.add(
            end[0],
            TimedRow(at, end[1].row),
            process_stream(process.group, process.name),
            client_facts.Crashed(process=process.name),
        )
        builder.note(_silence(process, end[1], at, timeout, len(life.holds)))


def _successor(process: ProcessLog, processes: Sequence[ProcessLog]) -> ProcessLog | None:
    """The next incarnation of the same client or static member, if it begins after this one's last line."""
    for other in processes:
        same = other.client == process.client or (other.instance is not None and other.instance == process.instance)
        if other.group == process.group and same and other is not process and other.first >= process.last:
            return other
    return None


def _silence(process: ProcessLog, end: TimedRow, at: int, timeout: int | None, held: int) -> str:
    sign = "the broker removed it" if end.row.kind == "member_failed" else "it was started again"
    said = (
        f"{process.name} fell silent holding {held} partitions: its last line is of {iso(process.last)},"
        f" {sign} at {iso(end.at)}"
    )
    if at == end.at:
        return f"{said}; no log tells when it died in between, so it counts as alive until then (a lower bound)"
    if timeout is None:
        return (
            f"{said}; sessions last at least {_SHORTEST_SESSION_MS} ms (group.min.session.timeout.ms, by default), so"
            f" its last heartbeat came no later than {iso(at)}, which is taken for its death; a longer session means an"
            " earlier one"
        )
    return f"{said}; with a session of {timeout} ms its last heartbeat came at {iso(at)}, which is taken for its death"


def _world(index: Index, topics: Mapping[str, int], builder: FactBuilder) -> list[TopicCreated | GroupDeclared]:
    """Topics with the partitions they have at least, and who was to serve them."""
    groups = sorted(index.broker_groups | index.client_groups)
    counts: dict[str, int] = {}
    for group in groups:
        for topic, count in index.topics[group].items():
            counts[topic] = max(counts.get(topic, 0), count)
    guessed = sorted(topic for topic in counts if counts[topic] and topics.get(topic, 0) < counts[topic])
    if guessed:
        builder.note(
            f"partition counts are those of the highest partition the logs name, a lower bound: "
            f"{', '.join(f'{topic} {counts[topic]}' for topic in guessed)}"
        )
    for topic, count in topics.items():
        if count < counts.get(topic, 0):
            builder.note(
                f"the logs name partition {topic}-{counts[topic] - 1}, so {topic} has more than the"
                f" {count} partitions given"
            )
        counts[topic] = max(count, counts.get(topic, 0))
    facts: list[TopicCreated | GroupDeclared] = [
        TopicCreated(topic=topic, partitions=counts[topic]) for topic in sorted(counts) if counts[topic]
    ]
    alone = len(groups) == 1
    for group in groups:
        named = set(index.topics[group]) | (set(topics) if alone else set())
        served = tuple(sorted(topic for topic in named if counts.get(topic)))
        if not served:
            builder.note("no log here names a partition, so which partitions stood still is unknown", group)
        protocol = "consumer" if group in index.consumer_groups else "classic"
        facts.append(GroupDeclared(group=group, protocol=protocol, topics=served))
    return facts
