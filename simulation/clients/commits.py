"""Committing offsets (Kafka: the offset half of ConsumerCoordinator)."""

from __future__ import annotations

import simpy

from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.types import Offsets
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import catch_up
from groupsim.simulation.requests import ToGroup

RETRIED = frozenset({Failure.TIMEOUT.value, Failure.DISCONNECTED.value, Error.COORDINATOR_LOAD_IN_PROGRESS.name})


def send_commit(client: Client, done: simpy.Event | None = None) -> bool:
    """Commit all positions without waiting. False if it can't be sent: refused by the client itself."""
    catch_up(client)
    offsets = client.fetch.offsets()
    refusal = _refusal(client)
    if refusal is not None:
        client.record(facts.CommitFailed(process=client.process.id, error=refusal, local=True, offsets=offsets))
        return False
    generation, member_id = client.membership.generation, client.membership.member_id
    client.record(facts.CommitSent(process=client.process.id, member=member_id, generation=generation, offsets=offsets))

    def body(number: int) -> ToGroup:
        request = Commit(
            request=number,
            member=member_id,
            generation=generation,
            instance_id=client.instance_id,
            offsets=offsets,
        )
        return ToGroup(client.group, request)

    def receive(answer: object) -> None:
        error = _handle_answer(client, answer, generation, offsets)
        if done is not None:
            done.succeed(error)

    client.connection.call("OffsetCommit", body, client.config.request_timeout_ms, receive)
    return True


def _refusal(client: Client) -> str | None:
    """Why a commit can't be sent now; None if it can."""
    refusal = client.membership.commit_refusal()
    if refusal is None and not client.coordinator.known:
        return Error.COORDINATOR_NOT_AVAILABLE.name
    return refusal


def _handle_answer(client: Client, answer: object, generation: int, offsets: Offsets) -> str | None:
    """The error's name, None if there is none. Kafka: ConsumerCoordinator.OffsetCommitResponseHandler."""
    if isinstance(answer, Failure):
        client.request_failed("OffsetCommit", answer.value)
        client.lose_coordinator("request failed")
        return answer.value
    assert isinstance(answer, CommitAnswer)
    error = answer.error
    if error is Error.NONE:
        return None
    client.record(facts.CommitFailed(process=client.process.id, error=error.name, local=False, offsets=offsets))
    if error in (Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE):
        client.lose_coordinator(f"error response {error.name}")
    else:
        client.membership.commit_failed(error, generation)
    return error.name


def auto_commit_if_due(client: Client) -> None:
    """The periodic commit inside poll(). While no coordinator is known it stays due, and is sent once one is."""
    if not (client.config.enable_auto_commit and client.fetch.view and client.coordinator.known):
        return
    if client.now >= client.next_commit_ms:
        client.next_commit_ms = client.now + max(client.config.auto_commit_interval_ms, 1)
        send_commit(client)


def commit_and_wait(client: Client, timeout_ms: int) -> Script:
    """Commit and wait for the answer; without an answer or a coordinator, try again until the time is up."""
    until = client.now + timeout_ms
    while client.process.alive:
        done = client.env.event()
        if send_commit(client, done):
            error = yield from client.process.wait(done)
            if error not in RETRIED:
                return
        elif _refusal(client) != Error.COORDINATOR_NOT_AVAILABLE.name:
            return
        if client.now >= until:
            return
        yield from client.process.sleep(min(client.backoff_ms(), until - client.now))
