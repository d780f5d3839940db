"""From the target to what is held: commit, give up, take over (Kafka: AbstractMembershipManager.maybeReconcile).

A callback that was asked for is called even if the membership has ended meanwhile; only what follows it is left out.
"""

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
    joined = m.joined
    if _waits_for_poll(m):
        yield from until_next_poll(m.client, informed=True)
    number, target = m.target_number, m.target
    fine = not _aborted(m, joined)
    for step in (_commit, _give_up, _take_over) if fine and _differs(m) else ():
        fine = fine and not _aborted(m, joined)
        if fine:
            fine = yield from step(m, target, joined)
    m.reconciling = False
    if fine and not _aborted(m, joined):
        m.held_number = number
        m.become(MemberPhase.ACKNOWLEDGING)
    m.client.threads.library.notify()


def _differs(m: ConsumerState) -> bool:
    """There is something to be done, or to be announced: Java announces a first target even if it is empty."""
    first = m.held_number == NO_TARGET and m.client.traits.announces_empty
    return first or m.target != m.client.fetch.view


def _waits_for_poll(m: ConsumerState) -> bool:
    """Java commits and gives up only what the application has polled for (KAFKA-18641, KAFKA-20332).

    A stream thread commits in its callback (Kafka: StreamsMembershipManager, which commits nothing itself).
    """
    if m.client.tasks is not None:
        return False
    commits_first = m.client.config.enable_auto_commit or _revoked(m, m.target)
    return m.client.traits.follows_polls and bool(commits_first) and _differs(m)


def _aborted(m: ConsumerState, joined: int) -> bool:
    """It was fenced or has left meanwhile."""
    return m.joined != joined or m.phase is not MemberPhase.RECONCILING


def _commit(m: ConsumerState, target: Partitions, joined: int) -> Step:
    """What is not in the target is fetched no more; all positions are committed."""
    client = m.client
    revoked = _revoked(m, target)
    if revoked:
        client.fetch.paused.update(revoked)
        client.record(facts.RevocationPending(process=client.process.id, partitions=revoked))
    if client.config.enable_auto_commit and not client.traits.commits_after_revoking and client.fetch.view:
        yield from commits.commit_and_wait(client, client.config.max_poll_interval_ms)
    return True


def _give_up(m: ConsumerState, target: Partitions, joined: int) -> Step:
    """What is not in the target is revoked. False: a listener raised."""
    client = m.client
    revoked = _revoked(m, target)
    if not revoked:
        return True
    yield from until_next_poll(client)
    if m.joined != joined:
        return False
    fine = yield from callbacks.run(client, CallbackKind.REVOKED, revoked)
    if not fine or _aborted(m, joined):
        return False
    m.given_up = revoked
    gone = set(revoked)
    client.set_view(tuple(p for p in client.fetch.view if p not in gone))
    if client.traits.commits_after_revoking and client.config.enable_auto_commit:
        yield from commits.commit_and_wait(client, client.config.request_timeout_ms)
    return True


def _take_over(m: ConsumerState, target: Partitions, joined: int) -> Step:
    """What is new is fetched once the callback has returned; it is called for an empty set, too."""
    client = m.client
    yield from until_next_poll(client)
    if m.joined != joined:
        return False
    held = set(client.fetch.view)
    added = tuple(p for p in target if p not in held)
    if not _aborted(m, joined):
        m.given_up = ()
        client.set_view(target)
        client.fetch.restored &= set(target)
    fine = yield from callbacks.run(client, CallbackKind.ASSIGNED, added)
    return fine


def _revoked(m: ConsumerState, target: Partitions) -> Partitions:
    wanted = set(target)
    return tuple(p for p in m.client.fetch.view if p not in wanted)
