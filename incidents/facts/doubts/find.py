"""`find_doubts`: all time of which logs do not tell which partitions were available, with sentences that say why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from groupsim.events.client import Crashed
from groupsim.incidents.facts.builder import FactBuilder, PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.deaths import Deaths, Stop
from groupsim.incidents.facts.doubts.missing_logs import unnamed_topics
from groupsim.incidents.facts.doubts.not_shown import not_shown
from groupsim.incidents.facts.doubts.ownership import Ownership
from groupsim.incidents.facts.doubts.short_stops import short_stops
from groupsim.incidents.facts.doubts.silent import (
    fell_silent,
    lost_after_silence,
    removed_in_callback,
    removed_without_log,
    started_again,
)
from groupsim.incidents.facts.doubts.storing import given_to_others, not_heard, perhaps_stored, stored_between
from groupsim.incidents.facts.doubts.topic import ended_early, topic_doubts
from groupsim.incidents.facts.growth import Growth
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.offsets_members import Logged
from groupsim.incidents.facts.typed_fields import pairs
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant, iso
from groupsim.incidents.offsets_topic.signs_of_life import SignsOfLife
from groupsim.storage.log_gaps import Doubt


@dataclass(frozen=True, slots=True)
class Imported:
    """What is known when all facts are written. Times are UTC milliseconds since 1970: the run is from `origin` on.

    `ended`: when the last of all logs ends. `removed`: the time of connectors that were removed; `silent`: of groups of
    which brokers' logs have gaps. `clock_ms`: so far times of two logs may be off. `signs`: what `__consumer_offsets`
    shows of members that ran; `logged`: which of them have a log. `topics`, `session_timeout_ms`: what the user says.
    """

    reading: Reading
    rows: Sequence[TimedRow]
    clients: Sequence[ClientFacts]
    index: Index
    facts: Sequence[PendingFact]
    deaths: Deaths
    stops: Sequence[Stop]
    growths: Sequence[Growth]
    removed: Sequence[Doubt]
    silent: Sequence[Doubt]
    signs: SignsOfLife
    logged: Logged
    topics: Mapping[str, int]
    session_timeout_ms: int | None
    clock_ms: int
    origin: int
    ended: int


def find_doubts(known: Imported, unlogged: Mapping[str, str], builder: FactBuilder) -> list[Doubt]:
    """All doubtful time, in UTC milliseconds. `unlogged`: by group, why all of its time is.

    Notes on what `__consumer_offsets` leaves open go to the builder.
    """
    topic, owned = known.reading.topic, Ownership(known.facts)
    return [
        *_of_members(known, owned),
        *topic_doubts(known.reading, known.logged, known.origin, known.ended, builder),
        *ended_early(known.facts, known.clients, topic, known.ended),
        *_inexact_stops(known.stops, owned),
        *short_stops(
            known.facts,
            known.clients,
            known.index,
            owned,
            known.session_timeout_ms,
            known.signs,
            known.clock_ms,
            builder,
        ),
        *(growth.doubt() for growth in known.growths if growth.since < growth.at),
        *known.removed,
        *(doubt for client in known.clients for doubt in client.doubts),
        *_cut_while_restoring(known),
        *(Doubt(group, known.origin, known.ended, None, why, own_word=True) for group, why in unlogged.items()),
        *unnamed_topics(known.index, known.topics, known.origin, known.ended),
        *not_shown(
            known.facts,
            known.clients,
            owned,
            known.index,
            topic,
            known.rows,
            known.clock_ms,
            known.origin,
            known.ended,
        ),
    ]


def _cut_while_restoring(known: Imported) -> Iterator[Doubt]:
    """Of tasks of Kafka Streams in logs that end before others do; a process that died runs none."""
    dead = {fact.event.process for fact in known.facts if isinstance(fact.event, Crashed)}
    for client in known.clients:
        if client.process.name not in dead:
            end = known.reading.ends.get(client.process.file)
            last = client.process.last if end is None else max(client.process.last, instant(end))
            yield from client.cut_while_restoring(last, known.ended)


def _of_members(known: Imported, owned: Ownership) -> Iterator[Doubt]:
    """Of members that fell silent or lost what they had, and of assignments that were stored at an unknown time.

    Of groups in `__consumer_offsets`, the topic has all that was in force, and what its members held.
    """
    rows, clients, index, signs = known.rows, known.clients, known.index, known.signs
    topic, session_ms = known.reading.topic, known.session_timeout_ms
    covered = index.broker_groups | topic.keys()
    yield from fell_silent(rows, clients, owned, signs)
    yield from started_again(clients, index, known.deaths, session_ms, signs)
    yield from removed_without_log(rows, clients, index, owned, session_ms, topic)
    yield from (doubt for doubt in known.silent if doubt.group not in topic)
    yield from removed_in_callback(clients, owned, covered)
    yield from stored_between(rows, index, owned, covered)
    yield from given_to_others(clients, owned)
    yield from not_heard(clients, owned)
    yield from perhaps_stored(rows, index, owned, covered)
    yield from lost_after_silence(clients, owned, covered, session_ms)


def _inexact_stops(stops: Iterable[Stop], owned: Ownership) -> Iterator[Doubt]:
    """When processes died or froze of which the logs only show that they did, in bounds."""
    for stop in stops:
        held = owned.at_its_stop.get((stop.group, stop.process, stop.at), ())
        between = f"between {iso(stop.from_ms)} and {iso(stop.to_ms)}"
        why = f"{stop.process} stopped {between}; no log shows when"
        if stop.ran:
            held = owned.held(stop.group, stop.process, stop.from_ms, stop.to_ms)
            why = f"the coordinator did not hear {stop.process} {between}; no log shows whether it served"
        if held and stop.from_ms < stop.to_ms:
            yield Doubt(stop.group, stop.from_ms, stop.to_ms, pairs(held), why, inexact=True)
