"""Generations that a member was in and of which its own log does not tell: it is cut off, filtered, or has lost lines.

A client prints that it joined, and takes or keeps what it is given, or is removed. Where its log shows nothing of it,
nobody knows whether it served what it had: not even that it waited for its partitions. Of consumer groups (KIP-848) it
is the targets that count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.doubts.cut_logs import BrokersWord, begins_late, ends_early, goes_on
from groupsim.incidents.facts.doubts.history import EXPORT, INVOKER, Generation, History, Log
from groupsim.incidents.facts.doubts.left_free import left_free
from groupsim.incidents.facts.doubts.ownership import Ownership
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.typed_fields import pairs
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.tolerances import ONE_INSTANT_MS, REACTS_MS
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.numbers import counted


def targets_not_shown(client: ClientFacts, log: Log, history: History, owned: Ownership, ended: int) -> Iterator[Doubt]:
    """What targets of the consumer protocol gave a member, before its log begins, or if it never shows that it took it.

    It is not the member's yet while another one has it.
    """
    given_in: dict[tuple[int, int], list[TopicPartition]] = defaultdict(list)
    group_id, name = client.process.group, client.process.name
    for member in sorted(client.members):
        for at, to, partition in history.grants(group_id, member, ended):
            until = min(to, history.gone(client, member, at) or to)
            if partition in owned.held(group_id, name, at, until - 1):
                until = min(until, log.lines[0])
            if until - at <= REACTS_MS:
                continue
            since = max([at, *owned.freed(group_id, name, partition, at, until)])
            if until - since > REACTS_MS and not owned.others_hold(group_id, name, partition, until - 1):
                given_in[since, until].append(partition)
    for (since, until), partitions in given_in.items():
        why = (
            f"{client.process.file}: {name} was to have {counted(len(partitions), 'partition')} from {iso(since)} on,"
            " and its log shows neither that it took them nor that it could not" + EXPORT + INVOKER
        )
        yield Doubt(group_id, since, until, pairs(tuple(sorted(partitions))), why)


def not_shown(
    facts: Sequence[PendingFact],
    clients: Sequence[ClientFacts],
    owned: Ownership,
    index: Index,
    topic: Mapping[str, GroupHistory],
    rows: Sequence[TimedRow],
    off_ms: int,
    origin: int,
    ended: int,
) -> Iterator[Doubt]:
    """Doubts about what members had in generations of which their logs do not tell.

    Of groups in `topic`, `__consumer_offsets` tells what they had: there only logs that begin late or end early count.
    In groups of the consumer protocol no line is due in each epoch: there the targets count. `off_ms`: so far times of
    two logs may be off.
    """
    history, word = History(facts), BrokersWord(rows, off_ms)
    yield from left_free(facts, clients, history, index.consumer_groups - topic.keys(), off_ms, ended)
    for client in clients:
        name = client.process.group
        ledger = topic[name].ledger if name in topic else None
        yield from begins_late(client, word, history, ledger, origin, ended)
        shown = ledger is not None or name in index.broker_groups
        yield from ends_early(client, word, history, ledger, ended, shown=shown)
        if ledger is not None:
            continue
        log = Log(client)
        if name in index.consumer_groups:
            yield from targets_not_shown(client, log, history, owned, ended)
            if name in index.broker_groups:
                yield from goes_on(client, history, owned, ended)
            continue
        for generation in history.generations_of(client, log):
            doubt = _missed(client, log, generation, history, owned, ended)
            doubt = doubt or _not_taken(client, log, generation, history, owned, ended)
            doubt = doubt or _begins_late(client, log, generation, history)
            if doubt is not None:
                yield doubt


def _missed(
    client: ClientFacts, log: Log, generation: Generation, history: History, owned: Ownership, ended: int
) -> Doubt | None:
    """What a member had from its last line on, if it has no line of joining a generation that it was in."""
    membership = log.membership(generation.at)
    if membership is None or log.joins(generation) is not None:
        return None
    joined, member = membership
    since, name = log.before(generation.at), client.process.name
    if generation.at - joined < ONE_INSTANT_MS or not history.runs(client, member, generation.at, joined):
        return None
    if generation.plan is not None and member not in generation.plan:
        return None
    next_ = log.next_tell_after(generation, soon_ms=REACTS_MS)
    until = _first(next_, history.gone(client, member, generation.at), generation.until, ended)
    which = None
    if generation.plan is not None:
        which = pairs(tuple(sorted({*owned.held(client.process.group, name, since, since), *generation.plan[member]})))
    why = (
        f"{client.process.file}: {name} was in generation {generation.number}, at {iso(generation.at)}, by the broker's"
        f" log, and its own says nothing of it, nor what it had since {iso(since)}" + EXPORT
    )
    return _doubt(client, since, until, which, why)


def _begins_late(client: ClientFacts, log: Log, generation: Generation, history: History) -> Doubt | None:
    """What the group had in a generation whose plan no log prints, until the log of one of its members begins."""
    member = next((member for member in sorted(client.members) if member in generation.members), None)
    if generation.plan is not None or member is None or log.lines[0] - generation.at <= ONE_INSTANT_MS:
        return None
    until = min(log.lines[0], history.gone(client, member, generation.at) or log.lines[0])
    why = (
        f"{client.process.file}: {client.process.name} was in generation {generation.number}, at {iso(generation.at)},"
        " by the broker's log, and its own begins later" + EXPORT
    )
    return _doubt(client, generation.at, until, None, why)


def _not_taken(
    client: ClientFacts, log: Log, generation: Generation, history: History, owned: Ownership, ended: int
) -> Doubt | None:
    """What a member was given in a generation, if its log does not show that it took it before it next tells more."""
    plan = generation.plan or {}
    member = next((member for member in client.members if member in plan), None)
    if member is None:
        return None
    group_id, name, at = client.process.group, client.process.name, generation.at
    gone = history.gone(client, member, at)
    until = _first(generation.until, gone, None, ended)
    held = owned.held(group_id, name, at, until - 1)
    if log.lines[0] - at > REACTS_MS:  # its log begins later
        held, until = (), min(until, log.lines[0])
    missing = tuple(tp for tp in plan[member] if tp not in held)
    if not missing or not history.runs(client, member, at, at - 1):
        return None
    until = min(until, log.next_tell(1 + max(at, log.joins(generation) or at)) or until)
    if until - at <= REACTS_MS:
        return None
    why = (
        f"{client.process.file}: {name} was given {counted(len(missing), 'partition')} at {iso(at)}, and its log shows"
        " neither that it took them nor that it could not" + EXPORT + INVOKER
    )
    return _doubt(client, at, until, pairs(missing), why)


def _first(one: int | None, two: int | None, three: int | None, ended: int) -> int:
    return min(at for at in (one, two, three, ended) if at is not None)


def _doubt(
    client: ClientFacts, since: int, until: int, which: tuple[tuple[str, int], ...] | None, why: str
) -> Doubt | None:
    if since >= until or which == ():
        return None
    return Doubt(client.process.group, since, until, which, why, own_word=which is None)
