"""Actions: what happens in a replayed incident, to which member, and at which time of the simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
from groupsim.replay.timings import ended_with_commit
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from groupsim.simulation.clients.traits import TRAITS
from groupsim.simulation.latencies import LATENCIES, Drawn, Latencies

COMMIT_MS = 12
"""A Java consumer that closes takes this long for its last commit, before its callback begins (auto-commit)."""
STATIC_JOIN_MS = 3
JOIN_MS = {JAVA: 5, LIBRDKAFKA: 4, KAFKA_PYTHON: 4}
"""From the start of a simulated program until it is a member: the latency of all messages together."""
IMMEDIATE_JOIN_MS = 2
"""The same where messages have no latency."""
_ID_REQUEST_MS = 500
"""A member is added within this time after its first request."""
_SETTLING_MS = 5_000


class ActionKind(StrEnum):
    """What happens to a member, its application or process, a topic or the coordinator."""

    START = "start"
    SUBSCRIBE = "subscribe"
    BUSY = "busy"
    FREEZE = "freeze"
    COMMIT = "commit"
    REJOIN = "rejoin"
    CLOSE = "close"
    KILL = "kill"
    GROW = "grow"
    FAILOVER = "failover"


_TAKES: dict[ActionKind, Callable[[Latencies], Drawn]] = {
    ActionKind.START: lambda latencies: latencies.start,
    ActionKind.SUBSCRIBE: lambda latencies: latencies.command,
    ActionKind.BUSY: lambda latencies: latencies.command,
    ActionKind.CLOSE: lambda latencies: latencies.command,
}
"""How long a program takes to follow an order."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that happens, at a time of the simulation.

    `member` is an index of `Incident.members`, -1 for the topic or the coordinator. `lasts_ms`: how long the member is
    busy or frozen, or the coordinator unavailable.
    """

    at_ms: int
    kind: ActionKind
    member: int = -1
    incarnation: Incarnation | None = None
    lasts_ms: int = 0
    topics: tuple[str, ...] = ()
    partitions: int = 0


def lead_in_ms(incident: Incident) -> int:
    """How long before the record's time 0 a simulation begins, so that members of before have settled by then."""
    if all(incarnation.starts_ms is not None for incarnation in incident.incarnations):
        return 0
    return 2 * incident.settings[INITIAL_DELAY] + 4 * incident.settings[HEARTBEAT] + _SETTLING_MS


def actions_of(incident: Incident, restart_ms: int | None, rng: Random | None) -> list[Action]:
    """All actions in order. `restart_ms`: how long a member that came back was away, instead of the recorded time.

    With `rng`, programs start and follow orders a little earlier or later than recorded (`jittered`). Where
    an action falls between two heartbeats is as recorded, as long as the replay's rebalances are.
    """
    found = [
        action
        for number, member in enumerate(incident.members)
        for incarnation in member.incarnations
        for action in _of_incarnation(incident, number, incarnation, rng)
    ]
    found += [
        Action(growth.at_ms - 1, ActionKind.GROW, topics=(growth.topic,), partitions=growth.partitions)
        for growth in incident.growths
    ]
    found += [Action(since, ActionKind.FAILOVER, lasts_ms=until - since) for since, until in incident.failovers]
    for at, name in incident.rejoins:
        found += [
            Action(at - 1, ActionKind.REJOIN, number, incarnation)
            for number, member in enumerate(incident.members)
            for incarnation in member.incarnations
            if incarnation.name == name
        ]
    lead_in = lead_in_ms(incident)
    drawn = _sorted(found) if rng is None else jittered(_sorted(found), LATENCIES[incident.client], rng)
    moved = [replace(action, at_ms=max(0, action.at_ms + lead_in)) for action in drawn]
    return _sorted(_restarted(moved, restart_ms))


def _sorted(found: Iterable[Action]) -> list[Action]:
    return sorted(found, key=lambda action: (action.at_ms, action.member))


