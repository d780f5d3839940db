"""Commits, and how far behind the records a group is. Pure Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from groupsim.analysis.availability.labels import Where
from groupsim.analysis.log_coverage import CLIENT
from groupsim.analysis.process_state import Processes
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.world import TopicCreated

COMMITS = {
    "at_ms": "int64",
    "group": "string",
    "process": "string",
    "member": "string",
    "generation": "Int64",
    "topic": "string",
    "partition": "Int64",
    "offset": "Int64",
    "accepted": "bool",
    "error": "string",
    "reported_by": "string",
}
"""One row a partition of a commit that was answered or failed, in order. `offset`: the next one to read. `error`:
Kafka's code, where it was not accepted. `reported_by`: `coordinator`, or `client` where only the process reports it (it
did not send the commit, or had no answer). topic, partition and offset are missing where a refusal does not name
them."""

LAG = {
    "at_ms": "int64",
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "committed": "Int64",
    "produced": "Int64",
    "lag": "Int64",
}
"""One row a partition and instant. `committed`: the offset last accepted, missing before the first. `produced`: how
many records the topic's rate makes up to then (with Poisson arrivals: on average); missing in recorded runs. `lag`:
produced less committed, or less where the group began to read while nothing is committed."""

Row = dict[str, Any]


def commits(facts: Iterable[Recorded]) -> Iterator[Row]:
    """Rows of `COMMITS`."""
    processes: dict[str, Processes] = defaultdict(Processes)
    refused: set[tuple[str, str | None, str]] = set()
    for fact in facts:
        event, group = fact.event, group_of(fact.stream)
        if group is None:
            continue
        if type(event) in CLIENT:
            processes[group].apply(event)  # type: ignore[arg-type]
        elif isinstance(event, CommitAccepted | CommitRefused):
            process = processes[group].of(event.member)
            name = process.id if process is not None else None
            error = None if isinstance(event, CommitAccepted) else event.error
            if error is not None:
                refused.add((group, name, error))
            yield from _rows(
                fact.at_ms, (group, name, event.member or None, event.generation), event.offsets, error, "coordinator"
            )
        elif isinstance(event, p.CommitFailed):
            key = (group, event.process, event.error)
            if key in refused:  # the coordinator has reported it
                refused.discard(key)
                continue
            x = processes[group].all.get(event.process)
            member = (x.member or None) if x is not None else None
            yield from _rows(fact.at_ms, (group, event.process, member, None), event.offsets, event.error, "client")
        else:
            processes[group].register(event)


def _rows(
    at_ms: int,
    who: tuple[str, str | None, str | None, int | None],
    offsets: Sequence[tuple[str, int, int]],
    error: str | None,
    reported_by: str,
) -> Iterator[Row]:
    named: Sequence[tuple[str | None, int | None, int | None]] = offsets or [(None, None, None)]
    for topic, partition, offset in named:
        values = (at_ms, *who, topic, partition, offset, error is None, error, reported_by)
        yield dict(zip(COMMITS, values, strict=True))


def lag(facts: Iterable[Recorded], every_ms: int) -> Iterator[Row]:
    """Rows of `LAG`, one for every partition a group has read, every `every_ms` of simulated time."""
    if every_ms <= 0:
        raise ValueError(f"every_ms must be positive, not {every_ms}")
    rates: dict[str, float] = {}
    began: dict[Where, int] = {}
    committed: dict[Where, int] = {}
    at_ms = 0
    for fact in facts:
        while at_ms < fact.at_ms:
            yield from _levels(at_ms, rates, began, committed)
            at_ms += every_ms
        event, group = fact.event, group_of(fact.stream)
        if isinstance(event, TopicCreated):
            rates[event.topic] = event.rate
        elif isinstance(event, p.PositionReady):
            for topic, partition, offset in event.offsets:
                began.setdefault((group or "", topic, partition), offset)
        elif isinstance(event, CommitAccepted):
            for topic, partition, offset in event.offsets:
                committed[group or "", topic, partition] = offset
    yield from _levels(at_ms, rates, began, committed)


def _levels(at_ms: int, rates: dict[str, float], began: dict[Where, int], committed: dict[Where, int]) -> Iterator[Row]:
    for where in sorted({*began, *committed}):
        rate = rates.get(where[1], 0.0)
        produced = int(rate * at_ms / 1000) if rate else None
        done = committed.get(where, began.get(where))
        behind = None if produced is None or done is None or done < 0 else max(0, produced - done)
        yield dict(zip(LAG, (at_ms, *where, committed.get(where), produced, behind), strict=True))
