"""What a run's facts say of each group's generations and targets, and what one process's log tells of its own."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groupsim.events import classic, client, consumer, group
from groupsim.events.base import Event, group_of
from groupsim.events.types import Plan, TopicPartition
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.processes import GIVES_UP
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.tolerances import NEVER_MS, ONE_STEP_MS

_TELLS = frozenset(
    [
        RowKind.ASSIGNED,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.JOINING,
        RowKind.JOINED,
        RowKind.REBALANCE_FAILED,
        RowKind.POLL_TIMEOUT,
        RowKind.LEAVE_SENT,
    ]
)
_BEFORE_IT_JOINS = frozenset([RowKind.REVOKED, RowKind.JOINING])
EXPORT = (
    "; export such logs whole, from before the incident to their end, with all lines of"
    " org.apache.kafka.clients.consumer,"
    " or all that librdkafka prints with debug=cgrp"
)
INVOKER = " (of a Java client, ConsumerRebalanceListenerInvoker prints what it takes)"


class Generation(NamedTuple):
    """`until`: when the next one was stored, or the group was empty; None: there is no later one."""

    at: int
    number: int
    plan: Plan | None
    until: int | None
    members: AbstractSet[str]


class History:
    """What the facts say of each group: its generations, and when members and processes were gone."""

    def __init__(self, facts: Iterable[PendingFact]) -> None:
        self._stored: dict[str, list[tuple[int, classic.AssignmentStored | None]]] = defaultdict(list)
        self._removed: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._members: dict[tuple[str, int], AbstractSet[str]] = {}
        self._emptied: dict[str, list[int]] = defaultdict(list)
        self._stopped: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._thawed: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._targets: dict[tuple[str, str], list[tuple[int, frozenset[TopicPartition]]]] = defaultdict(list)
        self._generations: dict[str, list[Generation]] = {}
        self._places: dict[str, dict[str, list[int]]] = {}
        for fact in facts:
            name = group_of(fact.stream)
            if name is not None:
                self._apply(fact.at, name, fact.event)

    def _apply(self, at: int, name: str, event: Event) -> None:
        match event:
            case classic.AssignmentStored():
                self._stored[name].append((at, event))
            case group.GroupEmptied():
                self._stored[name].append((at, None))
                self._emptied[name].append(at)
            case consumer.TargetComputed(changed=changed) | consumer.GroupUpgraded(assignment=changed):
                for member, part in changed.items():
                    self._targets[name, member].append((at, frozenset(part)))
            case (
                classic.MemberRemoved(member=member)
                | classic.MemberReplaced(old=member)
                | consumer.ConsumerMemberRemoved(member=member)
                | consumer.StaticMemberReplaced(old=member)
            ):
                self._removed[name, member].append(at)
            case classic.JoinPhaseCompleted(generation=number, members=members, dropped=dropped):
                self._members[name, number] = frozenset(members or ())
                for member in dropped:
                    self._removed[name, member].append(at)
            case client.Crashed(process=process) | client.Closed(process=process) | client.Frozen(process=process):
                self._stopped[name, process].append(at)
            case client.Thawed(process=process):
                self._thawed[name, process].append(at)

    def generations(self, name: str) -> Sequence[Generation]:
        """All that were stored, in order."""
        if name not in self._generations:
            self._generations[name] = list(self._in_order(name))
            places: dict[str, list[int]] = defaultdict(list)
            for nth, generation in enumerate(self._generations[name]):
                for member in {*(generation.plan or ()), *generation.members}:
                    places[member].append(nth)
            self._places[name] = places
        return self._generations[name]

    def generations_of(self, logged: ClientFacts, log: Log) -> Iterator[Generation]:
        """Those that name a process's member, and those without a plan in which it may have been, in order."""
        name, every = logged.process.group, self.generations(logged.process.group)
        own = {nth for member in logged.members for nth in self._places[name].get(member, ())}
        joined = log.joined_from_to()
        if joined is not None:
            first, last, member = joined
            ends = (self._emptied[name], self._removed[name, member])
            until = min(
                (times[place] for times in ends if (place := bisect_right(times, last)) < len(times)), default=None
            )
            begin = bisect_left(every, first, key=lambda generation: generation.at)
            for nth in range(begin, len(every)):
                if until is not None and every[nth].at >= until:
                    break
                if every[nth].plan is None:
                    own.add(nth)
        return (every[nth] for nth in sorted(own))

    def _in_order(self, name: str) -> Iterator[Generation]:
        stored = self._stored[name]
        for nth, (at, event) in enumerate(stored):
            if event is not None:
                until = stored[nth + 1][0] if nth + 1 < len(stored) else None
                members = self._members.get((name, event.generation), frozenset())
                yield Generation(at, event.generation, event.assignment, until, members)

    def grants(self, name: str, member: str, ended: int) -> Iterator[tuple[int, int, TopicPartition]]:
        """From when until when a target of the consumer protocol gave a member a partition."""
        since: dict[TopicPartition, int] = {}
        for at, part in [*self._targets[name, member], (ended, frozenset())]:
            for partition in sorted(since.keys() - part):
                yield since.pop(partition), at, partition
            for partition in part:
                since.setdefault(partition, at)

    def gone(self, logged: ClientFacts, member: str, since: int) -> int | None:
        """When a member was removed, or its process died, froze or was closed, first after an instant."""
        name = logged.process.group
        ends = (self._removed[name, member], self._stopped[name, logged.process.name])
        return min([times[place] for times in ends if (place := bisect_right(times, since)) < len(times)], default=None)

    def end(self, logged: ClientFacts, since: int, ended: int) -> int:
        """When the first of a process's members was gone, at or after an instant; `ended` if none was."""
        ends = (self.gone(logged, member, since - 1) for member in logged.members)
        return min((at for at in ends if at is not None), default=ended)

    def removed(self, name: str, members: Iterable[str], since: int) -> int | None:
        """When the first of these members was removed from a group, at or after an instant."""
        times = (_next(self._removed[name, member], since) for member in members)
        return min((at for at in times if at is not None), default=None)

    def runs(self, logged: ClientFacts, member: str, at: int, joined: int) -> bool:
        """Whether a member that joined a generation at `joined` was still in the group at `at`, and its process ran."""
        name = logged.process.group
        stopped = bisect_right(self._stopped[name, logged.process.name], at)
        thawed = bisect_right(self._thawed[name, logged.process.name], at)
        ended = any(
            bisect_right(times, joined) < bisect_right(times, at)
            for times in (self._emptied[name], self._removed[name, member])
        )
        return not ended and stopped <= thawed


