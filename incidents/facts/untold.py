"""Generations that a member was in and of which its own log does not tell: it is cut off, filtered, or has lost lines.

A client prints that it joined, and takes or keeps what it is given, or is removed. Where its log shows nothing of it,
nobody knows whether it served what it had: not even that it waited for its partitions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groupsim.events import classic, client, consumer, group
from groupsim.events.base import Event, group_of
from groupsim.events.types import Plan, TopicPartition
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.detail import int_in
from groupsim.incidents.facts.ownership import Ownership, pairs
from groupsim.incidents.logs.times import iso
from groupsim.incidents.sentences import plural
from groupsim.storage.log_gaps import Doubt

_TAKES_MS = 1_000
"""Longer than a client needs from the coordinator's answer until it prints that it takes its partitions."""
_NEAR_MS = 60_000
"""Generation numbers can start over: a line is of one that is no further from it in time."""
_TELLS = frozenset(
    ["assigned", "revoked", "lost", "joining", "joined", "rebalance_failed", "poll_timeout", "leave_sent"]
)
_EXPORT = (
    "; export its log whole, from before the incident to its end, with all lines of org.apache.kafka.clients.consumer"
)
_INVOKER = " (ConsumerRebalanceListenerInvoker prints what it takes), of librdkafka all that it prints with debug=cgrp"


class _Generation(NamedTuple):
    """`until`: when the next one was stored, or the group was empty; None: there is no later one."""

    at: int
    number: int
    plan: Plan | None
    until: int | None


class _History:
    """What the facts say of each group: its generations, and when members and processes were gone."""

    def __init__(self, facts: Iterable[PendingFact]) -> None:
        self._stored: dict[str, list[tuple[int, classic.AssignmentStored | None]]] = defaultdict(list)
        self._removed: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._emptied: dict[str, list[int]] = defaultdict(list)
        self._stopped: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._thawed: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._targets: dict[tuple[str, str], list[tuple[int, frozenset[TopicPartition]]]] = defaultdict(list)
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
            case classic.JoinPhaseCompleted(dropped=dropped):
                for member in dropped:
                    self._removed[name, member].append(at)
            case client.Crashed(process=process) | client.Closed(process=process) | client.Frozen(process=process):
                self._stopped[name, process].append(at)
            case client.Thawed(process=process):
                self._thawed[name, process].append(at)

    def generations(self, name: str) -> Iterator[_Generation]:
        """All that were stored, in order."""
        stored = self._stored[name]
        for nth, (at, event) in enumerate(stored):
            if event is not None:
                until = stored[nth + 1][0] if nth + 1 < len(stored) else None
                yield _Generation(at, event.generation, event.assignment, until)

    def grants(self, name: str, member: str, ended: int) -> Iterator[tuple[int, int, TopicPartition]]:
        """From when until when a target of the consumer protocol gave a member a partition."""
        since: dict[TopicPartition, int] = {}
        for at, part in [*self._targets[name, member], (ended, frozenset())]:
            for partition in sorted(since.keys() - part):
                yield since.pop(partition), at, partition
            for partition in part:
                since.setdefault(partition, at)

    def gone(self, each: ClientFacts, member: str, since: int) -> int | None:
        """When a member was removed, or its process died, froze or was closed, first after an instant."""
        name = each.process.group
        ends = (self._removed[name, member], self._stopped[name, each.process.name])
        return min([times[place] for times in ends if (place := bisect_right(times, since)) < len(times)], default=None)

    def runs(self, each: ClientFacts, member: str, at: int, joined: int) -> bool:
        """Whether a member that joined a generation at `joined` was still in the group at `at`, and its process ran."""
        name = each.process.group
        stopped = bisect_right(self._stopped[name, each.process.name], at)
        thawed = bisect_right(self._thawed[name, each.process.name], at)
        ended = any(
            bisect_right(times, joined) < bisect_right(times, at)
            for times in (self._emptied[name], self._removed[name, member])
        )
        return not ended and stopped <= thawed


class _Log:
    """The lines of one process that tell what it had, asked by instant."""

    def __init__(self, each: ClientFacts) -> None:
        rows = [timed for _, timed in each.process.rows]
        self.lines = [timed.at for timed in rows]
        self.tells = [timed.at for timed in rows if timed.row.kind in _TELLS]
        self.leaves = [timed.at for timed in rows if timed.row.kind in ("leave_sent", "poll_timeout")]
        joined = [timed for timed in rows if timed.row.kind == "joined" and "generation" in timed.row.detail]
        self._joined = [timed.at for timed in joined]
        self._members = [timed.row.member for timed in joined]
        self._generations: dict[int | None, list[int]] = defaultdict(list)
        for timed in joined:
            self._generations[int_in(timed.row.detail.get("generation"))].append(timed.at)

    def joins(self, generation: _Generation) -> int | None:
        """When it says that it joined a generation; it may be a moment after the assignment was stored."""
        near = (at for at in self._generations.get(generation.number, ()) if abs(at - generation.at) < _NEAR_MS)
        return next(near, None)

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
        place = bisect_left(self.tells, at)
        return self.tells[place] if place < len(self.tells) else None


