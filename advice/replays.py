"""Replays of a recorded incident: a choice and a seed become measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from groupsim.advice.choices import Choice, in_words
from groupsim.advice.refused import Refused
from groupsim.advice.selection import Row, Sample
from groupsim.advice.unknown import Unknown, drawn
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.coordinator.config import BadSetting
from groupsim.events.errors import GroupsimError
from groupsim.pipeline.parallel import Spread
from groupsim.replay import choice as replayed
from groupsim.replay.choice_settings import choice_of
from groupsim.replay.cost import Cost, replayed_cost
from groupsim.replay.member_program import stuck_ms
from groupsim.replay.player import ReplayedRun, check, replay_incident
from groupsim.replay.protocols import protocols
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.refusals import refusal
from groupsim.replay.replayed_group import GROUP
from groupsim.replay.verdict import Verdict
from groupsim.replay.window import Window

MEASURES = {
    "partition_ms": "partition-milliseconds without a running process that held the partition, after start-up",
    "worst_partition_ms": "the same of the partition with most of them",
    "p95_partition_ms": "95 % of the partitions were not held for at most so long",
    "outage_ms": "time with at least one partition not held, after start-up",
    "longest_partition_ms": "longest time that one partition was not held without a break, after start-up",
    "max_partitions": "most partitions not held at once",
    "detection_ms": "longest time that a partition's owner was dead (not frozen) and still in the group",
    "rework_ms": "partition-milliseconds with a process that is not entitled: its work is done again",
    "rebalances": "rebalances of the group",
    "unpolled_ms": "partition-milliseconds held, but only by processes that were stuck in a batch and did not poll",
    "unsafe_ms": "partition-milliseconds with two owners that both may commit",
    "founding_ms": "partition-milliseconds of start-up, part of nothing else",
}
"""By name: what it is. What depends on how many records come, or on commits, no log shows."""

UNFINISHED = "a simulation ends before all partitions are held again, so the amounts are lower bounds"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is replayed. `tail_ms`: how long after the record's end effects count, for every choice."""

    incident: Incident
    window: Window
    tail_ms: int

    @property
    def protocol(self) -> str | None:
        """The protocol of the recorded members; None if there are both."""
        found = protocols(self.incident, replayed.AS_RECORDED)
        return found.pop() if len(found) == 1 else None

    def choice(self, settings: Mapping[str, str]) -> replayed.Choice:
        """These settings as a choice of a what-if. Raises BadSetting."""
        return choice_of(settings, in_words(settings), "--vary", self.protocol)

    def refusal(self, settings: Choice) -> Refused | None:
        """Why there is no answer to them; None if there is, as far as can be said without a simulation."""
        try:
            choice = self.choice(settings)
            if (why := refusal(self.incident, choice)) is not None:
                return Refused(settings, why, Verdict.REFUSED)
            check(self.incident, choice)
        except BadSetting as error:
            return Refused(settings, str(error))
        return None


@dataclass(frozen=True, slots=True)
class Work:
    """One replay. `held`: open settings of the record by name, in ms, that are not drawn."""

    settings: Mapping[str, str]
    held: Mapping[str, int]
    seed: int


@dataclass(frozen=True, slots=True)
class Done:
    """Measures of one replay. `stopped`: why it could not go on to its end; `refused`: why there is none."""

    row: Row = field(default_factory=dict)
    stopped: str | None = None
    refused: str | None = None


def play(of: Replayed, work: Work) -> Done:
    """Replay and measure."""
    open_ = {**of.incident.open_settings, **{key: (value,) for key, value in work.held.items()}}
    incident = replace(of.incident, open_settings=open_)
    choice = of.choice(work.settings) if work.settings else replayed.AS_RECORDED
    try:
        run = replay_incident(incident, choice, work.seed, tail_ms=of.tail_ms)
    except GroupsimError as error:
        return Done(refused=str(error))
    cost = replayed_cost(run.facts, GROUP, of.window, run.from_ms, run.to_ms, stuck_ms(incident.members))
    return Done(measured(run, cost), run.failure or (UNFINISHED if cost.unfinished else None))


