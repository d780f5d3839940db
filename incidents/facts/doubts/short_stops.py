"""Processes that were stopped for less than their session: only a heartbeat that was due meanwhile shows it.

Such a process (a pause of the garbage collector, SIGSTOP, a suspended machine) is not removed, and when it goes on it
writes nothing of it. Two things show it all the same:

- It heard of a rebalance later than at its next heartbeat. A Java consumer and kafka-python have a thread for
  heartbeats, which prints that answer at once, however long the application works on a batch (Kafka:
  AbstractCoordinator.HeartbeatResponseHandler). Measured: of 3,572 answers in recordings, none came more than 317 ms
  later than an interval after the rebalance began; of six processes that were stopped for longer, all.
- Its log has each heartbeat (debug=cgrp of librdkafka), and one is missing.

A process that was only cut off from its coordinator looks the same, and may have served. So the time is in doubt: from
its last line, or its session before, until it was heard again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from groupsim.events.base import group_of
from groupsim.events.classic import RebalanceStarted
from groupsim.events.types import RejoinCause
from groupsim.incidents.default_settings import SESSION_MS
from groupsim.incidents.facts.builder import FactBuilder, PendingFact
from groupsim.incidents.facts.causes import rejoin_cause
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.doubts.ownership import Ownership
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.processes import GIVES_UP, ProcessLog
from groupsim.incidents.facts.settings import Session, session_of, settings_of
from groupsim.incidents.facts.typed_fields import int_in, pairs, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.signs_of_life import SignsOfLife
from groupsim.incidents.tolerances import REACTS_MS
from groupsim.storage.log_gaps import Doubt

_OWN_THREAD = frozenset([Program.JAVA, Program.KAFKA_PYTHON])
_BEATS = frozenset([RowKind.HEARTBEAT_SENT, RowKind.CONSUMER_HEARTBEAT])
_CAUSES = (
    "it was stopped (a pause of the garbage collector or of its machine), or cut off from the coordinator; no log shows"
    " since when, nor whether it served meanwhile"
)

Begins = Mapping[tuple[str, int], Sequence[int]]
"""When rebalances began, by group and old generation."""


class _Silence(NamedTuple):
    """Between two lines of a process, UTC milliseconds; `what` is missing in it, as the middle of a sentence."""

    from_ms: int
    to_ms: int
    what: str


def short_stops(
    facts: Iterable[PendingFact],
    clients: Sequence[ClientFacts],
    index: Index,
    owned: Ownership,
    session_timeout_ms: int | None,
    signs: SignsOfLife,
    off_ms: int,
    builder: FactBuilder,
) -> Iterator[Doubt]:
    """What such processes held while they were silent, with a note on each. `off_ms`: so far times of two logs may be
    off.
    """
    begins = _begins(facts)
    for client in clients:
        process = client.process
        session = session_of(process, index, session_timeout_ms)
        interval_ms = _interval_ms(process, session)
        silences = [
            *_heard_late(process, begins, interval_ms + REACTS_MS + off_ms),
            *_missing_heartbeats(process, interval_ms, session.known_ms or SESSION_MS),
        ]
        for since, until, what in silences:
            shown = signs.last(process.group, client.members, until) or 0
            since = max(since, shown, 0 if session.known_ms is None else until - session.known_ms)
            held = owned.held(process.group, process.name, since, until - 1)
            if held and since < until:
                why = f"{process.name} {what}: {_CAUSES}"
                builder.note(why)
                yield Doubt(process.group, since, until, pairs(held), why, inexact=True)


def _interval_ms(process: ProcessLog, session: Session) -> int:
    """How far apart its heartbeats are: as they show, as some log of the group prints it, or else at most."""
    shown = settings_of(process.rows).get("heartbeat.interval.ms")
    return shown if isinstance(shown, int) and shown > 0 else session.heartbeat_ms


def _begins(facts: Iterable[PendingFact]) -> Begins:
    begins: dict[tuple[str, int], list[int]] = defaultdict(list)
    for fact in facts:
        group = group_of(fact.stream)
        if group is not None and isinstance(fact.event, RebalanceStarted):
            begins[group, fact.event.generation].append(fact.at)
    return begins


def _heard_late(process: ProcessLog, begins: Begins, allowed_ms: int) -> Iterator[_Silence]:
    """The silences at whose end it heard of a rebalance later than it should have."""
    if process.library not in _OWN_THREAD:
        return
    generation: int | None = None
    joined_ms = 0
    for (_, before), (_, timed) in pairwise(process.rows):
        if before.row.kind == RowKind.JOINED:
            generation, joined_ms = int_in(before.row.detail.get("generation")), before.at
        elif before.row.kind in GIVES_UP:
            generation = None
        if generation is None or not _hears(timed.row):
            continue
        began = [at for at in begins.get((process.group, generation), ()) if joined_ms < at <= timed.at]
        if began and timed.at - max(began[-1], before.at) > allowed_ms:
            what = f"heard at {iso(timed.at)} of a rebalance that began at {iso(began[-1])}, later than at a heartbeat"
            yield _Silence(before.at, timed.at, what)


def _hears(row: Row) -> bool:
    """Whether its heartbeat was answered that the group is rebalancing."""
    if row.kind == RowKind.REJOIN_REQUESTED:
        return rejoin_cause(text_in(row.detail.get("reason")) or "") is RejoinCause.GROUP_REBALANCING
    return row.kind == RowKind.HEARTBEAT_SAYS_REBALANCING


def _missing_heartbeats(process: ProcessLog, interval_ms: int, longest_ms: int) -> Iterator[_Silence]:
    """The silences between two heartbeats of one generation in which one was due; not longer ones than a session, in
    which lines are missing.
    """
    last: tuple[int, Row] | None = None
    for (_, before), (_, timed) in pairwise(process.rows):
        if before.row.kind in _BEATS:
            last = before.at, before.row
        if last is None or timed.row.kind is not last[1].kind:
            continue
        same = timed.row.detail.get("generation") == last[1].detail.get("generation")
        late_ms = timed.at - max(last[0] + interval_ms, before.at)
        if same and late_ms > REACTS_MS and timed.at - before.at <= longest_ms:
            what = f"sent no heartbeat between {iso(last[0])} and {iso(timed.at)}"
            yield _Silence(before.at, timed.at, what)
