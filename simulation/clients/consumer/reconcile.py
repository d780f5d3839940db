"""From the target to what is held: commit, give up, take over (Kafka: AbstractMembershipManager.maybeReconcile)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.events import client as facts
from groupsim.events.client import CallbackKind, MemberPhase
from groupsim.events.types import Partitions
from groupsim.simulation.clients import callbacks, commits
from groupsim.simulation.clients.consumer.polls import until_next_poll
from groupsim.simulation.clients.consumer.state import NO_TARGET, ConsumerState
from groupsim.simulation.clients.process import Script

Step = Generator[simpy.Event, Any, bool]


def reconcile_if_due(m: ConsumerState) -> None:
    """Begin to reconcile, on a thread of its own: heartbeats go on meanwhile."""
    if m.phase is MemberPhase.RECONCILING and not m.reconciling and not m.reconciled:
        m.reconciling = True
        m.client.process.thread(_reconcile(m))


def _reconcile(m: ConsumerState) -> Script:
    number, target, joined = m.target_number, m.target, m.joined
    began = m.held_number == NO_TARGET or target != m.client.fetch.view
    fine = True
    for step in (_commit, _give_up, _take_over) if began else ():
        fine = fine and not _aborted(m, joined)
        if fine:
            fine = yield from step(m, target, joined)
    m.reconciling = False
    if fine and not _aborted(m, joined):
        m.held_number = number
        m.become(MemberPhase.ACKNOWLEDGING)
    m.client.threads.library.notify()


def _aborted(m: ConsumerState, joined: int) -> bool:
    """It was fenced or has left meanwhile."""
    return m.joined != joined or m.phase is not MemberPhase.RECONCILING


def _commit(m: ConsumerState, target: Partitions, joined: int) -> Step:
    """Commit all positions first; they are the application's thread's, so that is done when it polls."""
    client = m.client
    if client.config.enable_auto_commit and not client.traits.commits_after_revoking:
        yield from until_next_poll(client)
        if client.fetch.view and not _aborted(m, joined):
            yield from commits.commit_and_wait(client, client.config.max_poll_interval_ms)
    return True


def _give_up(m: ConsumerState, target: Partitions, joined: int) -> Step:
    """What is not in the target is fetched no more, then revoked. False: fenced meanwhile, or a listener raised."""
    client, wanted = m.client, set(target)
    revoked = tuple(p for p in client.fetch.view if p not in wanted)
    if not revoked:
        return True
    client.fetch.paused.update(revoked)
    client.record(facts.RevocationPending(process=client.process.id, partitions=revoked))
    yield from until_next_poll(client)
    if _aborted(m, joined):
        return False
    fine = yield from callbacks.run(client, CallbackKind.REVOKED, revoked)
    if not fine or _aborted(m, joined):
        return False
    client.set_view(tuple(p for p in client.fetch.view if p in wanted))
    if client.traits.commits_after_revoking and client.config.enable_auto_commit:
        yield from commits.commit_and_wait(client, client.config.request_timeout_ms)
    return True


def _take_over(m: ConsumerState, target: Partitions, joined: int) -> Step:
    """What is new is fetched once the callback has returned; it is called for an empty set, too."""
    client = m.client
    yield from until_next_poll(client)
    if _aborted(m, joined):
        return False
    held = set(client.fetch.view)
    added = tuple(p for p in target if p not in held)
    client.set_view(target)
    client.fetch.restored &= set(target)
    fine = yield from callbacks.run(client, CallbackKind.ASSIGNED, added)
    return fine
