"""`import_run`: what was read from logs becomes a run: the facts that a simulation writes, each with file and line."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import NamedTuple

import msgspec

from groupsim.events.base import WORLD_STREAM, Event
from groupsim.events.world import RunEnded
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.builder import FactBuilder, PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clients_only import ClientsOnlyFacts
from groupsim.incidents.facts.clock_check import ClockCheck, check_clocks
from groupsim.incidents.facts.clocks import TimedRow, order_rows
from groupsim.incidents.facts.coarse_times import in_order
from groupsim.incidents.facts.connector_changes import Change, changes, removals, unit_growths
from groupsim.incidents.facts.consumer_group import ConsumerGroupFacts
from groupsim.incidents.facts.coordinator import CoordinatorFacts
from groupsim.incidents.facts.deaths import add_deaths
from groupsim.incidents.facts.doubts.cut_logs import begun_before, unfinished
from groupsim.incidents.facts.doubts.find import Imported, find_doubts
from groupsim.incidents.facts.doubts.missing_logs import broker_silent, unlogged_members
from groupsim.incidents.facts.growth import Growth, add_growths, planned_growths, topic_growths
from groupsim.incidents.facts.impossible_times import without_strays
from groupsim.incidents.facts.limits import MOST_PARTITIONS, check_counts, check_named
from groupsim.incidents.facts.logs_in_one_file import taken_apart
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.notes import rows_without_fact, unrelated_logs
from groupsim.incidents.facts.nothing_found import nothing_to_import, remarks_on_asked
from groupsim.incidents.facts.offsets_members import Logged, write_topic
from groupsim.incidents.facts.offsets_merge import merged
from groupsim.incidents.facts.processes import split_by_process
from groupsim.incidents.facts.proved import proved
from groupsim.incidents.facts.steps_not_logged import add_steps, with_coordinators_steps
from groupsim.incidents.facts.streams_instances import with_instances_settings
from groupsim.incidents.facts.support import new_groups, require_times, times_in_doubt, unsupported
from groupsim.incidents.facts.task_partitions import with_partitions
from groupsim.incidents.facts.worker_units import OF_ONE_UNIT, with_failed_tasks, with_units
from groupsim.incidents.facts.world import named_partitions, world_facts
from groupsim.incidents.logs.client_libraries import CONNECT, SCHEMA_REGISTRY
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading, is_broker
from groupsim.incidents.logs.times import instant, iso
from groupsim.incidents.offsets_topic.signs_of_life import SignsOfLife
from groupsim.storage.log_gaps import Doubt, by_account, given, log_gaps, unbounded
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import EventStore, RunInfo, RunSource, RunStatus
from groupsim.wording.lists import listed

_KINDS_WITHOUT_GROUP = frozenset(
    [
        RowKind.CLIENT_POSITION,
        RowKind.CLIENT_SETTING,
        RowKind.SESSION_EXPIRED,
        RowKind.HEARTBEAT_THREAD_STOPPED,
        RowKind.POLL_TIMEOUT,
        RowKind.LEAVE_SENT,
        RowKind.LEAVE_FAILED,
        RowKind.SYNCED,
        RowKind.CONSUMER_HEARTBEAT_ANSWERED,
        RowKind.CONSUMER_HEARTBEAT_INTERVAL,
        RowKind.CLIENT_TARGET,
        RowKind.CLIENT_TARGET_ACKED,
        RowKind.STATE_CHANGE,
        *OF_ONE_UNIT,
    ]
)
"""Kinds of rows that are used although they may name no group: their client's other rows do."""

_NO_UNITS = {
    CONNECT: "and which connectors and tasks its workers ran is in the logs of these; export the logs of all workers",
    SCHEMA_REGISTRY: "whose members share no partitions, so none can be unavailable",
}
_EXTENSIONS = re.compile(r"(?:\.[A-Za-z]\w{0,7})?(?:\.(?:gz|zip|bz2|xz|zst))?$")
"""At the end of a file's name: how it is written (`.csv`) and packed (`.gz`)."""


