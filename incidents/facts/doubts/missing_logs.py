"""Logs that are missing: of members, of brokers for some hours, of those who read a topic that the user names.

Time is in doubt where the logs at hand can't make up for that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import int_in, pairs
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted

_ByGroup = Mapping[str, AbstractSet[str]]


def unlogged_members(
    rows: Sequence[TimedRow], clients: Sequence[ClientFacts], index: Index, topic: Mapping[str, GroupHistory]
) -> dict[str, str]:
    """By group: a sentence about those of which not every member is known to have a client log.

    Of the members in `topic`, `__consumer_offsets` says what they held. A member that only a broker names, although
    the topic has all of that time, held nothing (a static member whose instance id another one still owned).

    Of a classic group with a broker's log, what is missing is known: its members count as serving between rebalances.
    A consumer group (KIP-848) has no such time: each member follows its target when it can.
    """
    named, logged = _members(rows, topic)
    joined: dict[str, dict[int, int]] = defaultdict(dict)
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if row.kind == RowKind.JOINED and row.group is not None and generation is not None:
            joined[row.group].setdefault(generation, at)
    found: dict[str, str] = {}
    for group in sorted(index.client_groups & index.broker_groups & index.consumer_groups):
        missing = sorted(named[group] - logged[group])
        if len(missing) > _nameless(clients, group):
            found[group] = (
                f'{counted(len(missing), "member")} of consumer group "{group}" without a client log'
                f" ({listed(missing, 2)}); export the logs of all members"
            )
    for group in sorted((index.broker_groups & index.consumer_groups) - index.client_groups - topic.keys()):
        found[group] = (
            f'a broker\'s log does not show when members of group "{group}" give up or take over partitions;'
            " export the logs of all members"
        )
    for group in sorted(index.client_groups - index.broker_groups):
        plans = [index.plan(group, generation, at) for generation, at in joined[group].items()]
        if group in index.consumer_groups or not plans or None in plans:
            found[group] = (
                f'no broker\'s log of group "{group}" is given, and members without a client log may be in it;'
                " export the broker's log too"
            )
            continue
        missing = sorted(set[str]().union(*(plan.plan for plan in plans if plan is not None)) - logged[group])
        if missing:
            found[group] = (
                f'group "{group}" has {counted(len(missing), "member")} without a log ({listed(missing, 2)}), and no'
                " broker's log is given; export the logs of all members, and the broker's"
            )
    return found


def unnamed_partitions(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    topic: Mapping[str, GroupHistory],
    given: AbstractSet[str],
) -> Iterator[str]:
    """Sentences about classic groups of which there may be partitions that no log names: those of unlogged members.

    Where all are named: by a plan of a leader, by a generation of which every member has a log, by `topic` (what
    `__consumer_offsets` says of groups), or by the user (`given`: the topics whose number of partitions is known).
    """
    named, logged = _members(rows, topic)
    for group in sorted((index.client_groups & index.broker_groups) - index.consumer_groups - topic.keys()):
        missing = sorted(named[group] - logged[group])
        unknown = len(missing) > _nameless(clients, group) and not given >= index.topics[group].keys()
        if unknown and not _all_named(rows, clients, index, group):
            yield (
                f'{counted(len(missing), "member")} of group "{group}" without a client log ({listed(missing, 2)}), and'
                " no log names all partitions; give their number (--topic NAME=PARTITIONS), or export the logs of all"
                " members"
            )


def _members(rows: Sequence[TimedRow], topic: Mapping[str, GroupHistory]) -> tuple[_ByGroup, _ByGroup]:
    """The members that brokers name, and those that `topic` or logs of their own tell of."""
    named, logged = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for group, history in topic.items():
        logged[group].update(history.ledger.memberships)
    for at, row in rows:
        if row.group is not None and row.member is not None and not (is_broker(row) and _covered(topic, row.group, at)):
            (named if is_broker(row) else logged)[row.group].add(row.member)
    return named, logged


def _nameless(clients: Sequence[ClientFacts], group: str) -> int:
    """How many clients of a group do not say which member they are: not every library prints its member id."""
    return sum(each.process.group == group and not each.members for each in clients)


def _all_named(rows: Sequence[TimedRow], clients: Sequence[ClientFacts], index: Index, group: str) -> bool:
    """Whether all members of some generation of a group say what they were given, or its leader does."""
    given = _given(clients, group)
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if (
            row.group != group
            or generation is None
            or row.kind not in (RowKind.STABILIZED, RowKind.LEADER_COMPUTED_ASSIGNMENT)
        ):
            continue
        size = int_in(row.detail.get("members"))
        if row.kind != RowKind.STABILIZED or index.plan(group, generation, at) is not None:
            return True
        if size and len(given[generation] & set(index.joiners(group, generation, at))) >= size:
            return True
    return False


def _given(clients: Sequence[ClientFacts], group: str) -> Mapping[int, AbstractSet[str]]:
    """By generation, the members whose logs have what they were given: not all that joined come so far."""
    given = defaultdict[int, set[str]](set)
    for client in clients:
        joined: tuple[int, str] | None = None
        for _, timed in client.process.rows if client.process.group == group else ():
            generation, member = int_in(timed.row.detail.get("generation")), timed.row.member
            if timed.row.kind == RowKind.JOINED:
                joined = None if generation is None or member is None else (generation, member)
            elif timed.row.kind in (RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED) and joined is not None:
                given[joined[0]].add(joined[1])
    return given


def _covered(topic: Mapping[str, GroupHistory], group: str, at: int) -> bool:
    """Whether the topic has all that was in force in a group at an instant."""
    history = topic.get(group)
    return history is not None and at <= history.ended_ms and not history.ledger.missing


def broker_silent(rows: Sequence[TimedRow], index: Index, ended: int) -> Iterator[Doubt]:
    """The whole time of groups of which brokers' logs have gaps: the state that they tell is stale from there on.

    Gaps show where clients joined a generation that no broker completed, and where a broker completed one that it did
    not begin.
    """
    by_group: dict[str | None, list[TimedRow]] = defaultdict(list)
    for timed in rows:
        by_group[timed.row.group].append(timed)
    for group in sorted(index.broker_groups & index.client_groups):
        own = by_group[group]
        gap = _epoch_gap(own) if group in index.consumer_groups else _gap(own)
        if gap is not None:
            at, generation = gap
            why = (
                f'the brokers\' logs have gaps: generation (or epoch) {generation} of group "{group}", at {iso(at)}, is'
                " not in them or does not begin there; export the logs of all brokers for these hours"
            )
            yield Doubt(group, rows[0].at, ended, None, why, own_word=True)


def _gap(rows: Sequence[TimedRow]) -> tuple[int, int] | None:
    """Of one group's rows: the first generation that no broker completed, or that it completed and did not begin."""
    completed = {
        int_in(row.detail.get("generation")) for _, row in rows if is_broker(row) and row.kind == RowKind.STABILIZED
    }
    begun = False
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if not is_broker(row):
            if row.kind == RowKind.JOINED and generation is not None and generation not in completed:
                return at, generation
        elif row.kind == RowKind.REBALANCE_START:
            begun = True
        elif row.kind == RowKind.STABILIZED and generation is not None:
            if not begun:
                return at, generation
            begun = False
    return None


