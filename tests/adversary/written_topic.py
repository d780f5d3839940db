"""Drawn runs as `__consumer_offsets` in three forms, read again: each record, and what they say of the group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from groupsim.analysis.availability.intervals import intervals
from groupsim.events import classic as c
from groupsim.events.base import Recorded
from groupsim.events.world import TopicCreated
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.reader import TopicReader, sort_out
from groupsim.incidents.offsets_topic.reading import read_topic
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.adversary.called import Finding
from tests.adversary.damaged_files import emptied
from tests.adversary.topic_files import CONSOLE, DUMP, SEGMENT, Style, Written, topic_id, write
from tests.adversary.topic_truth import said_differs
from tests.incidents.drawn_groups import GROUP, drawn, simulated
from tests.incidents.offsets_topic.segment_files import fields
from tests.incidents.offsets_topic.simulated_topic import steps
from tests.incidents.offsets_topic.truth import clipped, measure
from tests.incidents.written_logs import BEGINS_MS

_MOST_FACTS = 4_000


def topic(rng: Random, folder: Path) -> None:
    """One run, of either protocol. Bounds are held against classic groups only: the swarm freezes and cuts off members
    for times that leave nothing in the topic."""
    seed = rng.randrange(1_000_000)
    if rng.random() < 0.5:
        settings = {"classic_share": "0", "faults": str(rng.randint(2, 10))}
        settings |= {name: str(rng.choice((0, 0.4))) for name in ("static_share", "pattern_share")}
        facts, static, what = _swarm(seed, settings), False, f"consumer_swarm seed {seed} {settings}"
    else:
        group = drawn(seed)
        seen = [each for each in group.faults if each.kind != "freeze" or each.lasts_ms > group.session_ms]
        facts, static, what = simulated(replace(group, faults=tuple(seen))), group.static > 0, f"drawn group {seed}"
    if len(facts) > _MOST_FACTS:
        return
    style = Style(rng, static)
    written = write(rng, steps(facts, GROUP), style, emptied(folder / "written-topic"))
    if not written.records:
        return
    for sentence in _differences(facts, written, bounds=not what.startswith("consumer")):
        raise Finding(f"{what}, versions {style.versions}, {style.codec}: {sentence}")


def _swarm(seed: int, settings: dict[str, str]) -> list[Recorded]:
    store = MemoryStore()
    result = run(catalogue.find("consumer_swarm"), store, seed=seed, settings=settings, record="facts")
    return list(store.read(result.info.id))


def _differences(facts: Sequence[Recorded], written: Written, *, bounds: bool) -> Iterator[str]:
    for form in (SEGMENT, DUMP, CONSOLE):
        yield from (f"{form}: {each}" for each in _records_differ(form, written))
    if written.lost:
        return
    histories = {form: _history(form, written) for form in (SEGMENT, DUMP)}
    one, other = (_shown(histories[form]) for form in (SEGMENT, DUMP))
    for name, mine in one.items():
        if mine != other[name]:
            yield f"{name}: {mine} by the segment, {other[name]} by the dump"
    topics = {fact.event.topic for fact in facts if isinstance(fact.event, TopicCreated)}
    yield from said_differs(facts, histories[SEGMENT], {topic_id(topic): topic for topic in topics})
    if bounds:
        yield from _out_of_bounds(facts, written)


def _records_differ(form: str, written: Written) -> Iterator[str]:
    """Every record is read as it was written, or it is counted."""
    reader = TopicReader(sort_out([written.files[form]]).topic)
    found = list(reader)
    left_out = {SEGMENT: written.lost, CONSOLE: written.timeless}.get(form, set())
    unread = written.unread[form] + (len(written.timeless) if form == CONSOLE else 0)
    theirs = [each for each in written.records if each.offset not in left_out]
    front = 3 if form == CONSOLE else 0  # formatters print neither offsets nor times
    mine = [fields(each)[front:] for each in found]
    for count, (one, other) in enumerate(zip(mine, [fields(each)[front:] for each in theirs], strict=False)):
        if one != other:
            yield f"record {count} is read as {one}, was written as {other}"
            return
    if len(mine) != len(theirs) or reader.unknown.total() != unread:
        yield (
            f"{len(mine)} records are read and {reader.unknown.total()} counted,"
            f" of {len(theirs)} and {unread}: {dict(reader.unknown)}"
        )
    if unread and f"{unread:,} record" not in " ".join(reader.notes()):
        yield f"{unread} records could not be used; said is {reader.notes()}"
    yield from _damage_differs(form, written, reader.damage)


def _damage_differs(form: str, written: Written, said: Sequence[str]) -> Iterator[str]:
    """Each damaged place is named, or how many lines are broken; else nothing is."""
    expected = list[str]()
    if form == SEGMENT:
        expected = [f"position {at:,}" for at in written.damaged_at]
    elif form == DUMP and written.broken_lines:
        more = written.broken_lines - 1
        expected = [f" and {more:,} more lines can't be read" if more else " can't be read"]
    if len(said) != len(expected) or not all(one in other for one, other in zip(expected, said, strict=True)):
        yield f"damage is {expected}; said is {said}"


def _history(form: str, written: Written) -> GroupHistory:
    return read_topic(sort_out([written.files[form]]).topic, frozenset([GROUP])).groups[GROUP]


def _shown(history: GroupHistory) -> dict[str, object]:
    """What is read of a group, without the places."""
    ledger = history.ledger
    return {
        "steps": [each._replace(place="") for each in ledger.said],
        "commits": [each._replace(place="") for each in history.commits],
        "holdings": ledger.holdings,
        "notes": list(ledger.notes),
        "members": {
            name: (each.client, each.host, each.instance, each.topics, each.since_ms, each.gone_ms)
            for name, each in ledger.memberships.items()
        },
    }


def _out_of_bounds(facts: Sequence[Recorded], written: Written) -> Iterator[str]:
    """The true unavailable time since the first assignment is within what is said."""
    first = next((fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored)), None)
    if first is None:
        return
    end = facts[-1].at_ms
    true = sum(each.duration_ms for each in clipped(intervals(facts), first, end) if each.unavailable)
    found, _ = measure([written.files[SEGMENT]], GROUP, BEGINS_MS + end, (BEGINS_MS + first, BEGINS_MS + end))
    least, most = found.rests_on.at_least_ms, found.rests_on.at_most_ms
    if least > true or (most is not None and most < true):
        yield f"between {least} and {most} partition-ms, in truth {true}"