class ImportResult(NamedTuple):
    """The run that was written, and `notes` on what the logs do not show and what was assumed.

    `remarks` are the notes that the user should act on: logs that are damaged, unrelated or without times, and clocks
    that step back or differ.
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
    most_partitions: int = MOST_PARTITIONS,
    progress: Callable[[float], None] = lambda _: None,
) -> ImportResult:
    """Write a run of what was read. Its time 0 is the first row about a group.

    `topics` gives partition counts that the logs do not show. `session_timeout_ms` dates the last heartbeat of a silent
    member; without it the log's own figure counts, else the shortest that brokers allow by default. `progress` gets the
    share done. Raises LogError if no row about a group has a time, and for a topic of more than `most_partitions`.
    """
    check_counts(topics, most_partitions)
    require_times(reading)
    reading, strays = without_strays(reading)
    reading, coarse = in_order(taken_apart(reading))
    clocks = check_clocks(reading)
    signs, builder = SignsOfLife(reading.topic), FactBuilder()
    rows, found = _in_one_order(reading, clocks, signs, builder)
    remarks = [*strays, *coarse, *found]
    builder.note_all([*remarks, *clocks.fitting])
    index = Index(rows)
    check_named(rows, index, most_partitions)
    progress(0.2)
    clients = _add_facts(rows, index, builder, reading)
    logged = Logged(clients, reading.topic)
    write_topic(reading, clients, logged, builder)
    deaths, stops = add_deaths(rows, clients, index, builder, session_timeout_ms, signs, logged)
    changed = changes(reading.evidence, clocks.corrections, index)
    growths = _growths(reading, rows, clients, topics, changed, index, builder)
    world = world_facts(index, topics, growths, builder)
    builder.note_all(rows_without_fact(rows))
    progress(0.6)
    facts = builder.facts()
    origin, ended = _span(rows, facts, reading, clocks)
    known = Imported(
        reading=reading,
        rows=rows,
        clients=clients,
        index=index,
        facts=facts,
        deaths=deaths,
        stops=stops,
        growths=growths,
        removed=list(removals(changed, rows, ended)),
        silent=list(broker_silent(rows, index, ended)),
        signs=signs,
        logged=logged,
        topics=topics,
        session_timeout_ms=session_timeout_ms,
        clock_ms=clocks.precision.ms,
        origin=origin,
        ended=ended,
    )
    run = _write(store, _run_info(reading, name, origin), world, known, _summary(known, clocks, builder))
    return ImportResult(run, builder.notes, tuple(remarks))


def _growths(
    reading: Reading,
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    topics: Mapping[str, int],
    changed: Sequence[Change],
    index: Index,
    builder: FactBuilder,
) -> list[Growth]:
    """Topics that grew or were created: as a client noticed, an assignment shows, or Connect's config topic says."""
    shown = [
        *topic_growths(reading.topic, rows[0].at),
        *planned_growths(builder.facts(), index, {*reading.topic, *index.workers}),
        *unit_growths(changed, rows),
    ]
    return add_growths(rows, clients, named_partitions(index, topics), index, builder, shown)


def _summary(known: Imported, clocks: ClockCheck, builder: FactBuilder) -> dict[str, object]:
    """What was read, and what the logs do not tell, for the run's summary."""
    unlogged = unlogged_members(known.rows, known.clients, known.index, known.reading.topic)
    doubts = [_since(doubt, known.origin) for doubt in find_doubts(known, unlogged, builder)]
    reasons = _only_workers(known.index) or [
        *clocks.unbounded,
        *_reasons(known, builder),
        *unlogged.values(),
        *_edges(known),
    ]
    gaps = log_gaps(reasons, doubts, new_groups(known.rows), clocks.precision)
    timeless = [*times_in_doubt(known.reading), *clocks.unbounded]
    gaps |= unbounded(timeless)
    if not timeless and (reasons or any(not doubt.inexact for doubt in doubts)):
        gaps |= by_account(proved(known, clocks))
    return _read(known.reading, builder) | gaps | given({"session.timeout.ms": known.session_timeout_ms})


def _reasons(known: Imported, builder: FactBuilder) -> list[str]:
    """Why no total can be taken from what was read."""
    why = unsupported(known.reading, known.rows, known.clients, known.index, known.topics.keys())
    return [*why, *builder.doubts]


def _only_workers(index: Index) -> list[str]:
    """Why there is no total, where the members of every group share no partitions, and no line says what they run."""
    if not {group for group in index.workers if not index.topics[group]} >= set(index.groups()):
        return []
    return [
        f'group "{group}" is of {workers}, {_NO_UNITS[workers]}' for group, workers in sorted(index.workers.items())
    ]


def _edges(known: Imported) -> list[str]:
    """That logs begin or end in the middle of a rebalance; not of clients whose logs are known to end early."""
    consumer = known.index.consumer_groups
    whole = [client.process for client in known.clients if not known.logged.ends_early(client)]
    return [*begun_before(known.rows, consumer), *unfinished(known.rows, whole, known.deaths, consumer)]


