"""Taking records from partitions: what the fetcher and the application do between rebalances."""

from __future__ import annotations

from groupsim.events.types import TopicPartition
from groupsim.simulation.clients import fetcher
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script


def instant(client: Client) -> bool:
    """The application needs no time for its records, so it has always read everything."""
    return not (client.application.works or client.next_batch_extra_ms)


def catch_up(client: Client) -> None:
    """Read what has arrived, if the application is free and reads at once."""
    if instant(client) and client.threads.in_poll and not client.threads.in_callback:
        positions, until = client.fetch.positions, client.fetchable_until()
        for p, end in client.cluster_topics.end_offsets(client.fetch.fetchable(), until):
            if end > positions[p]:
                positions[p] = end


def reached(client: Client, partition: TopicPartition) -> int:
    """The next offset of a partition that is to be read: after what has arrived, if it reads at once. 0: none yet."""
    fetch, threads = client.fetch, client.threads
    position = fetch.positions.get(partition, 0)
    held = partition not in fetch.positions or partition in fetch.paused or partition in fetch.restoring
    if held or client.process.frozen or not instant(client) or not threads.in_poll or threads.in_callback:
        return position
    return max(position, client.cluster_topics.end_offset(partition, client.fetchable_until()))


def take(client: Client) -> tuple[dict[TopicPartition, int], int | None]:
    """The records this poll returns, by partition, and when to look again if none has arrived."""
    if instant(client):
        fetcher.forget(client)
        return {}, None
    if client.traits.fetches_ahead:
        return fetcher.take(client)
    positions, topics = client.fetch.positions, client.cluster_topics
    room, wake, until = client.config.max_poll_records, None, client.fetchable_until()
    taken: dict[TopicPartition, int] = {}
    for p in client.fetch.fetchable():
        position = positions[p]
        count = min(room, topics.end_offset(p, until) - position)
        if count > 0:
            taken[p] = count
            positions[p] = position + count
            room -= count
            if not room:
                break
        elif not taken and (arrival := topics.arrival_ms(p, position)) is not None and arrival > client.now:
            wake = arrival if wake is None else min(wake, arrival)
    return taken, wake


def next_arrival_ms(client: Client) -> int | None:
    """When the next record arrives that this client can fetch; None if none ever does, or it is cut from the data."""
    now = client.now
    if client.fetchable_until() < now:
        return None
    return client.cluster_topics.next_arrival_ms(client.fetch.fetchable(), now)


def fetch_ends_ms(client: Client, at_ms: int, began_ms: int) -> int:
    """When a fetch ends that is under way at `at_ms`: with the next record, or when it has waited for long enough.

    `began_ms`: when one of the fetches before it began.
    """
    wait_ms = client.traits.fetch_wait_ms
    if not client.fetch.view or not wait_ms:
        return at_ms
    waited_ms = began_ms - (began_ms - at_ms) // wait_ms * wait_ms
    arrival_ms = client.cluster_topics.next_arrival_ms(client.fetch.view, at_ms)
    return waited_ms if arrival_ms is None else min(waited_ms, arrival_ms)


def wait_for_fetch(client: Client) -> Script:
    """Wait until the fetch that is under way has ended."""
    if client.fetch.view:
        yield from client.process.sleep(fetch_ends_ms(client, client.now + 1, client.now) - client.now)


def duration_ms(client: Client, taken: dict[TopicPartition, int]) -> int:
    """How long the application takes for them; a slow partition's records take longer."""
    application = client.application
    per_record = sum(
        count * (application.slow.get(p.partition, application.record_ms)) for p, count in sorted(taken.items())
    )
    return application.process_ms + round(per_record)
