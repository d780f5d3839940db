"""What members of consumer groups (KIP-848) were to have and of which their own logs do not tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.not_shown_history import History, Log
from groupsim.incidents.facts.ownership import Ownership, pairs
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import REACTS_MS
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.numbers import counted

EXPORT = (
    "; export such logs whole, from before the incident to their end, with all lines of"
    " org.apache.kafka.clients.consumer,"
    " or all that librdkafka prints with debug=cgrp"
)
INVOKER = " (of a Java client, ConsumerRebalanceListenerInvoker prints what it takes)"


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
            if until - at <= REACTS_MS:
                continue
            since = max([at, *owned.freed(group_id, name, partition, at, until)])
            if until - since > REACTS_MS and not owned.others_hold(group_id, name, partition, until - 1):
                found[since, until].append(partition)
    for (since, until), partitions in found.items():
        why = (
            f"{each.process.file}: {name} was to have {counted(len(partitions), 'partition')} from {iso(since)} on, and"
            " its log shows neither that it took them nor that it could not" + EXPORT + INVOKER
        )
        yield Doubt(group_id, since, until, pairs(tuple(sorted(partitions))), why)
