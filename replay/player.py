"""A recorded group's plot, played again in the simulator: as it was, or with another choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from statistics import median

from groupsim.coordinator.config import BadSetting
from groupsim.events.base import Recorded
from groupsim.replay import recorded_latency, timings
from groupsim.replay.actions import (
    COMMIT,
    FAILOVER,
    FREEZE,
    GROW,
    REJOIN,
    START,
    SUBSCRIBE,
    Action,
    acts,
    batches,
    lead_ms,
)
from groupsim.replay.reconstruct.incident import Incident, Member, strategy
from groupsim.replay.reconstruct.inferred_settings import HEARTBEAT, INITIAL_DELAY, SESSION
from groupsim.replay.reconstruct.member_history import BUSY, CLOSE, KILL
from groupsim.simulation.clients.config import Application
from groupsim.simulation.clients.process import Script
from groupsim.simulation.delays import Delays
from groupsim.simulation.latencies import LATENCIES, Drawn
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.network import Rule
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

STRATEGY = "partition.assignment.strategy"
MIN_SESSION = "group.min.session.timeout.ms"
GROUP = "g"
_LEAST_SESSION_MS = 6_000
_LOADING_MS = 200
"""How much of a coordinator's absence is the loading of its groups."""
AFTERWARDS_MS = 10_000
"""What was under way when the record ends may come to its end."""
_LONGEST_TAIL_MS = 600_000
_ARRIVALS_MS = 20
_MOST_ARRIVALS = 10_000
_SLOW_MS = 50
"""A rebalance callback that takes so long is the application's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is done differently. `settings` by Kafka's names; `static`: with instance ids, or without (None: as it was).

    `restart_ms`: how long a member that came back stays away.
    """

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    static: bool | None = None
    restart_ms: int | None = None


AS_RECORDED = Choice(name="as recorded")


@dataclass(frozen=True, slots=True)
class Played:
    """A run of the simulator. The record's time 0 is its `from_ms`; `failure`: why the story could not go on."""

    facts: list[Recorded]
    from_ms: int
    to_ms: int
    failure: str | None


def play(plot: Incident, choice: Choice, seed: int, *, exact: bool = False, tail_ms: int = 0) -> Played:
    """Play a plot. `exact`: heartbeats and answers as in the record; else what real runs leave to chance is drawn.

    The run counts until `tail_ms` after the record's end: what a choice puts off has its time too. Raises GroupSimError
    (BadSetting and others) for a choice that can't be.
    """
    _check(plot, choice)
    store = MemoryStore()
    stage = _Stage(plot, choice, exact)
    lasts = stage.from_ms + plot.ends_ms + tail_ms
    scenario = Scenario(name="counterfactual", story=stage.story, seed=seed, lasts_ms=lasts + AFTERWARDS_MS)
    known = {key: value for key, value in plot.settings.items() if key != INITIAL_DELAY}
    result = run(scenario, store, settings={**known, **choice.settings}, record="facts")
    return Played(list(store.read(result.info.id)), stage.from_ms, lasts, result.failure)


def tail_ms(plot: Incident, choices: Iterable[Choice]) -> int:
    """How long after the record's end its troubles may go on, with the slowest of the choices: the same for all."""
    known = {name: plot.settings[name] for name in (SESSION, HEARTBEAT)}
    slowest = 0
    for choice in (AS_RECORDED, *choices):
        chosen = {name: str(choice.settings.get(name, value)) for name, value in known.items()}
        beyond = {name: int(text) if text.isdigit() else known[name] for name, text in chosen.items()}
        slowest = max(slowest, beyond[SESSION] + 3 * beyond[HEARTBEAT])
    return min(slowest, _LONGEST_TAIL_MS) + AFTERWARDS_MS


def _check(plot: Incident, choice: Choice) -> None:
    """A broker refuses sessions that are too short, and nobody would ever join."""
    least = int(choice.settings.get(MIN_SESSION, min(_LEAST_SESSION_MS, plot.settings[SESSION])))
    wanted = str(choice.settings.get(SESSION, plot.settings[SESSION]))
    if wanted.isdigit() and int(wanted) < least:
        raise BadSetting(
            f"{SESSION}={wanted} is below the broker's {MIN_SESSION}={least}, so no member could join; change both:"
            f" --set {SESSION}={wanted},{MIN_SESSION}={wanted}"
        )


