"""ReplayableRun: one group of a stored run that can be replayed: of a recorded run its incident, else the scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import within
from groupsim.analysis.availability.start_up import first_worked
from groupsim.analysis.tables.bounds import Supported, coarse, most_time
from groupsim.analysis.tables.summary import unavailable
from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.client import ProcessStarted
from groupsim.events.types import TopicPartition
from groupsim.incidents.default_settings import HEARTBEAT_MS
from groupsim.replay.aftermath import tail_ms
from groupsim.replay.broker_limits import needs
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.cost import Cost, default_window, recorded_cost, replayed_cost
from groupsim.replay.dated_deaths import dated, earliest, latest
from groupsim.replay.member_program import stuck_ms
from groupsim.replay.player import ReplayedRun, played_ms, replay_incident
from groupsim.replay.reconstruct.incident import Incident, groups, reconstruct
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.rebalances import Generation, generations_of
from groupsim.replay.refusals import grown_at_ms, has_already, open_settings, refusal
from groupsim.replay.replayed_group import GROUP
from groupsim.replay.window import Window
from groupsim.scenarios.scenario_of_run import NONE, Consent, scenario_of
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario, run
from groupsim.storage.audit import refuse_damaged
from groupsim.storage.log_gaps import Precision, doubts, given_settings, precision
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import EventStore, RunInfo
from groupsim.wording.lists import listed, quoted
from groupsim.wording.numbers import seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayableRun:
    """What is known of one group of a run, and how to replay it: `replay` by choice and seed, `replay_exactly` by seed.

    `replayed_group` is the group's name in the replays; `played_ms`: how much of `lasts_ms` they simulate; `members`:
    how many processes they have at most; `notes`: what had to be assumed; `given`: what the user said (`name=value`).
    `unavailable`: what an import or a run says of it (`analysis.tables.bounds.supported`), of this group alone.
    `incident`: what is replayed of a recorded run (None: the run was simulated). `cost` is the record's in the
    `window`, and `measure` gives a replay's, by the same definition.
    """

    name: str
    group: str
    replayed_group: str
    lasts_ms: int
    played_ms: int
    members: int
    generations: Sequence[Generation]
    window: Window
    cost: Cost
    unavailable: Mapping[str, Any]
    notes: tuple[str, ...]
    replay: Callable[[Choice, int], ReplayedRun]
    replay_exactly: Callable[[int], ReplayedRun]
    incident: Incident | None = None
    given: tuple[str, ...] = ()

    @property
    def partitions_known(self) -> bool:
        """Whether the record names any partition of the group."""
        return self.cost.partitions > 0

    @property
    def imported(self) -> str | None:
        """Its total as an import says it, partition-seconds; None: it is unknown, or not what is compared here."""
        found = self.unavailable["after_start"]
        ms, most = found["partition_ms"], found.get("at_most_partition_ms", found["partition_ms"])
        if self.window.given or ms is None or most is None:
            return None
        about = "" if found.get("at_least_partition_ms", ms) == most and not found.get("inexact") else "about "
        return f"{about}{seconds(ms)}"

    def measure(self, played: ReplayedRun) -> Cost:
        """What a replay cost."""
        members = () if self.incident is None else self.incident.members
        stuck = stuck_ms(members)
        return replayed_cost(played.facts, self.replayed_group, self.window, played.from_ms, played.to_ms, stuck)

    def refusal(self, choice: Choice) -> str | None:
        """Why the record can't answer a choice; None if it can."""
        return None if self.incident is None else refusal(self.incident, choice)

    def needs(self, choice: Choice) -> tuple[str, ...]:
        """Which limits of the brokers must be wider than by default, so that they take a choice."""
        return () if self.incident is None else needs(self.incident, choice)

    def has_already(self, choice: Choice) -> bool:
        """Whether the record has a choice already."""
        return self.incident is not None and has_already(self.incident, choice)

    def open_settings(self, choices: Sequence[Choice]) -> dict[str, tuple[int, int]]:
        """The settings that the record does not show and an answer depends on: between what (ms) they are taken."""
        return {} if self.incident is None else open_settings(self.incident, choices)


def replayable_run(
    store: EventStore,
    info: RunInfo,
    group: str | None = None,
    topics: Mapping[str, int] = {},
    given: Mapping[str, int | str] = {},
    choices: Sequence[Choice] = (),
    between: tuple[int, int] | None = None,
    consent: Consent = NONE,
) -> ReplayableRun:
    """One group of a run: `group`, else the one with the most generations. `choices` are those that will be replayed.

    `topics` are partition counts, `given` are settings that a record does not show, `between` is what is compared (ms
    of the record), else all from when the group first worked. `consent`: may the scenario file of a simulated run be
    executed? Raises BadScenario for a group that can't be replayed and for a `between` outside the record, LogError for
    a record without members of the group.
    """
    refuse_damaged(store, info)
    facts = list(store.read(info.id, types=STATE_CHANGING))
    chosen, others = _chosen(info, facts, group)
    if info.source == "simulated":
        scenario = scenario_of(info, consent)
        return _simulated(scenario, info, facts, chosen, others, between)
    own = [interval for interval in intervals(facts) if interval.group == chosen]
    by_logs = Supported(info.summary, own)
    given = {**given_settings(info.summary), **given}
    incident = reconstruct(facts, chosen, topics, given)
    facts = dated(facts, incident, incident.settings[SESSION])
    known = [generation for generation in incident.generations if generation.started_ms is not None]
    grown = grown_at_ms(incident)
    interval_ms = max([incident.settings[HEARTBEAT], *incident.open_settings.get(HEARTBEAT, ())])
    window = _window(facts, chosen, incident.ends_ms, interval_ms, between, by_logs.worked.get(chosen), grown)
    window = replace(window, no_earlier=incident.streams is not None)
    bounds = earliest(facts, incident), latest(facts, incident, given, doubts(info.summary))
    apart = [dated_facts for dated_facts in bounds if dated_facts != facts]
    cost, *costs = (recorded_cost(dated_facts, chosen, window, known, grown) for dated_facts in (facts, *apart))
    return ReplayableRun(
        name=info.name,
        group=chosen,
        replayed_group=GROUP,
        lasts_ms=incident.ends_ms,
        played_ms=played_ms(incident),
        members=len(incident.members),
        generations=known,
        window=window,
        cost=_inexact(_bounded(cost, costs), facts, chosen, precision(info.summary), between),
        unavailable=by_logs.unavailable(),
        notes=(*incident.notes, *others, *_about_times(info)),
        replay=partial(replay_incident, incident, tail_ms=tail_ms(incident, choices)),
        replay_exactly=partial(replay_incident, incident, AS_RECORDED, exact=True),
        incident=incident,
        given=(
            *(f"{name}={value}" for name, value in given.items()),
            *(f"{topic}={count} partitions" for topic, count in topics.items()),
        ),
    )


