"""What members of consumer groups (KIP-848) were to have and of which their own logs do not tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.detail import int_in
from groupsim.incidents.facts.not_shown_history import History, Log
from groupsim.incidents.facts.ownership import Ownership, pairs
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.sentences import plural
from groupsim.storage.log_gaps import Doubt

TAKES_MS = 1_000
"""Longer than a client needs from the coordinator's answer until it prints that it takes its partitions."""
EXPORT = (
    "; export its log whole, from before the incident to its end, with all lines of org.apache.kafka.clients.consumer"
)
INVOKER = " (ConsumerRebalanceListenerInvoker prints what it takes), of librdkafka all that it prints with debug=cgrp"
_EPOCHS = frozenset(["state_change", "consumer_heartbeat", "consumer_heartbeat_answered"])
_SHOWS = frozenset(["assigned", "revoked", "lost", "client_reconciling"])


def targets_not_shown(each: ClientFacts, log: Log, history: History, owned: Ownership, ended: int) -> Iterator[Doubt]:
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
            if until - at <= TAKES_MS:
                continue
            since = max([at, *owned.freed(group_id, name, partition, at, until)])
            if until - since > TAKES_MS and not owned.others_hold(group_id, name, partition, until - 1):
                found[since, until].append(partition)
    for (since, until), partitions in found.items():
        why = (
            f"{each.process.file}: {name} was to have {plural(len(partitions), 'partition')} from {iso(since)} on, and"
            " its log shows neither that it took them nor that it could not" + EXPORT + INVOKER
        )
        yield Doubt(group_id, since, until, pairs(tuple(sorted(partitions))), why)


def joined_before(each: ClientFacts, history: History, origin: int, ended: int) -> Iterator[Doubt]:
    """What the group had before a log tells what its member has: it begins when the member is in an epoch already."""
    rows = [timed for _, timed in each.process.rows]
    first = next((timed.row for timed in rows if timed.row.kind in _EPOCHS), None)
    epoch = None if first is None else int_in(first.detail.get("epoch"))
    if first is None or not epoch or epoch < 0 or first.detail.get("from") == "JOINING":
        return
    shown = next((timed.at for timed in rows if _shows(timed.row)), ended)
    gone = min((at for member in each.members if (at := history.gone(each, member, origin))), default=ended)
    until = min(shown, gone)
    if until > origin:
        why = f"{each.process.file}: {each.process.name} was in epoch {epoch} when its log begins" + EXPORT
        yield Doubt(each.process.group, origin, until, None, why, own_word=True)


def _shows(row: Row) -> bool:
    """Whether a line shows what a member has; that nothing is new says little."""
    return row.kind in _SHOWS and any(row.detail.get(name) for name in ("partitions", "assigned", "owned"))
