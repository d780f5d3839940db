"""A log written by hand: facts at instants, and the usual sequences of a consumer's life in one line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.analysis.availability.intervals import Interval, intervals
from groupsim.analysis.group_state import AnyGroupState
from groupsim.analysis.replay import fold, replayed
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import NETWORK_STREAM, WORLD_STREAM, Event, Recorded, group_stream, process_stream
from groupsim.events.types import Partitions, Protocol, Subscription, TopicPartition
from groupsim.events.world import GroupDeclared, RunEnded, TopicCreated

GROUP = "billing"
TOPIC = "orders"


def tps(*numbers: int) -> Partitions:
    """Partitions of the one topic."""
    return tuple(TopicPartition(TOPIC, n) for n in numbers)


def offsets(*numbers: int, at: int = 0) -> tuple[tuple[str, int, int], ...]:
    """The same offset for each of these partitions."""
    return tuple((TOPIC, n, at) for n in numbers)


def offer(name: str = "range") -> tuple[Protocol, ...]:
    """One assignor with a subscription to the topic."""
    return (Protocol(name, Subscription(topics=(TOPIC,))),)


def replay(facts: Iterable[Recorded], until_ms: int | None = None) -> dict[str, Any]:
    """All groups after the facts up to an instant, folded one after the other."""
    states: dict[str, AnyGroupState] = {}
    for fact in facts:
        if until_ms is None or fact.at_ms <= until_ms:
            fold(states, fact)
    return replayed(states)


class Log:
    """Collects facts; `member` ids are the process's name with `-id` behind it."""

    def __init__(self, partitions: int = 2, *, source: str | None = None) -> None:
        self.facts: list[Recorded] = []
        self.source = source
        self._versions: dict[str, int] = {}
        if source is None:
            self.world(0, TopicCreated(topic=TOPIC, partitions=partitions))
            self.world(0, GroupDeclared(group=GROUP, protocol="classic", topics=(TOPIC,)))

    def add(self, at_ms: int, stream: str, *events: Event) -> Log:
        for event in events:
            version = self._versions.get(stream, 0)
            self._versions[stream] = version + 1
            fact = Recorded("r", len(self.facts), at_ms, stream, version, event, self.source)
            self.facts.append(fact)
        return self

    def world(self, at_ms: int, *events: Event) -> Log:
        return self.add(at_ms, WORLD_STREAM, *events)

    def network(self, at_ms: int, *events: Event) -> Log:
        return self.add(at_ms, NETWORK_STREAM, *events)

    def group(self, at_ms: int, *events: Event) -> Log:
        return self.add(at_ms, group_stream(GROUP), *events)

    def client(self, at_ms: int, *events: p.ClientEvent) -> Log:
        for event in events:
            self.add(at_ms, process_stream(GROUP, event.process), event)
        return self

    def start(self, at_ms: int, *names: str) -> Log:
        for x in names:
            self.client(at_ms, p.ProcessStarted(process=x, client_id=x, topics=(TOPIC,)))
        return self

    def added(self, at_ms: int, *names: str, host: bool = True) -> Log:
        for x in names:
            self.group(
                at_ms,
                c.MemberAdded(member=f"{x}-id", client_host=x if host else None, protocols=offer(), request=1),
            )
        return self

    def preparing(self, at_ms: int, old: int, cause: str = "member-joined", member: str | None = None) -> Log:
        about = f"{member}-id" if member else None
        return self.group(at_ms, c.RebalanceStarted(generation=old, cause=cause, reason=cause, member=about))

    def completing(self, at_ms: int, generation: int, *names: str, absent: tuple[str, ...] = ()) -> Log:
        members = tuple(f"{x}-id" for x in names)
        missing = tuple(f"{x}-id" for x in absent)
        done = c.JoinPhaseCompleted(
            generation=generation, members=members, absent=missing, size=len(names), leader=members[0]
        )
        return self.group(at_ms, done)

    def stored(self, at_ms: int, generation: int, **plan: Partitions) -> Log:
        full = {f"{x.replace('_', '.')}-id": given for x, given in sorted(plan.items())}
        return self.group(at_ms, c.AssignmentStored(generation=generation, assignment=full))

    def asks(self, at_ms: int, *names: str) -> Log:
        for x in names:
            self.client(at_ms, p.JoinSent(process=x, member=f"{x}-id"))
        return self

    def syncs(self, at_ms: int, generation: int, *names: str) -> Log:
        for x in names:
            self.client(at_ms, p.JoinOk(process=x, member=f"{x}-id", generation=generation))
            self.client(at_ms, p.SyncOk(process=x, member=f"{x}-id", generation=generation))
        return self

    def shows(self, at_ms: int, x: str, *numbers: int) -> Log:
        return self.client(at_ms, p.ViewChanged(process=x, partitions=tps(*numbers)))

    def fetches(self, at_ms: int, x: str, *numbers: int) -> Log:
        return self.client(at_ms, p.PositionReady(process=x, offsets=offsets(*numbers)))

    def end(self, at_ms: int) -> Log:
        return self.world(at_ms, RunEnded(status="finished"))

    def intervals(self, number: int | None = None) -> list[Interval]:
        found = intervals(self.facts)
        return [i for i in found if number is None or i.partition == number]

    def labels(self, number: int) -> list[tuple[str, int, int]]:
        """One partition's labels with their instants, neighbours of equal label joined."""
        spans: list[tuple[str, int, int]] = []
        for i in self.intervals(number):
            if spans and spans[-1][0] == i.label:
                spans[-1] = (i.label, spans[-1][1], i.to_ms)
            else:
                spans.append((i.label, i.from_ms, i.to_ms))
        return spans


def serving_pair(*, b: tuple[int, ...] = (1,)) -> Log:
    """Processes a and b serve partitions 0 and 1 from 100 on, in generation 1."""
    log = Log().start(0, "a", "b").added(10, "a", "b").preparing(10, 0)
    log.completing(20, 1, "a", "b").stored(30, 1, a=tps(0), b=tps(*b)).syncs(40, 1, "a", "b")
    log.shows(50, "a", 0).shows(50, "b", *b)
    return log.fetches(100, "a", 0).fetches(100, "b", *b)