def measured(run: ReplayedRun, cost: Cost) -> dict[str, float]:
    """Every measure of one replay, which cost this."""
    from_ms, to_ms = cost.span_ms
    dead, rework = 0, 0
    for each in intervals(run.facts, to_ms):
        lasts = each.to_ms - max(each.from_ms, from_ms)
        if lasts > 0 and each.label == Label.OWNER_DEAD:
            dead = max(dead, lasts)
        elif lasts > 0 and each.label in (Label.ZOMBIE_ONLY, Label.DOUBLE):
            rework += lasts
    return {
        "partition_ms": cost.unavailable_partition_ms,
        "worst_partition_ms": cost.worst_partition_ms,
        "p95_partition_ms": cost.p95_partition_ms,
        "outage_ms": cost.outage_ms,
        "longest_partition_ms": cost.longest_partition_ms,
        "max_partitions": cost.max_partitions,
        "detection_ms": dead,
        "rework_ms": rework,
        "rebalances": cost.rebalances,
        "unpolled_ms": cost.unpolled_partition_ms,
        "unsafe_ms": cost.unsafe_ms,
        "founding_ms": cost.founding_ms,
    }


class Replays:
    """Replays of one incident; seed 0 of a selection is `first_seed`. `progress` gets how many there were so far.

    `stopped`: why some could not go on to their end, by choice in words.
    """

    def __init__(
        self,
        of: Replayed,
        first_seed: int,
        spread: Spread,
        progress: Callable[[int], None],
    ) -> None:
        self.of, self._first_seed, self._spread, self._progress = of, first_seed, spread, progress
        self._known: dict[tuple[object, ...], Done] = {}
        self.done = 0
        self.stopped: dict[str, str] = {}

    def refused(self, choices: Sequence[Choice]) -> list[Refused]:
        """The choices to which there is no answer, and why. Each of the others is replayed once."""
        found = {i: why for i, choice in enumerate(choices) if (why := self.of.refusal(choice)) is not None}
        rest = [i for i in range(len(choices)) if i not in found]
        for i, done in zip(rest, self._play([Work(choices[i], {}, self._first_seed) for i in rest]), strict=True):
            if done.refused is not None:
                found[i] = Refused(choices[i], done.refused)
        return [found[i] for i in sorted(found)]

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] | None = None) -> Sample:
        """A way to sample these choices; what is `unknown` is drawn by the seed, but for what is `held`."""
        known, first = held or {}, self._first_seed
        drawn_ = {key: found for key, found in unknown.items() if not self._open(key)}
        settings = {key: value for key, value in known.items() if not self._open(key)}
        shown = {key: int(value) for key, value in known.items() if self._open(key)}

        def sampled(asked: Sequence[tuple[int, int]]) -> list[Row]:
            works = [
                Work({**drawn(drawn_, nth, first), **settings, **choices[i]}, shown, first + nth) for i, nth in asked
            ]
            return [done.row for done in self._answered(works)]

        return sampled

    def _open(self, key: str) -> bool:
        """Whether the record leaves this setting open: each replay draws it from what fits."""
        return key in self.of.incident.open_settings

    def _answered(self, works: Sequence[Work]) -> list[Done]:
        found = self._play(works)
        for work, done in zip(works, found, strict=True):
            if done.refused is not None:
                raise BadSetting(f"{in_words(work.settings)}, seed {work.seed}: {done.refused}")
        return found

    def _play(self, works: Sequence[Work]) -> list[Done]:
        new = [work for work in works if _key(work) not in self._known]
        for work, done in zip(new, self._spread(partial(play, self.of), new), strict=True):
            self._known[_key(work)] = done
            self.done += 1
            if done.stopped:
                self.stopped.setdefault(in_words(work.settings), done.stopped)
            self._progress(self.done)
        return [self._known[_key(work)] for work in works]


def _key(work: Work) -> tuple[object, ...]:
    return tuple(work.settings.items()), tuple(work.held.items()), work.seed
