"""What happens to whom, and when, in a plot that is played again: every act with its time in the simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random

from groupsim.replay.reconstruct.incident import JAVA, KAFKA_PYTHON, LIBRDKAFKA, Incident, Member
from groupsim.replay.reconstruct.inferred_settings import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
from groupsim.replay.reconstruct.member_history import BUSY, CLOSE, KILL, Incarnation
from groupsim.replay.timings import silent_since
from groupsim.simulation.clients.traits import TRAITS

START, SUBSCRIBE, FREEZE, COMMIT = "start", "subscribe", "freeze", "commit"
GROW, REJOIN, FAILOVER = "grow", "rejoin", "failover"
COMMIT_MS = 12
"""What a Java consumer that closes takes for its last commit before its callback begins (auto-commit)."""
FIRST_MS = 3
JOINING_MS = {JAVA: 5, LIBRDKAFKA: 4, KAFKA_PYTHON: 4}
"""From a simulated program's start to its being a member: what the messages take together."""
AT_ONCE_MS = 2
"""The same where messages take no time."""
_ASKING_MS = 500
_SETTLING_MS = 5_000


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that happens, at a time of the simulation. `lasts_ms`: of a stall, or of the coordinator's absence."""

    at_ms: int
    kind: str
    actor: int = -1
    life: Incarnation | None = None
    lasts_ms: int = 0
    topics: tuple[str, ...] = ()
    partitions: int = 0


def lead_ms(plot: Incident) -> int:
    """How long before the record's time 0 a simulation begins, so that who was there before has settled."""
    if all(life.starts_ms is not None for life in plot.lives):
        return 0
    return 2 * plot.settings[INITIAL_DELAY] + 4 * plot.settings[HEARTBEAT] + _SETTLING_MS


def acts(plot: Incident, restart_ms: int | None, chance: Random | None) -> list[Action]:
    """All acts in order.

    With `chance`, every later episode (acts less than two heartbeat intervals apart) comes up to half an interval
    earlier or later than recorded: where a fault falls between two heartbeats is luck, and much depends on it.
    """
    found = [act for i, actor in enumerate(plot.actors) for act in _of_actor(plot, i, actor, chance)]
    found += [Action(g.at_ms - 1, GROW, topics=(g.topic,), partitions=g.partitions) for g in plot.growths]
    found += [Action(since, FAILOVER, lasts_ms=until - since) for since, until in plot.failovers]
    for at, name in plot.rejoins:
        lives = [(i, life) for i, actor in enumerate(plot.actors) for life in actor.lives]
        found += [Action(at - 1, REJOIN, i, life) for i, life in lives if life.name == name]
    lead = lead_ms(plot)
    moved = [replace(act, at_ms=max(0, act.at_ms + lead)) for act in _shifted(_sorted(found), plot, chance)]
    return _sorted(_restarted(moved, restart_ms))


def _sorted(found: Iterable[Action]) -> list[Action]:
    return sorted(found, key=lambda act: (act.at_ms, act.actor))


def _of_actor(plot: Incident, number: int, actor: Member, chance: Random | None) -> list[Action]:
    """One actor's acts, in record time."""
    return [act for life in actor.lives for act in _of_life(plot, number, life, chance)]


def _of_life(plot: Incident, number: int, life: Incarnation, chance: Random | None) -> list[Action]:
    started = _started(plot, life, chance is None)
    found = [Action(started, START, number, life)]

    def add(at_ms: int, kind: str, lasts_ms: int = 0) -> None:
        found.append(Action(max(at_ms, started + 1), kind, number, life, lasts_ms=lasts_ms))

    found += [Action(at - 1, SUBSCRIBE, number, life, topics=topics) for at, topics in life.subscribes]
    for stall in life.stalls:
        until = plot.ends_ms if stall.to_ms is None else stall.to_ms - 1
        if stall.kind == BUSY:
            since = _overslept(plot, stall.expired_ms or 0) if stall.from_ms is None else stall.from_ms
        else:
            since = _silenced(plot, life, stall.expired_ms or 0, chance, add)
        if until > since:
            add(since, BUSY if stall.kind == BUSY else FREEZE, until - since)
    if life.ending == CLOSE and life.ends_ms is not None:
        add(life.ends_ms - (COMMIT_MS if plot.client == JAVA else 1), CLOSE)
    elif life.ending == KILL and life.expired_ms is not None:
        add(_silenced(plot, life, life.expired_ms, chance, add), KILL)
    elif life.ending == KILL and life.ends_ms is not None:
        add(life.ends_ms - 1, KILL)
    return found


def _started(plot: Incident, life: Incarnation, exact: bool) -> int:
    """When its program ran, so that it becomes a member when it did: a member id has to be fetched first."""
    if life.starts_ms is None:
        return -lead_ms(plot)
    if life.added_ms is None or not 0 <= life.added_ms - life.starts_ms <= _ASKING_MS:
        return life.starts_ms - 1
    trip = AT_ONCE_MS if exact else FIRST_MS if life.instance is not None else JOINING_MS[plot.client]
    return life.added_ms - trip


def _overslept(plot: Incident, expired_ms: int) -> int:
    """When the last poll before was that expired then: some libraries notice when a heartbeat is due, not at once."""
    unnoticed = plot.settings[HEARTBEAT] // 2 if TRAITS[plot.client].expires_at_heartbeats else 2
    return expired_ms - plot.settings[MAX_POLL] - unnoticed


def _silenced(
    plot: Incident, life: Incarnation, expired_ms: int, chance: Random | None, add: Callable[[int, str], None]
) -> int:
    """When a member fell silent whose session ended then: after a last heartbeat, or a last commit."""
    last = expired_ms - plot.settings[SESSION]
    if silent_since(life, expired_ms, plot.settings):
        add(last - 1, COMMIT)
        return last + 2
    interval = plot.settings[HEARTBEAT]
    return last + 1 + (interval // 10 if chance is None else chance.randrange(interval))


def _shifted(found: list[Action], plot: Incident, chance: Random | None) -> list[Action]:
    """Later episodes come a little earlier or later; what belongs together stays together."""
    if chance is None:
        return found
    interval = plot.settings[HEARTBEAT]
    moved: list[Action] = []
    shift, last = 0, None
    for act in found:
        if last is not None and act.at_ms - last > 2 * interval:
            shift = chance.randrange(interval) - interval // 2
        last = act.at_ms
        moved.append(replace(act, at_ms=act.at_ms + shift))
    return moved


def _restarted(found: list[Action], restart_ms: int | None) -> list[Action]:
    """Who comes back after an end comes back so soon; what was done to the new process before that is not done."""
    if restart_ms is None:
        return found
    ended: dict[int, int] = {}
    since: dict[int, int] = {}
    kept: list[Action] = []
    for act in found:
        if act.kind == START and act.actor in ended:
            act = replace(act, at_ms=ended[act.actor] + restart_ms)
            since[id(act.life)] = act.at_ms
        elif act.kind in (CLOSE, KILL):
            ended[act.actor] = act.at_ms
        if act.kind == START or act.life is None or act.at_ms > since.get(id(act.life), -1):
            kept.append(act)
    return kept


def batches(found: Iterable[Action]) -> list[int]:
    """When a record must come so that a slow batch can begin."""
    return [act.at_ms + 1 for act in found if act.kind == BUSY]
