"""One fetch in flight, sent ahead while the application works (Kafka: ClassicKafkaConsumer.pollForFetches).

A fetch is answered when the first record of the partitions it asks for is there. What comes after that answer waits for
the next fetch, and that one is sent only when poll() has taken the answer. So records that come one after the other are
returned in several batches, each of which the application works on.
"""

from __future__ import annotations

from groupsim.events.types import TopicPartition
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.fetch_state import FetchInFlight

FETCH_MAX_WAIT_MS = 500
"""fetch.max.wait.ms: how long a broker without new records keeps a fetch waiting."""
Taken = dict[TopicPartition, int]


def take(client: Client) -> tuple[Taken, int | None]:
    """The records this poll returns, by partition, and when to look again if none has arrived."""
    _read(client)
    taken = _collect(client)
    if not taken:
        _send(client)
        _read(client)
        taken = _collect(client)
    _send(client)
    return taken, _next_answer_ms(client)


def anything_waits(client: Client) -> bool:
    """Whether the next poll() returns records that have been fetched already."""
    fetch, flight = client.fetch, client.fetch.in_flight
    if fetch.fetched or flight is None or flight.record_ms is None:
        return bool(fetch.fetched)
    answered_ms = max(flight.sent_ms, flight.record_ms)
    return answered_ms <= min(client.now, flight.sent_ms + FETCH_MAX_WAIT_MS, client.fetchable_until())


def forget(client: Client) -> None:
    """The application reads at once: nothing is in flight, nothing waits to be returned."""
    client.fetch.in_flight = None
    client.fetch.fetched.clear()


def _send(client: Client) -> None:
    """Ask for the partitions of which nothing waits to be returned, unless a fetch is in flight already."""
    fetch = client.fetch
    if fetch.in_flight is None:
        asked = {p: fetch.positions[p] for p in fetch.fetchable() if p not in fetch.fetched}
        if asked:
            fetch.in_flight = FetchInFlight(client.now, _first_record_ms(client, asked), asked)


def _first_record_ms(client: Client, asked: dict[TopicPartition, int]) -> int | None:
    """When the first record that a fetch asks for arrives; None if none ever comes."""
    arrivals = [client.cluster_topics.arrival_ms(p, offset) for p, offset in asked.items()]
    return min((at for at in arrivals if at is not None), default=None)


def _read(client: Client) -> None:
    """Take the answer in, if there is one. An empty answer is followed by the next fetch while poll() waits."""
    fetch, now = client.fetch, client.now
    while (flight := fetch.in_flight) is not None:
        until = flight.sent_ms + FETCH_MAX_WAIT_MS
        if flight.record_ms is not None and flight.record_ms <= until:
            if max(flight.sent_ms, flight.record_ms) <= client.fetchable_until():
                _fill(client, flight)
                fetch.in_flight = None
            return
        if until > now:
            return
        fetch.in_flight = None
        if until < fetch.polling_since_ms:
            return
        asked = {p: fetch.positions[p] for p in fetch.fetchable() if p not in fetch.fetched}
        if asked:
            fetch.in_flight = FetchInFlight(until, _first_record_ms(client, asked), asked)


def _fill(client: Client, flight: FetchInFlight) -> None:
    """Of the answer, what is still wanted."""
    fetch = client.fetch
    assert flight.record_ms is not None
    answered_ms = max(flight.sent_ms, flight.record_ms)
    for p, offset in flight.asked.items():
        count = client.cluster_topics.end_offset(p, answered_ms) - offset
        if count > 0 and fetch.positions.get(p) == offset:
            fetch.fetched[p] = count


def _collect(client: Client) -> Taken:
    """At most max.poll.records of what was read."""
    fetch, room = client.fetch, client.config.max_poll_records
    fetch.fetched = {p: count for p, count in fetch.fetched.items() if p in fetch.positions}
    taken: Taken = {}
    for p in fetch.fetchable() if fetch.fetched else ():
        count = min(room, fetch.fetched.get(p, 0))
        if count:
            taken[p] = count
            room -= count
            fetch.positions[p] += count
            left = fetch.fetched.pop(p) - count
            if left:
                fetch.fetched[p] = left
    return taken


def _next_answer_ms(client: Client) -> int | None:
    """When the fetch in flight is answered, as far as that matters."""
    flight, now = client.fetch.in_flight, client.now
    if flight is None:
        return None
    if client.fetchable_until() < now:  # cut off: try again when more would have come
        arrivals = (client.cluster_topics.arrival_ms(p, client.cluster_topics.end_offset(p, now)) for p in flight.asked)
        return min((at for at in arrivals if at is not None), default=None)
    until = flight.sent_ms + FETCH_MAX_WAIT_MS
    others_wait = any(p not in flight.asked for p in client.fetch.fetchable())
    if flight.record_ms is None:
        return until if others_wait else None
    return min(flight.record_ms, until) if others_wait else flight.record_ms
