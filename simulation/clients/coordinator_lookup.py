"""Finding the coordinator (Kafka: AbstractCoordinator.lookupCoordinator)."""

from __future__ import annotations

from groupsim.events import client as facts
from groupsim.simulation.clients import metadata
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import CoordinatorIs, FindCoordinator


def find_coordinator(client: Client) -> Script:
    """Ask once and wait for the answer; after a failure wait for the backoff. One thread asks, others wait."""
    if client.coordinator.lookup_running:
        yield from client.process.sleep(max(client.config.retry_backoff_ms, 1))
        return
    if client.now < client.coordinator.connect_ms:
        yield from client.process.sleep(client.coordinator.connect_ms - client.now)
        return
    client.coordinator.lookup_running = True
    done = client.env.event()

    def receive(answer: object) -> None:
        done.succeed(answer)

    timeout_ms, asked_ms = client.config.request_timeout_ms, client.now
    client.bootstrap.call("FindCoordinator", lambda _: FindCoordinator(client.group), timeout_ms, receive)
    answer = yield from client.process.wait(done)
    client.coordinator.lookup_running = False
    if isinstance(answer, CoordinatorIs) and answer.address is not None:
        client.coordinator.known = True
        client.coordinator.last_answer_ms = client.now
        client.coordinator.refused = 0
        client.coordinator.no_broker_since_ms = None
        metadata.came_back(client, asked_ms)
        client.record(facts.CoordinatorFound(process=client.process.id))
        client.threads.wake()
        client.threads.heartbeat.notify()
        return
    error = answer.value if isinstance(answer, Failure) else "COORDINATOR_NOT_AVAILABLE"
    client.request_failed("FindCoordinator", error)
    if client.no_broker():
        metadata.forget(client)
        client.coordinator.connect_ms = client.now + client.reconnect_backoff_ms()
    yield from client.process.sleep(client.backoff_ms())