class Log:
    """The lines of one process that tell what it had, asked by instant."""

    def __init__(self, logged: ClientFacts) -> None:
        rows = [timed for _, timed in logged.process.rows]
        self.lines = [timed.at for timed in rows]
        self.tells = [timed.at for timed in rows if timed.row.kind in _TELLS]
        self._takes = [timed.at for timed in rows if timed.row.kind in _TELLS - _BEFORE_IT_JOINS]
        self.leaves = [timed.at for timed in rows if timed.row.kind in GIVES_UP]
        joined = [timed for timed in rows if timed.row.kind == RowKind.JOINED and "generation" in timed.row.detail]
        self._joined = [timed.at for timed in joined]
        self._members = [timed.row.member for timed in joined]
        self._generations: dict[int | None, list[int]] = defaultdict(list)
        for timed in joined:
            self._generations[int_in(timed.row.detail.get("generation"))].append(timed.at)

    def joins(self, generation: Generation) -> int | None:
        """When it says that it joined a generation; it may be a moment after the assignment was stored."""
        near = (at for at in self._generations.get(generation.number, ()) if abs(at - generation.at) < ONE_STEP_MS)
        return next(near, None)

    def joined_from_to(self) -> tuple[int, int, str] | None:
        """When it joined first and last, and as which member the last time; None: never, or nobody knows as which."""
        if not self._joined or (member := self._members[-1]) is None:
            return None if not self._joined else (self._joined[0], NEVER_MS, "")
        return self._joined[0], self._joined[-1], member

    def membership(self, at: int) -> tuple[int, str] | None:
        """When it had last joined at an instant, and as which member; None if it had left since, or never did."""
        place = bisect_right(self._joined, at) - 1
        if place < 0 or (member := self._members[place]) is None:
            return None
        left = bisect_left(self.leaves, self._joined[place]) < bisect_right(self.leaves, at)
        return None if left else (self._joined[place], member)

    def before(self, at: int) -> int:
        """Its last line up to an instant, or the instant, if it has none."""
        place = bisect_right(self.lines, at)
        return self.lines[place - 1] if place else at

    def next_tell(self, at: int) -> int | None:
        """When it next tells what it has."""
        return _next(self.tells, at)

    def next_tell_after(self, generation: Generation, *, soon_ms: int) -> int | None:
        """When it next tells what it has in a generation that it does not say to have joined.

        What it gives up within `soon_ms` is what it had before: clocks may be coarse.
        """
        found = (_next(self._takes, generation.at), _next(self.tells, generation.at + soon_ms))
        return min((at for at in found if at is not None), default=None)


def _next(instants: Sequence[int], at: int) -> int | None:
    place = bisect_left(instants, at)
    return instants[place] if place < len(instants) else None
