"""What happens round a rebalance on the application thread: commits, callbacks, the view (spec 5.5, 5.7)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.assignors.spec import COOPERATIVE, EAGER
from groupsim.events import client as facts
from groupsim.events.types import NO_GENERATION, Partitions
from groupsim.simulation.clients import heartbeat, offsets
from groupsim.simulation.clients.config import STATIC
from groupsim.simulation.clients.member import Member, rebalance_protocol
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import catch_up


def on_join_prepare(m: Member) -> Script:
    """Commit, then give up what this protocol gives up before joining (Kafka: ConsumerCoordinator.onJoinPrepare)."""
    if m.config.enable_auto_commit and m.view and not m.traits.commits_after_revoking:
        if m.protocol == EAGER:
            catch_up(m)
            m.not_fetchable.update(m.view)
            m.tell(facts.RevocationPending(process=m.process.id, partitions=m.view))
        yield from offsets.commit_and_wait(m, m.config.max_poll_interval_ms)
    if m.generation == NO_GENERATION or not m.member_id:
        if m.traits.revokes_nothing and not m.view:
            yield from call(m, "revoked", ())
        yield from lose(m)
    elif m.protocol == EAGER:
        yield from revoke(m, m.view)
        m.set_view(())
    else:
        unsubscribed = tuple(p for p in m.view if p.topic not in m.topics)
        if unsubscribed:
            yield from revoke(m, unsubscribed)
            m.set_view(tuple(p for p in m.view if p.topic in m.topics))
    m.leads = False


def revoke(m: Member, partitions: Partitions) -> Generator[simpy.Event, Any, bool]:
    """Revoke. librdkafka commits after the callback, when told to unassign, and then goes on (spec 5.12)."""
    fine = yield from call(m, "revoked", partitions)
    if m.traits.commits_after_revoking and m.config.enable_auto_commit and partitions:
        m.not_fetchable.update(partitions)
        yield from offsets.commit_and_wait(m, m.config.request_timeout_ms)
    return fine


def lose(m: Member) -> Script:
    """Everything is lost: it may belong to somebody else by now."""
    if m.view:
        yield from call(m, "lost", m.view)
    m.set_view(())


def on_join_complete(m: Member, assigned: Partitions) -> Generator[simpy.Event, Any, bool]:
    """Take the new assignment over (Kafka: ConsumerCoordinator.onJoinComplete). Cooperative: revoke, then rejoin.

    False if a listener raised: Kafka has then not marked the join as handled, and does this once more.
    """
    if any(p.topic not in m.topics for p in assigned):
        m.request_rejoin("received assignment does not match the current subscription")
        return True
    m.sticky_owned, m.sticky_generation = assigned, m.generation
    selected = rebalance_protocol((m.assignor,)) if m.assignor else EAGER
    if m.protocol_mode != STATIC:
        m.change_protocol(selected)
    m.commits_disabled = False
    before, after = set(m.view), set(assigned)
    revoked = tuple(p for p in m.view if p not in after)
    added = tuple(p for p in assigned if p not in before)
    fine = True
    if revoked and m.protocol == COOPERATIVE:
        fine &= yield from revoke(m, revoked)
        m.request_rejoin("need to revoke partitions and re-join")
    m.set_view(assigned)
    m.restored &= after
    fine &= yield from call(m, "assigned", added)
    if not m.traits.commits_after_revoking:
        m.next_commit_ms = m.now + m.config.auto_commit_interval_ms
    return fine


def call(m: Member, kind: str, partitions: Partitions) -> Generator[simpy.Event, Any, bool]:
    """Run the application's listener; nothing of this consumer is processed meanwhile. False if it raises."""
    catch_up(m)
    while m.traits.background and not m.in_poll and not m.closing:  # the application must call in
        yield from m.process.wait(m.poll_started.wait(None))
    m.in_callback = True
    m.tell(facts.CallbackStart(process=m.process.id, kind=kind, partitions=partitions, generation=m.generation))
    duration = m.application.callback_ms.get(kind, 0)
    if not partitions and m.application.empty_ms is not None:
        duration = m.application.empty_ms
    if duration:
        yield from heartbeat.away(m, duration)
    raises = kind in m.raising
    m.raising.discard(kind)
    m.tell(facts.CallbackEnd(process=m.process.id, kind=kind, error="the listener raised" if raises else None))
    m.in_callback = False
    m.app.notify()
    return not raises
