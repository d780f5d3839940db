"""Leaving, being fenced, and joining again (Kafka: AbstractMembershipManager.transitionToFenced, .leaveGroup)."""

from __future__ import annotations

import simpy
from msgspec import structs

from groupsim.coordinator.modern.commands import LEAVE_EPOCH
from groupsim.coordinator.modern.state import AWAY_EPOCH
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.client import CallbackKind, MemberPhase
from groupsim.events.types import Partitions
from groupsim.simulation.clients import callbacks
from groupsim.simulation.clients.consumer.polls import until_next_poll
from groupsim.simulation.clients.consumer.state import ConsumerState
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import ToGroup

LEAVE_TIMEOUT_MS = 30_000
"""How long close() waits for the answer (Kafka: ConsumerUtils.DEFAULT_CLOSE_TIMEOUT_MS)."""
POLL_EXPIRED = "consumer poll timeout has expired."


def fenced(m: ConsumerState, error: Error) -> None:
    """The coordinator does not know the member, or not at its epoch: all is lost, and it joins again."""
    client = m.client
    client.record(
        facts.GenerationReset(process=client.process.id, reason=f"encountered {error.name}", member_id_too=False)
    )
    m.become(MemberPhase.FENCED)
    client.process.thread(_lose_and_join(m, MemberPhase.FENCED))


def expire_poll(m: ConsumerState) -> None:
    """max.poll.interval.ms is over: the member leaves, and works on with what it holds until the next poll."""
    client = m.client
    client.record(facts.PollExpired(process=client.process.id))
    client.threads.poll_expired = True
    send_leave(m, POLL_EXPIRED)
    client.record(facts.GenerationReset(process=client.process.id, reason=POLL_EXPIRED, member_id_too=False))
    m.become(MemberPhase.STALE)
    client.process.thread(_lose_and_join(m, MemberPhase.STALE))


def _lose_and_join(m: ConsumerState, since: MemberPhase) -> Script:
    client, lost = m.client, listed(m)
    if lost or since is MemberPhase.STALE:
        yield from until_next_poll(client)
    if m.phase is not since:
        return
    yield from lose(m, lost)
    if since is MemberPhase.STALE and not client.threads.informed:
        yield from until_next_poll(client, informed=True)
    client.threads.poll_expired = False
    if m.phase is since and not client.threads.ending:
        m.join()


def listed(m: ConsumerState) -> Partitions:
    """What the subscription lists: all that is held, and what was given up and not replaced yet."""
    return tuple(sorted({*m.client.fetch.view, *m.given_up}))


def lose(m: ConsumerState, lost: Partitions) -> Script:
    """Everything is lost: others may own it already."""
    if lost:
        yield from callbacks.run(m.client, CallbackKind.LOST, lost)
    m.client.set_view(())


def send_leave(m: ConsumerState, reason: str, done: simpy.Event | None = None) -> bool:
    """Send the heartbeat that leaves; a static member says that it will be back. False: it can't be sent."""
    client = m.client
    if m.epoch <= 0 or not client.coordinator.known:
        return False
    client.record(facts.LeaveSent(process=client.process.id, member=m.member_id, reason=reason))
    epoch = LEAVE_EPOCH if client.instance_id is None else AWAY_EPOCH

    def body(number: int) -> ToGroup:
        return ToGroup(client.group, structs.replace(m.wire.request(m), request=number, epoch=epoch))

    def handle(answer: object) -> None:
        if done is not None:
            done.succeed()

    client.connection.call(m.wire.api, body, client.config.request_timeout_ms, handle)
    m.epoch = epoch
    return True


def leave_group(m: ConsumerState, reason: str) -> Script:
    """Give everything up, then leave; after a fatal error or without an epoch everything counts as lost."""
    client, was = m.client, m.phase
    if was is not MemberPhase.FATAL:
        m.become(MemberPhase.LEAVING)
    view = client.fetch.view
    if view:
        yield from client.process.sleep(client.traits.close_waits_ms)
        known = m.epoch > 0 and was not in (MemberPhase.FATAL, MemberPhase.FENCED, MemberPhase.STALE)
        yield from callbacks.run(client, CallbackKind.REVOKED if known else CallbackKind.LOST, view)
    client.set_view(())
    done = client.env.event()
    if was is not MemberPhase.FATAL and send_leave(m, reason, done):
        yield client.env.any_of([done, client.env.timeout(LEAVE_TIMEOUT_MS)])
        yield from client.process.gate()


def unsubscribe(m: ConsumerState) -> Script:
    """Give everything up and leave; the consumer belongs to no group until it subscribes again."""
    m.client.topics = ()
    yield from leave_group(m, "the consumer unsubscribed from all topics")
    m.become(MemberPhase.UNSUBSCRIBED)