def _epoch_gap(rows: Sequence[TimedRow]) -> tuple[int, int] | None:
    """Of one consumer group's rows: the first epoch of a client that is two or more ahead of all brokers' lines.

    One ahead is no gap: brokers do not print every change of an epoch.
    """
    reported = 0
    for at, row in rows:
        if is_broker(row):
            reported = max(reported, *(int_in(row.detail.get(name)) or 0 for name in ("epoch", "generation")))
        elif row.kind in (RowKind.JOINED, RowKind.STATE_CHANGE):
            reached = int_in(row.detail.get("generation" if row.kind == RowKind.JOINED else "epoch")) or 0
            if reached > reported + 1:
                return at, reached
    return None


_NEAR = 0.8
"""Names that are so similar, from 0 to 1 by `difflib`, may be of one topic."""


def unnamed_topics(index: Index, topics: Mapping[str, int], begins: int, ends: int) -> Iterator[Doubt]:
    """All time, in UTC milliseconds, of those of `topics` that no log names though logs name others."""
    groups, named = index.groups(), sorted(index.named_topics())
    if len(groups) > 1 or not named:
        return
    for topic in sorted(set(topics) - set(named)):
        near = get_close_matches(topic, sorted(set(named) - set(topics)), n=1, cutoff=_NEAR)
        meant = f"did you mean {near[0]}?" if near else f"the logs name {listed(named)}; export the logs of who owns it"
        why = f"no log names topic {topic} of `--topic {topic}={topics[topic]}`; {meant}"
        partitions = tuple(TopicPartition(topic, number) for number in range(topics[topic]))
        yield Doubt(groups[0], begins, ends, pairs(partitions), why)
