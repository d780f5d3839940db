"""What the logs of a drawn group contain about its timeouts, by what really happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import gcd

from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.events.classic import MemberRemoved, RebalanceStarted
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from tests.incidents.drawn_groups import DrawnGroup

NEAR = 0.05
ENOUGH_HEARTBEATS = 4
NAP_MS = 100
"""A heartbeat of a Java consumer whose application works is late by up to retry.backoff.ms."""


class Contained(StrEnum):
    """What the logs of a group contain about a setting."""

    EVIDENCE = "evidence"
    BOUNDS = "bounds"
    NOTHING = "nothing"


def contained(group: DrawnGroup, facts: Sequence[Recorded]) -> dict[str, Contained]:
    """By setting, what the logs must contain, by what really happened."""
    if group.prints:
        return {SESSION: Contained.EVIDENCE, HEARTBEAT: Contained.EVIDENCE}
    static = {f"m{number}" for number in range(group.static)}
    removed = [fact.event for fact in facts if isinstance(fact.event, MemberRemoved)]
    expired = {event.member[:2] for event in removed if event.cause == "session-expired"}
    session = Contained.BOUNDS if expired else Contained.NOTHING
    if any(_was_closed(facts, label) for label in static & expired):
        session = Contained.EVIDENCE
    return {SESSION: session, HEARTBEAT: _of_heartbeats(group, facts)}


def _of_heartbeats(group: DrawnGroup, facts: Iterable[Recorded]) -> Contained:
    """Enough heartbeats tell the interval from its multiples and from its parts, unless each is late by unknown times.

    Of each member's first heartbeat that reported a rebalance: how many intervals after joining, how old the rebalance.
    """
    joined: dict[str, int] = {}
    numbers: list[int] = []
    ages: list[int] = []
    started = 0
    for fact in facts:
        match fact.event:
            case RebalanceStarted():
                started = fact.at_ms
            case p.JoinOk(process=process):
                joined[process] = fact.at_ms
            case p.RejoinRequested(process=process, reason="group is already rebalancing") if process in joined:
                numbers.append(round((fact.at_ms - joined.pop(process)) / group.heartbeat_ms))
                ages.append(fact.at_ms - started)
            case _:
                pass
    if not numbers:
        return Contained.NOTHING
    late = group.process_ms > 0 and group.heartbeat_ms * NEAR < NAP_MS
    enough = len(numbers) >= ENOUGH_HEARTBEATS and gcd(*numbers) == 1 and max(ages) > 0.6 * group.heartbeat_ms + NAP_MS
    return Contained.EVIDENCE if enough and not late else Contained.BOUNDS


def _was_closed(facts: Iterable[Recorded], label: str) -> bool:
    """Whether a session of the static member ended after it had been closed."""
    away = False
    for fact in facts:
        match fact.event:
            case p.Closed(process=process) if process.startswith(label):
                away = True
            case p.ProcessStarted(process=process) if process.startswith(label):
                away = False
            case MemberRemoved(member=member, cause="session-expired") if member.startswith(label) and away:
                return True
            case _:
                pass
    return False
