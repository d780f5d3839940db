"""Leaving the group: LeaveGroup, close(), unsubscribe() (Kafka: AbstractCoordinator.maybeLeaveGroup)."""

from __future__ import annotations

import simpy

from groupsim.coordinator.classic.commands import Leave, Leaving
from groupsim.events import client as facts
from groupsim.events.client import ClientState
from groupsim.events.types import NO_GENERATION
from groupsim.simulation.clients.classic.state import ClassicState
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import ToGroup

LEAVE_TIMEOUT_MS = 30_000
"""How long close() waits for the answer (Kafka: ConsumerUtils.DEFAULT_CLOSE_TIMEOUT_MS)."""


def send_leave(m: ClassicState, reason: str, done: simpy.Event | None = None) -> bool:
    """Send LeaveGroup, as a dynamic member that knows its id and its coordinator; best effort. False: not sent."""
    client = m.client
    if client.instance_id is not None or not m.member_id or not client.coordinator.known:
        return False
    member_id = m.member_id
    client.record(facts.LeaveSent(process=client.process.id, member=member_id, reason=reason))

    def handle(answer: object) -> None:
        if done is not None:
            done.succeed()

    sent_reason = reason if client.traits.sends_reasons else None

    def body(number: int) -> ToGroup:
        return ToGroup(client.group, Leave(request=number, members=(Leaving(member_id, None, sent_reason),)))

    client.connection.call("LeaveGroup", body, client.config.request_timeout_ms, handle)
    return True


def leave_group(m: ClassicState, reason: str) -> Script:
    """Revoke everything, then LeaveGroup."""
    client = m.client
    yield from m.kind.give_up(m)
    if client.threads.closing and not client.config.internal_leave_group_on_close:
        reset = "consumer pro-actively leaving the group"  # Kafka says so, whether or not it does
        client.record(facts.GenerationReset(process=client.process.id, reason=reset, member_id_too=True))
        return
    done = client.env.event()
    if send_leave(m, reason, done):
        yield client.env.any_of([done, client.env.timeout(LEAVE_TIMEOUT_MS)])
        yield from client.process.gate()


def unsubscribe(m: ClassicState) -> Script:
    """Revoke everything and leave; the consumer belongs to no group until it subscribes again."""
    m.client.topics = ()
    yield from leave_group(m, "the consumer unsubscribed from all topics")
    m.join = None
    m.generation, m.member_id = NO_GENERATION, ""
    m.become(ClientState.UNJOINED)
    m.needs_join_prepare, m.rejoin_needed = True, True