def untold(
    facts: Sequence[PendingFact],
    clients: Sequence[ClientFacts],
    owned: Ownership,
    consumer_groups: AbstractSet[str],
    topic: Mapping[str, object],
    ended: int,
) -> Iterator[Doubt]:
    """Doubts about what members had in generations of which their logs do not tell. Not of groups in `topic`.

    `__consumer_offsets` tells what they had. In groups of the consumer protocol no line is due in each epoch: there the
    targets count.
    """
    history = _History(facts)
    for each in clients:
        name = each.process.group
        if name in topic:
            continue
        log = _Log(each)
        if name in consumer_groups:
            yield from _targets_untold(each, log, history, owned, ended)
            continue
        for generation in history.generations(name):
            found = _missed(each, log, generation, history, owned, ended)
            found = found or _not_taken(each, log, generation, history, owned, ended)
            if found is not None:
                yield found


def _missed(
    each: ClientFacts, log: _Log, generation: _Generation, history: _History, owned: Ownership, ended: int
) -> Doubt | None:
    """What a member had from its last line on, if it has no line of joining a generation that it was in."""
    membership = log.membership(generation.at)
    if membership is None or log.joins(generation) is not None:
        return None
    joined, member = membership
    since, name = log.before(generation.at), each.process.name
    if generation.at - joined < _TAKES_MS or not history.runs(each, member, generation.at, joined):
        return None
    if generation.plan is not None and member not in generation.plan:
        return None
    until = _first(log.next_tell(generation.at), history.gone(each, member, generation.at), generation.until, ended)
    which = None
    if generation.plan is not None:
        which = pairs(tuple(sorted({*owned.held(each.process.group, name, since, since), *generation.plan[member]})))
    why = (
        f"{each.process.file}: {name} was in generation {generation.number}, at {iso(generation.at)}, by the broker's"
        f" log, and its own says nothing of it, nor what it had since {iso(since)}" + _EXPORT
    )
    return _doubt(each, since, until, which, why)


def _not_taken(
    each: ClientFacts, log: _Log, generation: _Generation, history: _History, owned: Ownership, ended: int
) -> Doubt | None:
    """What a member was given in a generation, if its log does not show that it took it before it next tells more."""
    plan = generation.plan or {}
    member = next((member for member in each.members if member in plan), None)
    if member is None:
        return None
    group_id, name, at = each.process.group, each.process.name, generation.at
    gone = history.gone(each, member, at)
    until = _first(generation.until, gone, None, ended)
    held = owned.held(group_id, name, at, until - 1)
    if log.lines[0] - at > _TAKES_MS:  # its log begins later
        held, until = (), min(until, log.lines[0])
    missing = tuple(tp for tp in plan[member] if tp not in held)
    if not missing or not history.runs(each, member, at, at - 1):
        return None
    until = min(until, log.next_tell(1 + max(at, log.joins(generation) or at)) or until)
    if until - at <= _TAKES_MS:
        return None
    why = (
        f"{each.process.file}: {name} was given {plural(len(missing), 'partition')} at {iso(at)}, and its log shows"
        " neither that it took them nor that it could not" + _EXPORT + _INVOKER
    )
    return _doubt(each, at, until, pairs(missing), why)


def _targets_untold(each: ClientFacts, log: _Log, history: _History, owned: Ownership, ended: int) -> Iterator[Doubt]:
    """What targets of the consumer protocol gave a member, before its log begins, or if it never shows that it took it.

    It is not the member's yet while another one has it.
    """
    found: dict[tuple[int, int], list[TopicPartition]] = defaultdict(list)
    group_id, name = each.process.group, each.process.name
    for member in sorted(each.members):
        for at, to, partition in history.grants(group_id, member, ended):
            until = min(to, history.gone(each, member, at) or to)
            if partition in owned.held(group_id, name, at, until - 1):
                until = min(until, log.lines[0])
            if until - at <= _TAKES_MS:
                continue
            since = max([at, *owned.freed(group_id, name, partition, at, until)])
            if until - since > _TAKES_MS and not owned.others_hold(group_id, name, partition, until - 1):
                found[since, until].append(partition)
    for (since, until), partitions in found.items():
        why = (
            f"{each.process.file}: {name} was to have {plural(len(partitions), 'partition')} from {iso(since)} on, and"
            " its log shows neither that it took them nor that it could not" + _EXPORT + _INVOKER
        )
        yield Doubt(group_id, since, until, pairs(tuple(sorted(partitions))), why)


def _first(one: int | None, two: int | None, three: int | None, ended: int) -> int:
    return min(at for at in (one, two, three, ended) if at is not None)


def _doubt(
    each: ClientFacts, since: int, until: int, which: tuple[tuple[str, int], ...] | None, why: str
) -> Doubt | None:
    if since >= until or which == ():
        return None
    return Doubt(each.process.group, since, until, which, why, own_word=which is None)
