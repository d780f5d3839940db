"""Around a join, on the application thread: commits, callbacks, the view (Kafka: ConsumerCoordinator)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.assignors.spec import COOPERATIVE, EAGER
from groupsim.coordinator.classic.commands import REVOKED
from groupsim.events import client as facts
from groupsim.events.client import CallbackKind
from groupsim.events.types import NO_GENERATION, Partitions
from groupsim.simulation.clients import callbacks, commits
from groupsim.simulation.clients.classic.state import ClassicState, rebalance_protocol
from groupsim.simulation.clients.config import ProtocolMode
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import catch_up, instant, wait_for_fetch
from groupsim.simulation.clients.streams import partition_assignor
from groupsim.simulation.clients.streams.application import drawn
from groupsim.simulation.clients.streams.task_states import TURN_MS


def commit_before_join(m: ClassicState) -> Generator[simpy.Event, Any, bool]:
    """Commit what was read so far. False: the answer must be waited for, in this poll() or a later one.

    An eager member returns no records meanwhile; a cooperative one does, and the application works on them before the
    join goes on (Kafka: ConsumerCoordinator.onJoinPrepare waits for nothing; the partitions stay fetchable).
    """
    client, view = m.client, m.client.fetch.view
    if not (client.config.enable_auto_commit and view) or client.traits.commits_after_revoking:
        return True
    if m.rebalance_protocol == EAGER:
        catch_up(client)
        client.fetch.paused.update(view)
        client.record(facts.RevocationPending(process=client.process.id, partitions=view))
    if m.rebalance_protocol == EAGER or instant(client) or not client.traits.fetches_ahead:
        yield from commits.commit_and_wait(client, client.config.max_poll_interval_ms)
        return True
    if m.commit_in_flight is None:
        m.commit_in_flight = client.process.thread(_commit(m))
        return False
    if m.commit_in_flight.is_alive:
        return False
    m.commit_in_flight = None
    return True


def _commit(m: ClassicState) -> Script:
    yield from commits.commit_and_wait(m.client, m.client.config.max_poll_interval_ms)
    m.client.threads.wake()


def prepare_join(m: ClassicState) -> Script:
    """Revoke what this protocol revokes before joining (Kafka: ConsumerCoordinator.onJoinPrepare)."""
    client = m.client
    view = client.fetch.view
    if m.generation == NO_GENERATION or not m.member_id:
        if client.traits.revokes_nothing and not view:
            yield from callbacks.run(client, CallbackKind.REVOKED, ())
        yield from lose(m)
    elif m.rebalance_protocol == EAGER:
        yield from revoke(m, view)
        client.set_view(())
    else:
        unsubscribed = tuple(p for p in view if p.topic not in client.topics)
        if unsubscribed:
            yield from revoke(m, unsubscribed)
            client.set_view(tuple(p for p in client.fetch.view if p.topic in client.topics))
    m.leads = False


def revoke(m: ClassicState, partitions: Partitions) -> Generator[simpy.Event, Any, bool]:
    """Revoke. librdkafka commits after the callback and then goes on (rd_kafka_assignment_serve). False: it raised."""
    client = m.client
    if client.traits.revokes_after_fetches:
        yield from wait_for_fetch(client)
    fine = yield from callbacks.run(client, CallbackKind.REVOKED, partitions)
    if client.traits.commits_after_revoking and client.config.enable_auto_commit and partitions:
        client.fetch.paused.update(partitions)
        yield from commits.commit_and_wait(client, client.config.request_timeout_ms)
    return fine


def lose(m: ClassicState) -> Script:
    """Everything is lost: others may own it already."""
    client = m.client
    if client.traits.revokes_after_fetches:
        yield from wait_for_fetch(client)
    if client.fetch.view:
        yield from callbacks.run(client, CallbackKind.LOST, client.fetch.view)
    client.set_view(())
    if client.tasks is not None:
        client.tasks.close()


def complete_join(m: ClassicState, assigned: Partitions, data: str | None = None) -> Generator[simpy.Event, Any, bool]:
    """Take the new assignment over (Kafka: ConsumerCoordinator.onJoinComplete). Cooperative: revoke, then rejoin.

    False if a listener raised: Kafka has then not marked the join as handled, and does this once more.
    """
    client = m.client
    topics = set(client.topics)
    if any(p.topic not in topics for p in assigned):
        m.request_rejoin("received assignment does not match the current subscription")
        return True
    m.sticky_owned, m.sticky_generation = assigned, m.generation
    selected = rebalance_protocol((m.assignor,)) if m.assignor else EAGER
    if m.protocol_mode is not ProtocolMode.STATIC:
        m.change_rebalance_protocol(selected)
    m.commits_disabled = False
    before, after = set(client.fetch.view), set(assigned)
    revoked = tuple(p for p in client.fetch.view if p not in after)
    added = tuple(p for p in assigned if p not in before)
    fine = True
    if revoked and client.tasks is not None:  # Kafka: TaskManager.handleRevocation
        yield from commits.commit_and_wait(client, client.config.request_timeout_ms)
    if revoked and m.rebalance_protocol == COOPERATIVE:
        fine &= yield from revoke(m, revoked)
        m.request_rejoin(REVOKED)
    if client.tasks is not None:
        m.follow_up_ms = partition_assignor.take_in(client, assigned, data)
        m.rejoin_ms = client.now + drawn(TURN_MS, client.random)
    client.set_view(assigned)
    client.fetch.restored &= after
    fine &= yield from callbacks.run(client, CallbackKind.ASSIGNED, added)
    if not client.traits.commits_after_revoking:
        client.next_commit_ms = client.now + client.config.auto_commit_interval_ms
    return fine