def _chosen(info: RunInfo, facts: Sequence[Recorded], group: str | None) -> tuple[str, tuple[str, ...]]:
    """The group to replay, and a note on the others. Raises BadScenario."""
    known = groups(facts)
    if not known:
        raise BadScenario(f"run {info.id} has no consumer group, so there is nothing to replay")
    if group is not None and group not in known:
        raise BadScenario(f"run {info.id} has no group {group!r}; it has: {listed(list(known))}")
    chosen = group or max(known, key=lambda name: known[name][1])
    rest = [name for name in known if name != chosen]
    notes = (f'only group "{chosen}" is replayed, not {listed(quoted(rest))}; --group chooses another',) if rest else ()
    return chosen, notes


def _bounded(cost: Cost, costs: Sequence[Cost]) -> Cost:
    """What was recorded, with the least and the most of it where the record shows a death only in bounds."""
    every = sorted(each.unavailable_partition_ms for each in (cost, *costs))
    return replace(cost, bounds_ms=(every[0], every[-1])) if every[0] < every[-1] else cost


def _about_times(info: RunInfo) -> Iterator[str]:
    exact = precision(info.summary)
    if exact.ms:
        yield f"{exact.why()}: how long each step of a rebalance took is known no better than that"


def _inexact(
    cost: Cost, facts: Sequence[Recorded], group: str, exact: Precision, between: tuple[int, int] | None
) -> Cost:
    """The cost with wider bounds, if the times of the record are not exact."""
    if not exact.ms:
        return cost
    own = [interval for interval in intervals(facts) if interval.group == group]
    less, more = coarse(own, exact.ms, cost.span_ms)
    least, most = cost.range_ms
    every = own if between is not None else list(within(own, *cost.span_ms))  # whose edges are of the record
    most = max(most, min(most + more, most_time(every, exact.ms, between)))
    return replace(cost, bounds_ms=(max(0, least - less), most), precision=exact)


def _window(
    facts: Sequence[Recorded],
    group: str,
    lasts_ms: int,
    interval_ms: int,
    between: tuple[int, int] | None,
    worked_ms: int | None,
    since_ms: Mapping[TopicPartition, int] = {},
) -> Window:
    if between is None:
        return default_window(facts, group, lasts_ms, interval_ms, since_ms, worked_ms)
    from_ms, to_ms = between
    if not 0 <= from_ms < min(to_ms, lasts_ms):
        raise BadScenario(f"between {from_ms} and {to_ms} ms there is nothing to compare: the run lasts {lasts_ms} ms")
    return Window(from_ms, min(to_ms, lasts_ms), given=True, to_the_end=to_ms >= lasts_ms, interval_ms=interval_ms)


def _simulated(
    scenario: Scenario,
    info: RunInfo,
    facts: Sequence[Recorded],
    group: str,
    others: tuple[str, ...],
    between: tuple[int, int] | None,
) -> ReplayableRun:
    """A simulated run: its scenario is run again."""
    lasts_ms = info.simulated_ms or 0

    def again(choice: Choice, seed: int) -> ReplayedRun:
        if choice.static is not None or choice.restart_ms is not None:
            raise BadScenario(
                f"{choice.name}: run {info.id} was simulated, and its scenario says who is static and who restarts;"
                " membership and restart.ms are for recorded incidents"
            )
        store = MemoryStore()
        settings = {**info.params, **choice.settings}
        result = run(scenario, store, seed=seed, settings=settings, record="batches").unless_interrupted()
        return ReplayedRun(list(store.read(result.info.id)), 0, result.info.simulated_ms or lasts_ms, result.failure)

    own = info.seed if info.seed is not None else scenario.seed
    generations = generations_of(facts, group)
    interval_ms = int(info.params.get(HEARTBEAT, HEARTBEAT_MS))
    found = [interval for interval in intervals(facts) if interval.group == group]
    window = _window(facts, group, lasts_ms, interval_ms, between, first_worked(found).get(group))
    return ReplayableRun(
        name=info.name,
        group=group,
        replayed_group=group,
        lasts_ms=lasts_ms,
        played_ms=lasts_ms,
        members=len({fact.event.process for fact in facts if isinstance(fact.event, ProcessStarted)}),
        generations=generations,
        window=window,
        cost=recorded_cost(facts, group, window, generations),
        unavailable=unavailable(found),
        notes=others,
        replay=again,
        replay_exactly=lambda _: again(AS_RECORDED, own),
    )
