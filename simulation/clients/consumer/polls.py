"""When the application's thread does what the library's thread asks of it, and of what it informs that thread.

The consumer of KIP-848 asks for callbacks, and the application runs them inside poll(). Java's does not interrupt a
poll() that waits for records: they run when that wait ends, by records or by poll()'s own timeout (Kafka:
AsyncKafkaConsumer.processBackgroundEvents).
"""

from __future__ import annotations

from groupsim.simulation.clients import fetcher, records
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script


def inform(client: Client) -> None:
    """poll() begins: does it inform the library's thread (Kafka: AsyncKafkaConsumer.checkInflightPoll)?

    Java's does at once where nothing waits to be returned. Else one poll() in two does: the event of the poll() before
    is kept, so that what waits is returned first, and no other is sent (KAFKA-18376).
    """
    threads = client.threads
    threads.polls += 1
    threads.waits_since_ms = client.now - (client.polled_before_ms if threads.polls == 1 else 0)
    threads.informed = not (client.traits.follows_polls and threads.informed and fetcher.anything_waits(client))
    if threads.informed:
        threads.informed_ms = client.now
    threads.polling.notify()


def overdue(client: Client) -> bool:
    """Whether max.poll.interval.ms is over for the library's thread.

    Java's is informed of no poll() while a callback runs inside one; librdkafka takes that for polling.
    """
    threads = client.threads
    waits = threads.in_poll and not (threads.in_callback and client.traits.callbacks_at_polls)
    return not waits and client.now >= threads.informed_ms + client.config.max_poll_interval_ms


def until_next_poll(client: Client, informed: bool = False) -> Script:
    """Wait until the application's thread begins to poll again, or closes the consumer.

    `informed`: until a poll() of which the library's thread is informed.
    """
    threads = client.threads
    while not threads.closing:
        waits = threads.in_poll and not threads.in_callback
        if waits and not client.traits.callbacks_at_polls:
            return
        polls = threads.polls
        yield from client.process.wait(threads.polling.wait(_wait_ends_ms(client) if waits else None))
        if threads.polls != polls and threads.in_poll:
            if threads.informed or not informed:
                return
        elif waits and threads.in_poll and not threads.in_callback:
            threads.informed_ms = client.now
            return


def _wait_ends_ms(client: Client) -> int:
    """When the wait inside the present poll() ends: by the next record, or by the timeout of poll().

    A stream thread has work of its own between its polls: how long it has waited is chance, and first it opens stores.
    """
    timeout = max(1, client.application.poll_timeout_ms)
    if client.tasks is not None:
        return max(client.now + timeout - int(client.random() * timeout), client.tasks.opened_ms)
    waited = (client.now - client.threads.waits_since_ms) % timeout
    arrival = records.next_arrival_ms(client)
    ends = client.now + timeout - waited
    return ends if arrival is None else min(ends, max(arrival, client.now))
