"""A stored run as a story that can be played again: a recorded one by its plot, a simulated one by its scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from groupsim.events.base import Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.client import ProcessStarted
from groupsim.replay.player import AS_RECORDED, GROUP, Choice, Played, play, tail_ms
from groupsim.replay.reconstruct.incident import groups, plot
from groupsim.replay.reconstruct.rebalances import Generation, generations
from groupsim.replay.what_if import Cost, cost
from groupsim.scenarios import catalogue
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import EventStore, RunInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayableRun:
    """What is known of one group of a run, and how it is played: `play` by choice and seed, `play_exactly` by seed.

    `played_group` is what the group is called in the played runs; `members`: how many processes are played at most;
    `notes`: what had to be assumed.
    """

    name: str
    group: str
    played_group: str
    lasts_ms: int
    members: int
    generations: Sequence[Generation]
    cost: Cost
    notes: tuple[str, ...]
    play: Callable[[Choice, int], Played]
    play_exactly: Callable[[int], Played]

    @property
    def partitions_told(self) -> bool:
        """Whether the record names any partition of the group."""
        return self.cost.partitions > 0


def story(
    store: EventStore,
    info: RunInfo,
    group: str | None = None,
    topics: Mapping[str, int] = {},
    given: Mapping[str, int | str] = {},
    choices: Sequence[Choice] = (),
) -> ReplayableRun:
    """The story of one group of a run: `group`, else the one with the most generations; `choices` are to be played.

    `topics` are partition counts, `given` are settings that a record does not tell. Raises BadScenario for a group that
    can't be played, LogError for a record that holds no story.
    """
    facts = list(store.read(info.id, types=STATE_CHANGING))
    chosen, others = _chosen(info, facts, group)
    if info.source == "simulated":
        return _simulated(info, facts, chosen, others)
    found = plot(facts, chosen, topics, given)
    known = [generation for generation in found.generations if generation.started_ms is not None]
    return ReplayableRun(
        name=info.name,
        group=chosen,
        played_group=GROUP,
        lasts_ms=found.ends_ms,
        members=len(found.actors),
        generations=known,
        cost=cost(facts, chosen, 0, found.ends_ms, len(known)),
        notes=(*found.notes, *others),
        play=partial(play, found, tail_ms=tail_ms(found, choices)),
        play_exactly=lambda seed: play(found, AS_RECORDED, seed, exact=True),
    )


def _chosen(info: RunInfo, facts: Sequence[Recorded], group: str | None) -> tuple[str, tuple[str, ...]]:
    """The group to play, and what is said of the others. Raises BadScenario."""
    known = groups(facts)
    if not known:
        raise BadScenario(f"run {info.id} holds no consumer group; there is no story to play again")
    classic = [name for name, (protocol, _) in known.items() if protocol == "classic"]
    if group is not None and group not in known:
        raise BadScenario(f"run {info.id} has no group {group!r}; it has: {_listed(list(known))}")
    if not classic or (group is not None and group not in classic):
        named = group or _listed(list(known))
        raise BadScenario(
            f"group {named} of run {info.id} uses the consumer protocol (KIP-848), which is not simulated; only groups"
            " of the classic protocol can be played again"
        )
    chosen = group or max(classic, key=lambda name: known[name][1])
    rest = [name for name in known if name != chosen]
    said = (f"played is group {chosen} alone, not {_listed(rest)} (--group chooses another)",) if rest else ()
    return chosen, said


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


def _simulated(info: RunInfo, facts: Sequence[Recorded], group: str, others: tuple[str, ...]) -> ReplayableRun:
    """A run of a scenario: the scenario is the story."""
    told = catalogue.find(info.scenario_path or info.name)
    lasts_ms = info.simulated_ms or 0

    def again(choice: Choice, seed: int) -> Played:
        if choice.static is not None or choice.restart_ms is not None:
            raise BadScenario(
                f"{choice.name}: run {info.id} was simulated, and its scenario says who is static and who restarts;"
                " membership and restart.ms are for recorded incidents"
            )
        store = MemoryStore()
        result = run(told, store, seed=seed, settings={**info.params, **choice.settings}, record="facts")
        return Played(list(store.read(result.info.id)), 0, result.info.simulated_ms or lasts_ms, result.failure)

    own = info.seed if info.seed is not None else told.seed
    passed = generations(facts, group)
    return ReplayableRun(
        name=info.name,
        group=group,
        played_group=group,
        lasts_ms=lasts_ms,
        members=len({fact.event.process for fact in facts if isinstance(fact.event, ProcessStarted)}),
        generations=passed,
        cost=cost(facts, group, 0, lasts_ms, len(passed)),
        notes=others,
        play=again,
        play_exactly=lambda _: again(AS_RECORDED, own),
    )
