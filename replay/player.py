"""`replay_incident`: a reconstructed incident becomes a scenario and is simulated, as it was or with another choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

from groupsim.coordinator.config import BadSetting
from groupsim.events.base import Recorded
from groupsim.incidents.default_settings import LEAST_SESSION_MS
from groupsim.replay import member_program, protocols
from groupsim.replay.actions import Action, ActionKind, Chance, actions_of, batch_times, lead_in_ms
from groupsim.replay.aftermath import AFTERWARDS_MS
from groupsim.replay.broker_limits import MIN_SESSION, session_limits
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.even_sequences import EvenDraws
from groupsim.replay.quiet_time import kept_ms, quiet_time, step_ms
from groupsim.replay.reconstruct.applications.programs import drawn_programs
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import (
    APPEND_LINGER,
    HEARTBEAT,
    INITIAL_DELAY,
    SESSION,
)
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.short_stops import short_stops, with_stops
from groupsim.replay.recorded_latency import DrawnLateness, ExactLatency, median_draw
from groupsim.replay.replayed_group import STREAMS_DELAY, declared
from groupsim.replay.replayed_topics import ReplayedTopics, expression, record_times, with_burst
from groupsim.replay.timings import recorded_timings
from groupsim.simulation.clients.config import CLASSIC
from groupsim.simulation.clients.process import Script
from groupsim.simulation.connect_group import ConnectHandle
from groupsim.simulation.host_speed import IDEAL
from groupsim.simulation.latencies import Drawn
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.rng import Rng
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore

_LOADING_MS = 200
"""The end of a failover, in which the new coordinator loads the group."""


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """A run of the simulator. The record's time 0 is its `from_ms`; `failure`: why it could not go on."""

    facts: list[Recorded]
    from_ms: int
    to_ms: int
    failure: str | None


def replay_incident(
    incident: Incident, choice: Choice, seed: int, *, exact: bool = False, tail_ms: int = 0
) -> ReplayedRun:
    """Replay an incident. `exact`: heartbeats and answers as in the record; else what is chance in real runs is drawn.

    So is every setting that the record leaves open. `exact` takes the likeliest values.

    The run counts until `tail_ms` after the record's end, so that what a choice delays counts, too. Raises
    GroupsimError (BadSetting and others) for a choice that is not possible.
    """
    draws = None if exact else EvenDraws(seed)
    if draws is not None:
        settings = incident.drawn_settings(draws.next)
        members = drawn_programs(incident.members, draws.next, settings[HEARTBEAT])
        if HEARTBEAT in incident.open_settings:
            members = with_stops(members, short_stops(incident.incarnations, incident.generations, settings))
        incident = replace(incident, settings=settings, members=members)
    check(incident, choice)
    store = MemoryStore()
    replayed = _Replay(incident, choice, seed, draws)
    lasts = replayed.ends_ms + tail_ms + AFTERWARDS_MS
    scenario = Scenario(name="counterfactual", story=replayed.script, seed=seed, lasts_ms=lasts)
    given = protocols.run_settings(incident, choice)
    result = run(scenario, store, settings=given, record="batches").unless_interrupted()
    facts = replayed.quiet.whole(store.read(result.info.id))
    return ReplayedRun(facts, replayed.from_ms, replayed.from_ms + incident.ends_ms + tail_ms, result.failure)


def played_ms(incident: Incident) -> int:
    """For how long the incident as recorded is simulated: without its quiet time."""
    return _Replay(incident, AS_RECORDED, 0, None).ends_ms


def check(incident: Incident, choice: Choice) -> None:
    """Raises BadSetting for what no broker allows: a session that is shorter than the choice's own least one."""
    protocols.check(incident, choice)
    least = int(choice.settings.get(MIN_SESSION, 0))
    wanted = str(choice.settings.get(SESSION, incident.settings[SESSION]))
    if wanted.isdigit() and int(wanted) < least and CLASSIC in protocols.protocols(incident, choice):
        raise BadSetting(
            f"{SESSION}={wanted} is below the broker's {MIN_SESSION}={least}, so no member could join; change both:"
            f" --set {SESSION}={wanted},{MIN_SESSION}={wanted}"
        )