def _in_one_order(
    reading: Reading, clocks: ClockCheck, signs: SignsOfLife, builder: FactBuilder
) -> tuple[list[TimedRow], list[str]]:
    """The rows that are used, by one clock, and remarks. Raises LogError if none is about a group."""
    rows, remarks = merged(*order_rows(with_failed_tasks(reading), clocks.corrections), signs)
    rows = with_units(rows)
    used = (timed for timed in rows if timed.row.group is not None or timed.row.kind in _KINDS_WITHOUT_GROUP)
    rows = with_instances_settings(list(used))
    if not any(timed.row.group for timed in rows):
        raise LogError(f"{listed(reading.origins or reading.files)}: {nothing_to_import(reading)}")
    remarks += [*clocks.off, *reading.notes, *unrelated_logs(rows), *reading.damage, *remarks_on_asked(reading)]
    return with_coordinators_steps(with_partitions(rows, builder)), remarks


def _read(reading: Reading, builder: FactBuilder) -> dict[str, object]:
    """What was read, for the run's summary."""
    return {"notes": list(builder.notes), "lines": reading.counts.lines, "rows": len(reading.rows)}


def _span(
    rows: Sequence[TimedRow], facts: Sequence[PendingFact], reading: Reading, clocks: ClockCheck
) -> tuple[int, int]:
    """When the first row about a group is, and when the last of all logs ends."""
    ends = [instant(end) + clocks.corrections.get(file, 0) for file, end in reading.ends.items()]
    begins = min([rows[0].at, *(first.at for first in facts[:1])])
    return begins, max([rows[-1].at, *ends, *(last.at for last in facts[-1:])])


def _since(doubt: Doubt, origin: int) -> Doubt:
    """The doubt with times from the run's start."""
    return msgspec.structs.replace(doubt, from_ms=max(0, doubt.from_ms - origin), to_ms=doubt.to_ms - origin)


def _add_facts(rows: Sequence[TimedRow], index: Index, builder: FactBuilder, reading: Reading) -> list[ClientFacts]:
    """All facts of the rows: of the coordinators, of the clients, and those that are inferred; the clients."""
    classic = index.broker_groups - index.consumer_groups
    _take(rows, {group: CoordinatorFacts(group, index, builder) for group in sorted(classic)})
    clients = [ClientFacts(process, index, builder) for process in split_by_process(rows, builder, reading.streams)]
    for client in clients:
        client.doubts += add_steps(client.process, index)
        index.note_callback(client.process.group, client.shortest_callback_ms())
    for client in clients:
        client.write()
    consumer = sorted(index.broker_groups & index.consumer_groups)
    _take(rows, {group: ConsumerGroupFacts(group, index, builder, rows) for group in consumer})
    for group in sorted(index.client_groups - index.broker_groups):
        ClientsOnlyFacts(group, index, builder).write(rows)
    return clients


def _take(rows: Sequence[TimedRow], coordinators: Mapping[str, CoordinatorFacts]) -> None:
    """The facts of these groups' coordinators, from the rows of brokers."""
    for position, timed in enumerate(rows):
        coordinator = coordinators.get(timed.row.group or "")
        if coordinator is not None and is_broker(timed.row):
            coordinator.take(position, timed)
    for coordinator in coordinators.values():
        coordinator.finish()


def _run_info(reading: Reading, name: str | None, origin: int) -> RunInfo:
    return RunInfo(
        id=uuid.uuid4().hex[:12],
        name=name or _name(reading.origins or reading.files),
        source=RunSource.RECORDED,
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        origin=iso(origin),
        params={f"log.{number}": file for number, file in enumerate(reading.origins or reading.files)},
    )


def _name(files: Sequence[str]) -> str:
    """The folder's name for several files of one folder, else the first file's without its extensions."""
    folders = {PurePath(file).parent.name for file in files}
    if len(files) > 1 and len(folders) == 1 and (folder := folders.pop()):
        return folder
    name = PurePath(files[0]).name
    return _EXTENSIONS.sub("", name.split(".log")[0]) or name


def _write(
    store: EventStore, info: RunInfo, world: Sequence[Event], known: Imported, summary: dict[str, object]
) -> RunInfo:
    """The run in the store, whole or not at all: the world first, then the facts of the rows, in order."""
    held = MemoryStore()
    writer = held.begin(info)
    for event in world:
        writer.append(0, WORLD_STREAM, [event])
    for fact in known.facts:
        writer.append(fact.at - known.origin, fact.stream, [fact.event], fact.source)
    ended_ms = known.ended - known.origin
    writer.append(ended_ms, WORLD_STREAM, [RunEnded(status="finished")])
    whole = writer.finish(RunStatus.FINISHED, ended_ms, summary)
    return store.import_run(whole, held.rows(whole.id))