def _of_incarnation(incident: Incident, number: int, incarnation: Incarnation, rng: Random | None) -> list[Action]:
    """One incarnation's actions, in time of the record."""
    started = _start_ms(incident, incarnation, rng is None)
    found = [Action(started, ActionKind.START, number, incarnation)]

    def add(at_ms: int, kind: ActionKind, lasts_ms: int = 0) -> None:
        found.append(Action(max(at_ms, started + 1), kind, number, incarnation, lasts_ms=lasts_ms))

    for at, topics in incarnation.subscriptions:
        found.append(Action(at - 1, ActionKind.SUBSCRIBE, number, incarnation, topics=topics))
    for stall in incarnation.stalls:
        until = incident.ends_ms if stall.to_ms is None else stall.to_ms - 1
        if stall.kind == StallKind.BUSY:
            since = _last_poll_ms(incident, stall.expired_ms or 0) if stall.from_ms is None else stall.from_ms
        else:
            since = _silent_from_ms(incident, incarnation, stall.expired_ms or 0, rng, add)
        if until > since:
            add(since, ActionKind.BUSY if stall.kind == StallKind.BUSY else ActionKind.FREEZE, until - since)
    if incarnation.ending == Ending.CLOSE and incarnation.ends_ms is not None:
        add(incarnation.ends_ms - (COMMIT_MS if incident.client == JAVA else 1), ActionKind.CLOSE)
    elif incarnation.ending == Ending.KILL and incarnation.expired_ms is not None:
        add(_silent_from_ms(incident, incarnation, incarnation.expired_ms, rng, add), ActionKind.KILL)
    elif incarnation.ending == Ending.KILL and incarnation.ends_ms is not None:
        add(incarnation.ends_ms - 1, ActionKind.KILL)
    return found


def _start_ms(incident: Incident, incarnation: Incarnation, exact: bool) -> int:
    """When its program starts, so that it becomes a member at the recorded time: it needs a member id first."""
    if incarnation.starts_ms is None:
        return -lead_in_ms(incident)
    if incarnation.added_ms is None or not 0 <= incarnation.added_ms - incarnation.starts_ms <= _ID_REQUEST_MS:
        return incarnation.starts_ms - 1
    join_ms = STATIC_JOIN_MS if incarnation.instance is not None else JOIN_MS[incident.client]
    return incarnation.added_ms - (IMMEDIATE_JOIN_MS if exact else join_ms)


def _last_poll_ms(incident: Incident, expired_ms: int) -> int:
    """When it last polled before max.poll.interval.ms passed: some libraries notice only when a heartbeat is due."""
    unnoticed = incident.settings[HEARTBEAT] // 2 if TRAITS[incident.client].expires_at_heartbeats else 2
    return expired_ms - incident.settings[MAX_POLL] - unnoticed


def _silent_from_ms(
    incident: Incident,
    incarnation: Incarnation,
    expired_ms: int,
    rng: Random | None,
    add: Callable[[int, ActionKind], None],
) -> int:
    """When a member whose session ended at `expired_ms` fell silent: after a last heartbeat, or a last commit."""
    last = expired_ms - incident.settings[SESSION]
    if ended_with_commit(incarnation, expired_ms, incident.settings):
        add(last - 1, ActionKind.COMMIT)
        return last + 2
    interval = incident.settings[HEARTBEAT]
    return last + 1 + (interval // 10 if rng is None else rng.randrange(interval))


def jittered(found: Iterable[Action], latencies: Latencies, rng: Random) -> list[Action]:
    """Actions in order, each a little earlier or later, as the same program would have done it another time.

    How long a program took to start, or to come to an order, is chance in the record as well as in a replay: the
    difference of two draws. Signals (kill, freeze) take no time. The actions on one member keep their order.
    """
    moved: list[Action] = []
    before: dict[int, tuple[int, int]] = {}
    for action in found:
        late = _TAKES.get(action.kind)
        shift = 0.0 if late is None else late(latencies).draw(rng) - late(latencies).draw(rng)
        at_ms = action.at_ms + round(shift)
        if action.member in before:
            recorded, drawn = before[action.member]
            at_ms = max(at_ms, drawn + min(1, action.at_ms - recorded))
        before[action.member] = action.at_ms, at_ms
        moved.append(replace(action, at_ms=at_ms))
    return moved


def _restarted(found: list[Action], restart_ms: int | None) -> list[Action]:
    """A member that ends and comes back does so after `restart_ms`; actions on its new process before are left out."""
    if restart_ms is None:
        return found
    ended: dict[int, int] = {}
    since: dict[int, int] = {}
    kept: list[Action] = []
    for action in found:
        if action.kind == ActionKind.START and action.member in ended:
            action = replace(action, at_ms=ended[action.member] + restart_ms)
            since[id(action.incarnation)] = action.at_ms
        elif action.kind in (ActionKind.CLOSE, ActionKind.KILL):
            ended[action.member] = action.at_ms
        is_start = action.kind == ActionKind.START or action.incarnation is None
        if is_start or action.at_ms > since.get(id(action.incarnation), -1):
            kept.append(action)
    return kept


def batch_times(found: Iterable[Action]) -> list[int]:
    """When a record must arrive so that a slow batch can begin."""
    return [action.at_ms + 1 for action in found if action.kind == ActionKind.BUSY]