class _Stage:
    """One performance: a world, a group, its members, and what happens to them."""

    def __init__(self, plot: Incident, choice: Choice, exact: bool) -> None:
        self._plot = plot
        self._choice = choice
        self._exact = exact
        self._before = 0
        self._names: dict[str, str] = {}
        self._members: list[MemberHandle] = []
        self.from_ms = lead_ms(plot)

    def story(self, world: World) -> Script:
        """The plot as a SimPy process."""
        self._world, plot = world, self._plot
        script = acts(plot, self._choice.restart_ms, None if self._exact else world.rng.stream("whatif/episodes"))
        self._configure()
        times = self._arrivals(script)
        most = {g.topic: g.partitions for g in plot.growths}
        self._topics = {
            name: world.topic(name, count, times=dict.fromkeys(range(most.get(name, count)), times))
            for name, count in plot.topics.items()
        }
        self._group = world.group(GROUP)
        self._members = [self._member(number, actor) for number, actor in self._ranked()]
        for act in script:
            yield from self._until(act.at_ms)
            self._do(act)
        yield from self._until(self.from_ms + plot.ends_ms - 1)

    def _until(self, at_ms: int) -> Script:
        if self._world.now < self.from_ms <= at_ms:
            yield self._world.sleep(self.from_ms - self._world.now)
            self._before = self._group.generation
        if at_ms > self._world.now:
            yield self._world.sleep(at_ms - self._world.now)

    def _configure(self) -> None:
        """The broker's settings, and how long messages take."""
        world, plot = self._world, self._plot
        least = min(_LEAST_SESSION_MS, plot.settings[SESSION])
        world.configure_broker({INITIAL_DELAY: plot.settings[INITIAL_DELAY], MIN_SESSION: least})
        world.network.latency_ms = (0, 0) if self._exact else (0, 1)
        world.network.add_rule(self._latencies())

    def _latencies(self) -> Rule:
        world, known = self._world, timings.measured(self._plot)

        def drawn(distribution: Drawn, what: str) -> float:
            return distribution.draw(world.rng.stream(f"whatif/{what}"))

        draw = recorded_latency.middle if self._exact else drawn
        usual = Delays(LATENCIES[self._plot.client], draw, world.broker.address, lambda: world.now)
        if self._exact:
            return recorded_latency.Exactly(
                known, usual, self._names.get, self._completed, lambda: world.now - self.from_ms
            )
        return recorded_latency.Again(known, usual, world.rng.stream("whatif/drift"))

    def _record_ms(self) -> int:
        """What time it is in the record."""
        return self._world.now - self.from_ms

    def _completed(self) -> int:
        """How many generations there were since the record's time 0; before it, far less than none."""
        return self._group.generation - self._before if self._world.now >= self.from_ms else -1_000_000

    def _arrivals(self, script: list[Action]) -> list[int]:
        """A steady flow of records, and one wherever a slow batch begins."""
        lasts = self.from_ms + self._plot.ends_ms + AFTERWARDS_MS
        return sorted({*range(0, lasts, max(_ARRIVALS_MS, lasts // _MOST_ARRIVALS)), *batches(script)})

    def _ranked(self) -> list[tuple[int, Member]]:
        """Members under names that sort as their recorded ids do: assignors go by them."""
        order = sorted(range(len(self._plot.actors)), key=lambda i: self._plot.actors[i].lives[0].ids[:1])
        rank = {i: number for number, i in enumerate(order)}
        return [(rank[i], actor) for i, actor in enumerate(self._plot.actors)]

    def _member(self, number: int, actor: Member) -> MemberHandle:
        static = actor.instance is not None if self._choice.static is None else self._choice.static
        label = f"m{number:04d}"
        (member,) = self._group.join(
            label,
            topics=[self._topics[name] for name in self._subscribed(actor.lives[0].topics)],
            instance_id=label if static else None,
            client=self._plot.client,
            application=Application(callback_ms=_callbacks(actor), empty_ms=0),
            after=None,
        )
        return member

    def _subscribed(self, topics: tuple[str, ...]) -> tuple[str, ...]:
        """Of these topics those that are known; all if none is."""
        return tuple(name for name in topics if name in self._topics) or tuple(self._topics)

    def _do(self, act: Action) -> None:
        if act.kind == FAILOVER:
            loading = min(_LOADING_MS, act.lasts_ms - 1)
            self._world.broker.crash(act.lasts_ms - loading, loading)
        elif act.kind == GROW:
            self._grow(act)
        elif act.kind == START:
            self._world.env.process(self._start(act))
        elif self._members[act.actor].running:
            self._happen(act, self._members[act.actor])

    def _happen(self, act: Action, member: MemberHandle) -> None:
        """To a process that runs."""
        if act.kind == CLOSE:
            member.close()
        elif act.kind == KILL:
            member.kill()
        elif act.kind == BUSY:
            member.slow_batch(act.lasts_ms)
        elif act.kind == COMMIT:
            member.commit()
        elif act.kind == FREEZE:
            member.freeze(act.lasts_ms)
        elif act.kind == SUBSCRIBE:
            member.subscribe(*(self._topics[name] for name in self._subscribed(act.topics)))
        elif act.kind == REJOIN:
            member.enforce_rebalance()

    def _grow(self, act: Action) -> None:
        topic = self._topics[act.topics[0]]
        if act.partitions > topic.partitions:
            self._world.add_partitions(topic, act.partitions)
        for member in self._members:
            if member.running:
                member.refresh_metadata()

    def _start(self, act: Action) -> Script:
        assert act.life is not None
        member = self._members[act.actor]
        if member.running:  # it is still closing; one that the story never ended is ended here
            if not member.closing:
                member.kill()
            else:
                yield member.gone
        member.configure({STRATEGY: strategy(act.life, self._plot.generations)})
        topics = self._subscribed(act.life.topics)
        member.settings = replace(member.settings, topics=tuple(sorted(topics)))
        yield member.start()
        self._names[member.address] = act.life.name


def _callbacks(actor: Member) -> dict[str, int]:
    """What its rebalance callbacks mostly took, where that is more than a library's own work."""
    found: dict[str, list[int]] = {}
    for life in actor.lives:
        for kind, durations in life.callbacks.items():
            found.setdefault(kind, []).extend(durations)
    middle = {kind: round(median(durations)) for kind, durations in sorted(found.items())}
    return {kind: ms for kind, ms in middle.items() if ms >= _SLOW_MS}
