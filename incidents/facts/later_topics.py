"""Topics that were created while a group ran, and that a member's regular expression matched from then on.

Whoever noticed says so: a consumer that looks for the topics of its expression itself joins again because its
subscription has changed; for an expression of the consumer protocol (KIP-848) the broker looks for topics, at most
every ten seconds, and raises the epoch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupsim.coordinator.consumer.expressions import MIN_REFRESH_INTERVAL_MS
from groupsim.events.base import Event
from groupsim.events.client import RejoinRequested
from groupsim.events.consumer import BumpCause, GroupEpochBumped
from groupsim.events.types import RejoinCause
from groupsim.events.world import GroupDeclared, TopicCreated
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.facts.causes import subscription_before
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.tolerances import REACTS_MS

RESOLVED = RowKind.EXPRESSIONS_RESOLVED


def found_by(fact: PendingFact, clients: Sequence[ClientFacts], topic: str) -> bool:
    """Whether this fact says that an expression has matched a topic that was not there before."""
    event = fact.event
    if isinstance(event, GroupEpochBumped):
        return event.cause is BumpCause.EXPRESSION_RESOLVED
    if not isinstance(event, RejoinRequested) or event.cause is not RejoinCause.SUBSCRIPTION_CHANGED:
        return False
    before = subscription_before(event.reason)
    new = before is not None and topic in (event.topics or ()) and topic not in before
    return new and has_pattern(clients, event.process)


def has_pattern(clients: Sequence[ClientFacts], process: str) -> bool:
    """Whether a process subscribed by an expression: its line names no topics."""
    (own,) = (each.process for each in clients if each.process.name == process)
    said = [timed.row.detail for _, timed in own.rows if timed.row.kind == RowKind.CLIENT_SUBSCRIBED]
    return bool(said) and not any("topics" in detail for detail in said)


def not_before(fact: PendingFact, group: str | None, rows: Sequence[TimedRow], interval_ms: int) -> int:
    """When a topic that the broker noticed can have been created at the earliest (UTC ms since 1970).

    It looked for topics before, without finding it, and looks again ten seconds later, with the next heartbeat.
    """
    looked = [t.at for t in rows if t.row.kind == RESOLVED and t.row.group == group and t.at < fact.at - REACTS_MS]
    return max([fact.at - MIN_REFRESH_INTERVAL_MS - interval_ms, *looked[-1:]])


def created(topic: str, partitions: int, later: Collection[str], index: Index) -> list[Event]:
    """The facts of a topic's creation. `later`: the topics that come later than the first ones, and are not there yet.

    Every group that the logs show with the topic reads it from now on.
    """
    found: list[Event] = [TopicCreated(topic=topic, partitions=partitions)]
    for group in sorted(index.topics):
        named = index.topics[group]
        if topic in named:
            protocol = "consumer" if group in index.consumer_groups else "classic"
            topics = tuple(
                sorted(each for each, count in named.items() if count and (each == topic or each not in later))
            )
            found.append(GroupDeclared(group=group, protocol=protocol, topics=topics))
    return found
