"""ReplayableRun: one group of a stored run that can be replayed: of a recorded run its incident, else the scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.client import ProcessStarted
from groupsim.incidents.sentences import listed
from groupsim.replay.player import AS_RECORDED, GROUP, Choice, ReplayedRun, replay_incident, tail_ms
from groupsim.replay.reconstruct.incident import Incident, groups, reconstruct
from groupsim.replay.reconstruct.rebalances import Generation, generations_of
from groupsim.replay.what_if import Cost, cost
from groupsim.scenarios import catalogue
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import EventStore, RunInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayableRun:
    """What is known of one group of a run, and how to replay it: `replay` by choice and seed, `replay_exactly` by seed.

    `replayed_group` is the group's name in the replays; `members`: how many processes they have at most; `notes`: what
    had to be assumed. `incident`: what is replayed of a recorded run (None: the run was simulated).
    """

    name: str
    group: str
    replayed_group: str
    lasts_ms: int
    members: int
    generations: Sequence[Generation]
    cost: Cost
    notes: tuple[str, ...]
    replay: Callable[[Choice, int], ReplayedRun]
    replay_exactly: Callable[[int], ReplayedRun]
    incident: Incident | None = None

    @property
    def partitions_known(self) -> bool:
        """Whether the record names any partition of the group."""
        return self.cost.partitions > 0


def replayable_run(
    store: EventStore,
    info: RunInfo,
    group: str | None = None,
    topics: Mapping[str, int] = {},
    given: Mapping[str, int | str] = {},
    choices: Sequence[Choice] = (),
) -> ReplayableRun:
    """One group of a run: `group`, else the one with the most generations. `choices` are those that will be replayed.

    `topics` are partition counts, `given` are settings that a record does not show. Raises BadScenario for a group that
    can't be replayed, LogError for a record without members of it.
    """
    facts = list(store.read(info.id, types=STATE_CHANGING))
    chosen, others = _chosen(info, facts, group)
    if info.source == "simulated":
        return _simulated(info, facts, chosen, others)
    incident = reconstruct(facts, chosen, topics, given)
    known = [generation for generation in incident.generations if generation.started_ms is not None]
    return ReplayableRun(
        name=info.name,
        group=chosen,
        replayed_group=GROUP,
        lasts_ms=incident.ends_ms,
        members=len(incident.members),
        generations=known,
        cost=cost(facts, chosen, 0, incident.ends_ms, len(known)),
        notes=(*incident.notes, *others),
        replay=partial(replay_incident, incident, tail_ms=tail_ms(incident, choices)),
        replay_exactly=lambda seed: replay_incident(incident, AS_RECORDED, seed, exact=True),
        incident=incident,
    )


def _chosen(info: RunInfo, facts: Sequence[Recorded], group: str | None) -> tuple[str, tuple[str, ...]]:
    """The group to replay, and a note on the others. Raises BadScenario."""
    known = groups(facts)
    if not known:
        raise BadScenario(f"run {info.id} has no consumer group, so there is nothing to replay")
    classic = [name for name, (protocol, _) in known.items() if protocol == "classic"]
    if group is not None and group not in known:
        raise BadScenario(f"run {info.id} has no group {group!r}; it has: {listed(list(known))}")
    if not classic or (group is not None and group not in classic):
        named = group or listed(list(known))
        raise BadScenario(
            f"group {named} of run {info.id} uses the consumer protocol (KIP-848), which is not simulated; only groups"
            " of the classic protocol can be replayed"
        )
    chosen = group or max(classic, key=lambda name: known[name][1])
    rest = [name for name in known if name != chosen]
    notes = (f"only group {chosen} is replayed, not {listed(rest)}; --group chooses another",) if rest else ()
    return chosen, notes


def _simulated(info: RunInfo, facts: Sequence[Recorded], group: str, others: tuple[str, ...]) -> ReplayableRun:
    """A simulated run: its scenario is run again."""
    scenario = catalogue.find(info.scenario_path or info.name)
    lasts_ms = info.simulated_ms or 0

    def again(choice: Choice, seed: int) -> ReplayedRun:
        if choice.static is not None or choice.restart_ms is not None:
            raise BadScenario(
                f"{choice.name}: run {info.id} was simulated, and its scenario says who is static and who restarts;"
                " membership and restart.ms are for recorded incidents"
            )
        store = MemoryStore()
        result = run(scenario, store, seed=seed, settings={**info.params, **choice.settings}, record="facts")
        return ReplayedRun(list(store.read(result.info.id)), 0, result.info.simulated_ms or lasts_ms, result.failure)

    own = info.seed if info.seed is not None else scenario.seed
    generations = generations_of(facts, group)
    return ReplayableRun(
        name=info.name,
        group=group,
        replayed_group=group,
        lasts_ms=lasts_ms,
        members=len({fact.event.process for fact in facts if isinstance(fact.event, ProcessStarted)}),
        generations=generations,
        cost=cost(facts, group, 0, lasts_ms, len(generations)),
        notes=others,
        replay=again,
        replay_exactly=lambda _: again(AS_RECORDED, own),
    )
