"""Partitions of consumer groups that nobody takes for longer than a coordinator needs to hand them over.

A member whose log has ended may have had them: nothing else tells that the log is cut off and the member goes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from groupsim.events import client, consumer
from groupsim.events.base import group_of
from groupsim.events.types import TopicPartition
from groupsim.incidents.default_settings import CONSUMER_HEARTBEAT_MS
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.doubts.history import EXPORT, History
from groupsim.incidents.facts.settings import HEARTBEAT_INTERVAL, consumer_settings
from groupsim.incidents.facts.typed_fields import pairs
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import REACTS_MS
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.numbers import counted

Span = tuple[int, int]


def left_free(
    facts: Sequence[PendingFact],
    clients: Sequence[ClientFacts],
    history: History,
    groups: Iterable[str],
    off_ms: int,
    ended: int,
) -> Iterator[Doubt]:
    """Doubts about partitions that were free after a member's log had ended, of these groups.

    `off_ms`: so far times of two logs may be off.
    """
    of_group: dict[str, tuple[list[PendingFact], list[ClientFacts]]] = {group: ([], []) for group in sorted(groups)}
    for fact in facts:
        group = group_of(fact.stream)
        if group in of_group:
            of_group[group][0].append(fact)
    for logged in clients:
        if logged.process.group in of_group:
            of_group[logged.process.group][1].append(logged)
    for group, (own, members) in of_group.items():
        free = _free(own, members, group, history, ended)
        for logged in members:
            if free and not logged.process.out:
                yield from _may_have_had(logged, free, history, off_ms, ended)


def _may_have_had(
    logged: ClientFacts, free: Mapping[TopicPartition, Sequence[Span]], history: History, off_ms: int, ended: int
) -> Iterator[Doubt]:
    process = logged.process
    interval = consumer_settings(process).get(HEARTBEAT_INTERVAL)
    least = off_ms + REACTS_MS + (interval if isinstance(interval, int) else CONSUMER_HEARTBEAT_MS)
    until = history.end(logged, process.last, ended)
    free_in: dict[Span, list[TopicPartition]] = defaultdict(list)
    for partition, spans in free.items():
        for begin, end in spans:
            since, to = max(begin, process.last), min(end, until)
            if to - since > least:
                free_in[since, to].append(partition)
    for (since, to), partitions in free_in.items():
        why = (
            f"{process.file}: its log ends at {iso(process.last)}, and nobody's shows who had"
            f" {counted(len(partitions), 'partition')} from {iso(since)} to {iso(to)}{EXPORT}"
        )
        yield Doubt(process.group, since, to, pairs(tuple(sorted(partitions))), why)


def _free(
    facts: Sequence[PendingFact], members: Sequence[ClientFacts], group: str, history: History, ended: int
) -> dict[TopicPartition, list[Span]]:
    """When the coordinator could give partitions to anybody: nobody held them, or was to have them; by a group's facts.

    The partitions of a process that stopped are its member's until that is removed. What a member that was removed
    serves on is free.
    """
    ids = {logged.process.name: logged.members for logged in members}
    processes: dict[str, list[str]] = defaultdict(list)
    for name, own in ids.items():
        for member in own:
            processes[member].append(name)
    taken = _Taken()
    for fact in facts:
        at, event = fact.at, fact.event
        match event:
            case consumer.TargetComputed(changed=changed):
                for member, partitions in changed.items():
                    taken.put(("member", member), at, partitions)
            case consumer.ConsumerMemberRemoved(member=member) | consumer.StaticMemberAway(member=member):
                taken.put(("member", member), at, ())
                for process in processes[member]:
                    taken.put(("target", process), at, ())
                    taken.put(("view", process), at, ())
            case client.ViewChanged(process=process, partitions=partitions):
                taken.put(("view", process), at, partitions)
            case client.TargetReceived(process=process, partitions=partitions):
                taken.put(("target", process), at, partitions)
            case client.Crashed(process=process) | client.Closed(process=process):
                gone = at
                if isinstance(event, client.Crashed):
                    removed = history.removed(group, ids.get(process, ()), at)
                    gone = ended if removed is None else removed
                taken.put(("view", process), gone, ())
                taken.put(("target", process), gone, ())
    return taken.gaps(ended)


class _Taken:
    """Which partitions somebody has, or is to have, and when: changes are put in, in the order of time."""

    def __init__(self) -> None:
        self._spans: dict[TopicPartition, list[Span]] = defaultdict(list)
        self._now: dict[tuple[str, str], tuple[int, Sequence[TopicPartition]]] = {}

    def put(self, whose: tuple[str, str], at: int, partitions: Sequence[TopicPartition]) -> None:
        """From `at` on these are taken, and what was taken for the same reason before no longer is."""
        since, before = self._now.get(whose, (at, ()))
        for partition in before:
            self._spans[partition].append((since, at))
        self._now[whose] = (at, partitions)

    def gaps(self, ended: int) -> dict[TopicPartition, list[Span]]:
        """The time of partitions between when they were first taken and `ended` in which they are not, if any."""
        for whose in list(self._now):
            self.put(whose, ended, ())
        found = ((partition, list(_gaps(spans, ended))) for partition, spans in self._spans.items())
        return {partition: gaps for partition, gaps in found if gaps}


def _gaps(spans: Sequence[Span], ended: int) -> Iterator[Span]:
    reach = min(begin for begin, _ in spans)
    for begin, end in [*sorted(spans), (ended, ended)]:
        if begin > reach:
            yield reach, begin
        reach = max(reach, end)
