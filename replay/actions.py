"""Actions: what happens in a replayed incident, to which member, and at which time of the simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from random import Random

from groupsim.replay.even_sequences import MIDDLE, EvenDraws
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
from groupsim.replay.reconstruct.unseen import Unseen, died_before_return, ended_with_commit, fell_silent
from groupsim.simulation.clients.config import CLIENTS, JAVA
from groupsim.simulation.clients.traits import TRAITS
from groupsim.simulation.latencies import Drawn, Latencies

COMMIT_MS = 12
"""A Java consumer that closes takes this long for its last commit, before its callback begins (auto-commit)."""
STATIC_JOIN_MS = 3
JOIN_MS: dict[str, int] = {**dict.fromkeys(CLIENTS, 4), JAVA: 5}
"""From the start of a simulated program until it is a member: the latency of all messages together."""
IMMEDIATE_JOIN_MS = 2
"""The same where messages have no latency."""
_ID_REQUEST_MS = 500
"""A member is added within this time after its first request."""
_SETTLING_MS = 5_000


class ActionKind(StrEnum):
    """What happens to a member, its application or process, a topic or the coordinator.

    `refresh`: every member asks for metadata.
    """

    START = "start"
    SUBSCRIBE = "subscribe"
    BUSY = "busy"
    FREEZE = "freeze"
    COMMIT = "commit"
    REJOIN = "rejoin"
    CLOSE = "close"
    KILL = "kill"
    GROW = "grow"
    REFRESH = "refresh"
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
    busy or frozen, or the coordinator unavailable; `alone`: with every other broker.
    """

    at_ms: int
    kind: ActionKind
    member: int = -1
    incarnation: Incarnation | None = None
    lasts_ms: int = 0
    topics: tuple[str, ...] = ()
    partitions: int = 0
    alone: bool = False


def lead_in_ms(incident: Incident) -> int:
    """How long before the record's time 0 a simulation begins, so that members of before have settled by then."""
    if all(incarnation.starts_ms is not None for incarnation in incident.incarnations):
        return 0
    return 2 * incident.settings[INITIAL_DELAY] + 4 * incident.settings[HEARTBEAT] + _SETTLING_MS


@dataclass(frozen=True, slots=True)
class Chance:
    """What one seed draws. `rng`: how long programs take; `draws`: when something happened that no log shows."""

    rng: Random
    draws: EvenDraws


def actions_of(incident: Incident, restart_ms: int | None, chance: Chance | None) -> list[Action]:
    """All actions in order. `restart_ms`: how long a member that came back was away, instead of the recorded time.

    With `chance`, programs start and follow orders a little earlier or later than recorded (`jittered`), and what no
    log shows happens somewhere in the time in which it can lie; without, in the middle of it. Where an action falls
    between two heartbeats is as recorded, as long as the replay's rebalances are.
    """
    actions = [
        action
        for number, member in enumerate(incident.members)
        for incarnation, after in zip_longest(member.incarnations, member.incarnations[1:])
        for action in _of_incarnation(incident, number, incarnation, after, chance)
    ]
    for growth in incident.growths:
        grown = growth.happened.at(MIDDLE if chance is None else chance.draws.next())
        actions.append(Action(grown - 1, ActionKind.GROW, topics=(growth.topic,), partitions=growth.partitions))
        actions.append(Action(growth.happened.until_ms - 1, ActionKind.REFRESH))
    actions += [
        Action(
            failover.since_ms, ActionKind.FAILOVER, lasts_ms=failover.until_ms - failover.since_ms, alone=failover.alone
        )
        for failover in incident.failovers
    ]
    for at, name in incident.rejoins:
        actions += [
            Action(at - 1, ActionKind.REJOIN, number, incarnation)
            for number, member in enumerate(incident.members)
            for incarnation in member.incarnations
            if incarnation.name == name
        ]
    lead_in = lead_in_ms(incident)
    drawn = _sorted(actions)
    if chance is not None:
        drawn = jittered(drawn, incident.latencies, chance.rng)
    moved = [replace(action, at_ms=max(0, action.at_ms + lead_in)) for action in drawn]
    return _sorted(_restarted(moved, restart_ms))


def _sorted(found: Iterable[Action]) -> list[Action]:
    return sorted(found, key=lambda action: (action.at_ms, action.member))


def _of_incarnation(
    incident: Incident, number: int, incarnation: Incarnation, after: Incarnation | None, chance: Chance | None
) -> list[Action]:
    """One incarnation's actions, in time of the record. `after`: the next one of the same member."""
    started = _start_ms(incident, incarnation, chance is None)
    found = [Action(started, ActionKind.START, number, incarnation)]

    def add(at_ms: int, kind: ActionKind, lasts_ms: int = 0) -> None:
        found.append(Action(max(at_ms, started + 1), kind, number, incarnation, lasts_ms=lasts_ms))

    def stopped_ms(expired_ms: int, latest_ms: int | None) -> int:
        """When it fell silent, after a last commit if that was its last request."""
        settings, from_sync = incident.settings, TRAITS[incident.client].heartbeats_from_sync
        if ended_with_commit(incarnation, expired_ms, settings):
            add(expired_ms - settings[SESSION] - 1, ActionKind.COMMIT)
        return fell_silent(incarnation, expired_ms, settings, latest_ms, from_sync).at(share())

    def share() -> float:
        return MIDDLE if chance is None else chance.draws.next()

    for at, topics in incarnation.subscriptions:
        found.append(Action(at - 1, ActionKind.SUBSCRIBE, number, incarnation, topics=topics))
    for stall in incarnation.stalls:
        until = incident.ends_ms if stall.to_ms is None else stall.to_ms - 1
        if stall.kind == StallKind.BUSY:
            since = _last_poll_ms(incident, stall.expired_ms or 0) if stall.from_ms is None else stall.from_ms
        elif stall.from_ms is not None and stall.by_ms is not None:
            since = Unseen(stall.from_ms, stall.by_ms).at(share())
        else:
            since = stopped_ms(stall.expired_ms or 0, stall.to_ms)
        if until > since:
            add(since, ActionKind.BUSY if stall.kind == StallKind.BUSY else ActionKind.FREEZE, until - since)
    returned = None if after is None else after.starts_ms
    if incarnation.ending == Ending.CLOSE and incarnation.ends_ms is not None:
        add(incarnation.ends_ms - (COMMIT_MS if incident.client == JAVA else 1), ActionKind.CLOSE)
    elif incarnation.ending == Ending.KILL and incarnation.expired_ms is not None:
        add(stopped_ms(incarnation.expired_ms, returned), ActionKind.KILL)
    elif incarnation.ending == Ending.KILL and incarnation.ends_ms is not None:
        died = died_before_return(incarnation, after, incident.settings)
        add(incarnation.ends_ms - 1 if died is None else died.at(share()), ActionKind.KILL)
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
