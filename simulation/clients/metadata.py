"""What a consumer knows of topics, and what it does when that changes (Kafka: rejoinNeededOrPending)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from groupsim.simulation.clients.member import Member
from groupsim.simulation.clients.process import Script

FETCH_MAX_WAIT_MS = 500
"""fetch.max.wait.ms: how long a broker without new records keeps a fetch waiting."""


def start(m: Member) -> None:
    """What a consumer that is being built knows."""
    if m.traits.first_metadata_ms is None:
        refresh(m)
    else:
        m.topics_known = False
        m.next_metadata_ms = m.now + m.traits.first_metadata_ms


def counts(m: Member) -> dict[str, int]:
    """Partition counts by topic, as far as this consumer knows them."""
    return m.world_topics.counts() if m.topics_known else {}


def refresh(m: Member) -> None:
    """Ask for metadata: a pattern finds new topics; a leader that sees other partition counts rejoins."""
    m.next_metadata_ms = m.now + m.config.metadata_max_age_ms
    m.topics_known = True
    counts = m.world_topics.counts()
    if m.pattern is not None:
        found = matching(m.pattern, counts)
        if found != m.topics:
            m.topics = found
            m.request_rejoin("subscription has changed")
    if m.leads and m.watched is not None and not m.rejoin_needed:
        now = {topic: counts.get(topic, 0) for topic in m.watched}
        if now != m.watched:
            m.request_rejoin("cached metadata has changed")


def wait_for_news(m: Member, topics: Iterable[str]) -> Script:
    """A Java leader asks for the metadata of topics it has not subscribed to, whenever it assigns them, and waits.

    The request goes the way of the fetches, so it is answered after the fetch in flight (Kafka: ensureFreshMetadata).
    """
    if not m.traits.awaits_metadata or set(topics) <= set(m.topics):
        return
    until = _fetch_answered_ms(m)
    if until > m.now:
        yield from m.process.sleep(until - m.now)


def _fetch_answered_ms(m: Member) -> int:
    """When the broker answers the fetch in flight, which asks for what is held, or else for what was held before."""
    partitions, since = (m.view, m.now) if m.view else (m.given_up, m.given_up_ms)
    if not partitions:
        return m.now
    known = m.world_topics
    waiting = [known.arrival_ms(p, known.end_offset(p, since)) for p in partitions if p.topic in known]
    return min([at for at in waiting if at is not None] + [since + FETCH_MAX_WAIT_MS])


def matching(pattern: str, counts: dict[str, int]) -> tuple[str, ...]:
    """The topics a pattern subscribes to, sorted (Kafka: KafkaConsumer.subscribe(Pattern) matches whole names)."""
    return tuple(sorted(topic for topic in counts if re.fullmatch(pattern, topic)))


def refresh_if_due(m: Member) -> None:
    """Refresh when metadata.max.age.ms is over."""
    if m.now >= m.next_metadata_ms:
        refresh(m)
