"""When the application's thread does what the library's thread asks of it.

The consumer of KIP-848 asks for callbacks, and the application runs them inside poll(). Java's does not interrupt a
poll() that waits for records: they run when that wait ends, by records or by poll()'s own timeout (Kafka:
AsyncKafkaConsumer.processBackgroundEvents).
"""

from __future__ import annotations

from groupsim.simulation.clients import records
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script


def until_next_poll(client: Client) -> Script:
    """Wait until the application's thread begins to poll again, or closes the consumer."""
    threads = client.threads
    while not threads.closing:
        if not threads.in_poll or threads.in_callback:
            since = threads.last_poll_ms
            yield from client.process.wait(threads.poll_started.wait())
            if threads.in_poll and threads.last_poll_ms >= since:
                return
            continue
        if not client.traits.callbacks_at_polls:
            return
        began = threads.last_poll_ms
        yield from client.process.sleep(_wait_ends_ms(client) - client.now)
        if threads.in_poll or threads.last_poll_ms != began:
            return


def _wait_ends_ms(client: Client) -> int:
    """When the wait inside the present poll() ends: by the next record, or by the timeout of poll()."""
    timeout = max(1, client.application.poll_timeout_ms)
    waited = (client.now - client.threads.last_poll_ms) % timeout
    arrival = records.next_arrival_ms(client)
    ends = client.now + timeout - waited
    return ends if arrival is None else min(ends, max(arrival, client.now))
