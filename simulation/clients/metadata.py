"""What a consumer knows about topics, and when it asks for metadata (Kafka: ConsumerMetadata)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.fetcher import FETCH_MAX_WAIT_MS
from groupsim.simulation.clients.process import Script


def start(client: Client) -> None:
    """What a consumer knows that is being built."""
    if client.traits.first_metadata_ms is None:
        refresh(client)
    else:
        client.metadata.known = False
        client.metadata.next_refresh_ms = client.now + client.traits.first_metadata_ms


def counts(client: Client) -> dict[str, int]:
    """Partition counts by topic, as far as this consumer knows them."""
    return client.cluster_topics.counts() if client.metadata.known else {}


def racks(client: Client) -> dict[str, tuple[tuple[str, ...], ...]]:
    """The racks of each partition's replicas by topic, where brokers have racks."""
    return {
        name: replica_racks for name, topic in client.cluster_topics.items() if (replica_racks := topic.replica_racks())
    }


def refresh(client: Client) -> None:
    """Ask for metadata: a pattern may match new topics, the membership may have to rejoin."""
    client.metadata.next_refresh_ms = client.now + client.config.metadata_max_age_ms
    client.metadata.known = True
    if client.pattern is not None:
        matched = matching(client.pattern, client.cluster_topics.counts())
        if matched != client.topics:
            client.topics = matched
            client.membership.request_rejoin("subscription has changed")
    client.membership.metadata_refreshed()


def forget(client: Client) -> None:
    """No broker can be reached: start again from bootstrap.servers (Kafka: Metadata.rebootstrap)."""
    if client.traits.rebootstraps:
        client.metadata.known = False


def came_back(client: Client, since_ms: int) -> None:
    """The coordinator is found again; forgotten metadata came before that, at `since_ms`.

    poll() looks at the metadata when it begins. A leader whose poll() began before they came compares nothing with what
    it assigned, and rejoins (Kafka: ConsumerCoordinator.poll, rejoinNeededOrPending).
    """
    if client.metadata.known or not client.traits.rebootstraps:
        return
    begun, every = client.threads.last_poll_ms, max(1, client.application.poll_timeout_ms)
    if client.threads.in_poll and (since_ms - begun) // every == (client.now - begun) // every:
        client.membership.metadata_refreshed()
    refresh(client)


def refresh_if_due(client: Client) -> None:
    """Refresh when metadata.max.age.ms is over."""
    if client.now >= client.metadata.next_refresh_ms:
        refresh(client)


def wait_for_update(client: Client, topics: Iterable[str]) -> Script:
    """A Java leader asks for the metadata of topics it has not subscribed to, whenever it assigns them, and waits.

    The request shares a connection with the fetches, so it is answered after the fetch in flight (Kafka:
    ConsumerNetworkClient.ensureFreshMetadata).
    """
    if not client.traits.awaits_metadata or set(topics) <= set(client.topics):
        return
    until = _fetch_answered_ms(client)
    if until > client.now:
        yield from client.process.sleep(until - client.now)


def _fetch_answered_ms(client: Client) -> int:
    """When the broker answers the fetch in flight, which asks for what is held, or else for what was held before."""
    fetch, topics = client.fetch, client.cluster_topics
    partitions, since = (fetch.view, client.now) if fetch.view else (fetch.previous_view, fetch.view_changed_ms)
    if not partitions:
        return client.now
    waiting = [topics.arrival_ms(p, topics.end_offset(p, since)) for p in partitions if p.topic in topics]
    return min([at for at in waiting if at is not None] + [since + FETCH_MAX_WAIT_MS])


def matching(pattern: str, counts: dict[str, int]) -> tuple[str, ...]:
    """The topics a pattern subscribes to, sorted (Kafka: KafkaConsumer.subscribe(Pattern) matches whole names)."""
    return tuple(sorted(topic for topic in counts if re.fullmatch(pattern, topic)))
