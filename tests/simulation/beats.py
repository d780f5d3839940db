"""When the members of a run sent their heartbeats."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.events.base import Recorded
from groupsim.events.network import MessageDelivered


def sent(facts: Iterable[Recorded]) -> dict[str, list[int]]:
    """By process, the time of each heartbeat of the classic protocol (ms)."""
    found: dict[str, list[int]] = {}
    for fact in facts:
        event = fact.event
        if isinstance(event, MessageDelivered) and event.api == "Heartbeat" and not event.response:
            found.setdefault(event.source, []).append(event.sent_ms)
    return found
