"""Groups whose members do not all have a client log, where the logs at hand can't make up for that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker
from groupsim.incidents.offsets_topic.history import GroupHistory
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
                f"{counted(len(missing), 'member')} of consumer group {group} without a client log"
                f" ({listed(missing, 2)}); export the logs of all members"
            )
    for group in sorted((index.broker_groups & index.consumer_groups) - index.client_groups - topic.keys()):
        found[group] = (
            f"a broker's log does not show when members of consumer group {group} give up or take over partitions;"
            " export the logs of all members"
        )
    for group in sorted(index.client_groups - index.broker_groups):
        plans = [index.plan(group, generation, at) for generation, at in joined[group].items()]
        if group in index.consumer_groups or not plans or None in plans:
            found[group] = (
                f"no broker's log of group {group} is given, and members without a client log may be in it; export the"
                " broker's log too"
            )
            continue
        missing = sorted(set[str]().union(*(plan.plan for plan in plans if plan is not None)) - logged[group])
        if missing:
            found[group] = (
                f"group {group} has {counted(len(missing), 'member')} without a log ({listed(missing, 2)}), and no"
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
                f"{counted(len(missing), 'member')} of group {group} without a client log ({listed(missing, 2)}), and"
                " no log names all partitions; give their number (--topic NAME=PARTITIONS), or export the logs of all"
                " members"
            )


def _members(rows: Sequence[TimedRow], topic: Mapping[str, GroupHistory]) -> tuple[_ByGroup, _ByGroup]:
    """The members that brokers name, and those that `topic` or logs of their own tell of."""
    named, logged = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for group, each in topic.items():
        logged[group].update(each.ledger.memberships)
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
    found = defaultdict[int, set[str]](set)
    for each in clients:
        joined: tuple[int, str] | None = None
        for _, timed in each.process.rows if each.process.group == group else ():
            generation, member = int_in(timed.row.detail.get("generation")), timed.row.member
            if timed.row.kind == RowKind.JOINED:
                joined = None if generation is None or member is None else (generation, member)
            elif timed.row.kind == RowKind.ASSIGNED and joined is not None:
                found[joined[0]].add(joined[1])
    return found


def _covered(topic: Mapping[str, GroupHistory], group: str, at: int) -> bool:
    """Whether the topic has all that was in force in a group at an instant."""
    history = topic.get(group)
    return history is not None and at <= history.ended_ms and not history.ledger.missing