class _Replay:
    """One simulation: a world, a group, its members, and the actions on them."""

    def __init__(self, incident: Incident, choice: Choice, seed: int, draws: EvenDraws | None) -> None:
        self._incident = incident
        self._choice = choice
        self._exact = draws is None
        self._before = 0
        self._names: dict[str, str] = {}
        self._group_config: dict[str, int] = {}
        self._members: list[MemberHandle] = []
        self.from_ms = lead_in_ms(incident)
        chance = None if draws is None else Chance(Rng(seed).stream("whatif/episodes"), draws)
        actions = actions_of(incident, choice.restart_ms, chance)
        spans = [(0, self.from_ms), *((action.at_ms, action.at_ms + action.lasts_ms) for action in actions)]
        ends_ms = self.from_ms + incident.ends_ms
        self.quiet = quiet_time(spans, ends_ms, kept_ms(incident, choice), step_ms(incident, choice))
        self.ends_ms = self.quiet.simulated_ms(ends_ms)
        self._actions = [replace(each, at_ms=self.quiet.simulated_ms(each.at_ms)) for each in actions]

    def script(self, world: World) -> Script:
        """The incident as a SimPy process."""
        self._world, incident = world, self._incident
        self._configure()
        first = None if self._exact else world.rng.stream("whatif/records").random()
        lasts = self.ends_ms + AFTERWARDS_MS
        times = record_times(incident, lasts, batch_times(self._actions), first)
        if (program := incident.streams) is not None:
            times = with_burst(times, self.quiet.simulated_ms(self.from_ms + program.worked_ms), program.records)
        self._topics = ReplayedTopics(world, incident, times)
        ranked = self._ranked()
        disks = {_label(number): member.incarnations[0].disk for number, member in ranked}
        self._group = declared(world, incident, self._choice, self._topics, self._group_config, disks)
        self._group.as_recorded = True
        self._members = [self._member(number, member) for number, member in ranked]
        for action in self._actions:
            yield from self._until(action.at_ms)
            self._do(action)
        yield from self._until(self.ends_ms - 1)

    def _until(self, at_ms: int) -> Script:
        if self._world.now < self.from_ms <= at_ms:
            yield self._world.sleep(self.from_ms - self._world.now)
            self._before = self._group.generation
        if at_ms > self._world.now:
            yield self._world.sleep(at_ms - self._world.now)

    def _configure(self) -> None:
        """The broker's settings, and how long messages take."""
        world, incident = self._world, self._incident
        least = min(LEAST_SESSION_MS, incident.settings[SESSION])
        bounds = session_limits(incident, self._choice)
        if protocols.native(incident) in protocols.protocols(incident, self._choice):
            self._group_config = protocols.group_settings(incident, self._choice)
            bounds |= protocols.broker_bounds(self._group_config, self._choice.settings)
        delay_ms = incident.settings[INITIAL_DELAY]
        world.configure_broker({INITIAL_DELAY: delay_ms, STREAMS_DELAY: delay_ms, MIN_SESSION: least, **bounds})
        world.network.latency_ms = (0, 0) if self._exact else (0, 1)
        world.host(IDEAL)  # what is slow is the record's
        self._add_latencies()

    def _add_latencies(self) -> None:
        """How long messages take, and how late heartbeats are."""
        world, known = self._world, recorded_timings(self._incident)

        def drawn(distribution: Drawn, what: str) -> float:
            return distribution.draw(world.rng.stream(f"whatif/{what}"))

        draw = median_draw if self._exact else drawn
        latencies = self._incident.latencies
        usual = Delays(lambda _: latencies, draw, world.broker.address, lambda: world.now)
        if self._exact:
            write_ms = self._incident.settings[APPEND_LINGER]
            exact = ExactLatency(
                known, usual, self._names.get, self._completed, self._record_ms, write_ms, self._beats_left_out
            )
            world.network.add_rule(exact)
            world.heartbeat_timers.late = lambda process: exact.heartbeat_late_ms(process, usual.heartbeat_late_ms)
            world.heartbeat_timers.nap_late = lambda process: exact.heartbeat_late_ms(process, usual.nap_late_ms)
        else:
            world.network.add_rule(usual)
            drift = world.rng.stream("whatif/drift")
            late = DrawnLateness(known, usual.heartbeat_late_ms, drift)
            world.heartbeat_timers.late = late
            world.heartbeat_timers.nap_late = None if late.is_recorded else usual.nap_late_ms

    def _record_ms(self) -> int:
        """The time of the record."""
        return self.quiet.whole_ms(self._world.now) - self.from_ms

    def _beats_left_out(self) -> int:
        """How many heartbeats a member would have sent in the quiet time until now."""
        return self.quiet.left_out_ms(self._world.now) // step_ms(self._incident, self._choice)

    def _completed(self) -> int:
        """How many generations there were since the record's time 0; a large negative number before it."""
        return self._group.generation - self._before if self._world.now >= self.from_ms else -1_000_000

    def _ranked(self) -> list[tuple[int, Member]]:
        """Members with numbers in the order of their recorded ids: assignors sort members by id."""
        order = sorted(
            range(len(self._incident.members)), key=lambda i: self._incident.members[i].incarnations[0].member_ids[:1]
        )
        rank = {i: number for number, i in enumerate(order)}
        return [(rank[i], member) for i, member in enumerate(self._incident.members)]

    def _member(self, number: int, recorded: Member) -> MemberHandle:
        static = recorded.instance is not None if self._choice.static is None else self._choice.static
        label = _label(number)
        if not self._incident.of_consumers:
            (own,) = self._group.join(label, instance_id=label if static else None, after=None)
            return own
        program = member_program.application(recorded, self._exact)
        (member,) = self._group.join(
            label,
            topics=self._topics.subscribed(recorded.incarnations[0].topics),
            instance_id=label if static else None,
            client=self._incident.client,
            application=program,
            config=member_program.settings(program),
            after=None,
        )
        return member

    def _do(self, action: Action) -> None:
        if action.kind == ActionKind.FAILOVER:
            loading = min(_LOADING_MS, action.lasts_ms - 1)
            self._world.broker.crash(action.lasts_ms - loading, loading, alone=action.alone)
        elif action.kind == ActionKind.GROW and isinstance(self._group, ConnectHandle):
            self._group.add_connector(action.topics[0], action.partitions)
        elif action.kind == ActionKind.GROW:
            self._topics.grow(action.topics[0], action.partitions)
        elif action.kind == ActionKind.REFRESH:
            self._refresh_metadata()
        elif action.kind == ActionKind.START:
            self._world.env.process(self._start(action))
        elif self._members[action.member].running:
            self._do_to_member(action, self._members[action.member])

    def _do_to_member(self, action: Action, member: MemberHandle) -> None:
        """An action on a process that runs."""
        if action.kind == ActionKind.CLOSE:
            member.close()
        elif action.kind == ActionKind.KILL:
            member.kill()
        elif action.kind == ActionKind.BUSY:
            member.slow_batch(action.lasts_ms)
        elif action.kind == ActionKind.COMMIT:
            member.commit()
        elif action.kind == ActionKind.FREEZE:
            member.freeze(action.lasts_ms)
        elif action.kind == ActionKind.SUBSCRIBE:
            member.subscribe(*self._topics.subscribed(action.topics))
        elif action.kind == ActionKind.REJOIN:
            member.enforce_rebalance()

    def _refresh_metadata(self) -> None:
        """As recorded, unless members do it in their own time."""
        if protocols.in_own_time(self._incident, self._choice) or self._incident.connect is not None:
            return
        for member in self._members:
            if member.running:
                member.refresh_metadata()

    def _looks(self, member: MemberHandle) -> Script:
        """A process from before the record asks for metadata at some time within their age: no log shows when."""
        age_ms = protocols.metadata_age_ms(self._incident, self._choice)
        yield self._world.sleep(self._world.rng.stream("whatif/metadata").randrange(max(1, age_ms)))
        if member.running:
            member.refresh_metadata()

    def _start(self, action: Action) -> Script:
        assert action.incarnation is not None
        member = self._members[action.member]
        if member.running:  # it is still closing; one whose end no log shows is ended here
            if not member.closing:
                member.kill()
            else:
                yield member.gone
        if self._incident.of_consumers:
            member.configure(protocols.member_config(self._incident, self._choice, action.incarnation))
            topics = tuple(sorted(topic.name for topic in self._topics.subscribed(action.incarnation.topics)))
            member.settings = replace(member.settings, topics=topics, pattern=expression(action.incarnation))
        yield member.start()
        if action.incarnation.starts_ms is None and protocols.in_own_time(self._incident, self._choice):
            self._world.env.process(self._looks(member))
        self._names[member.address] = action.incarnation.name


def _label(number: int) -> str:
    return f"m{number:04d}"
