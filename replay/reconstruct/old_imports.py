"""Imports written before facts had causes and libraries: the missing fields are filled in here, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded
from groupsim.incidents.facts.causes import client_cause, leave_cause, new_subscription, rejoin_cause
from groupsim.simulation.clients.config import LIBRDKAFKA

_LIBRDKAFKA_REASONS = ("Unassignment done", "JoinGroup error", "Metadata for subscribed topic(s)")


def completed(facts: Sequence[Recorded]) -> list[Recorded]:
    """The facts with cause, topics, leave_cause, client_cause and library, where their sentences say them."""
    of_librdkafka = {
        fact.event.process
        for fact in facts
        if isinstance(fact.event, p.RejoinRequested) and fact.event.reason.startswith(_LIBRDKAFKA_REASONS)
    }
    found = []
    for fact in facts:
        event = _completed(fact.event, of_librdkafka)
        found.append(fact if event is fact.event else msgspec.structs.replace(fact, event=event))
    return found


def _completed(event: Event, of_librdkafka: set[str]) -> Event:
    match event:
        case p.RejoinRequested(cause=None, reason=reason):
            return msgspec.structs.replace(event, cause=rejoin_cause(reason), topics=new_subscription(reason))
        case p.ProcessStarted(library=None, process=process) if process in of_librdkafka:
            return msgspec.structs.replace(event, library=LIBRDKAFKA)
        case c.RebalanceStarted(client_cause=None, reason=reason):
            return msgspec.structs.replace(event, client_cause=client_cause(reason))
        case c.MemberRemoved(leave_cause=None, reason=reason):
            return msgspec.structs.replace(event, leave_cause=leave_cause(reason))
        case _:
            return event
