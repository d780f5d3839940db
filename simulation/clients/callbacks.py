"""Running the application's rebalance listener (Kafka: ConsumerRebalanceListenerInvoker)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.events import client as facts
from groupsim.events.client import CallbackKind
from groupsim.events.types import Partitions
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import catch_up


def run(client: Client, kind: CallbackKind, partitions: Partitions) -> Generator[simpy.Event, Any, bool]:
    """Run a callback; nothing of this consumer is processed meanwhile. False if it raises."""
    if kind is CallbackKind.LOST and not client.traits.says_lost:
        kind = CallbackKind.REVOKED
    catch_up(client)
    threads = client.threads
    inside_poll = client.traits.library_thread and not client.traits.callbacks_beside_work
    while inside_poll and not threads.in_poll and not threads.closing:
        yield from client.process.wait(threads.polling.wait())
    while threads.in_callback:  # one after the other, as they were asked for
        yield from client.process.wait(threads.polling.wait())
    threads.in_callback = True
    if threads.in_poll and not client.traits.library_thread:  # poll() has just looked at the membership
        threads.last_poll_ms = client.now
    client.record(
        facts.CallbackStart(
            process=client.process.id, kind=kind, partitions=partitions, generation=client.membership.generation
        )
    )
    duration = _duration_ms(client, kind, partitions)
    if duration:
        yield from run_application_code(client, duration)
    raises = kind in client.raising
    client.raising.discard(kind)
    error = "the listener raised" if raises else None
    client.record(facts.CallbackEnd(process=client.process.id, kind=kind, error=error))
    threads.in_callback = False
    threads.waits_since_ms = client.now
    threads.polling.notify()
    threads.application.notify()
    return not raises


def _duration_ms(client: Client, kind: CallbackKind, partitions: Partitions) -> int:
    """How long the listener takes this time."""
    application = client.application
    if not partitions and application.empty_ms is not None:
        return application.empty_ms
    draws = application.callback_draws.get(kind)
    if not draws:
        return application.callback_ms.get(kind, 0)
    time = draws[0] if len(draws) == 1 else draws[int(client.random() * len(draws))]
    return time.fixed_ms + len(partitions) * time.partition_ms


def run_application_code(client: Client, ms: int) -> Script:
    """The application thread runs the application's own code for `ms`: meanwhile it does not read the network."""
    client.threads.away_since_ms = client.now
    client.membership.application_away()
    yield from client.process.sleep(ms)
    client.threads.away_since_ms = None
    client.membership.application_back()
