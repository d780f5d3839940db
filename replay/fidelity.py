"""Fidelity: how far a replayed incident is from its record, generation by generation and phase by phase."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import median

from groupsim.replay.player import ReplayedRun
from groupsim.replay.reconstruct.rebalances import Generation, generations_of
from groupsim.replay.replayed_group import GROUP

SHARE, LEAST_MS = 0.2, 100
"""A phase is met if it is off by at most this share of the recorded duration, or by at most so many ms."""
UNKNOWN_SIZE = 0
"""The size of a generation whose members no log names."""


@dataclass(frozen=True, slots=True)
class PhaseDurations:
    """One phase of a generation, in ms; `played_ms` is the median of the seeds."""

    recorded_ms: int
    played_ms: int

    @property
    def error_ms(self) -> int:
        """The absolute difference."""
        return abs(self.played_ms - self.recorded_ms)

    @property
    def met(self) -> bool:
        """Close enough."""
        return self.error_ms <= max(LEAST_MS, SHARE * self.recorded_ms)


@dataclass(frozen=True, slots=True)
class GenerationPair:
    """A recorded generation and the replayed one; None: only the other side has it, or it has no such phase."""

    recorded: Generation | None
    played: Generation | None
    join: PhaseDurations | None = None
    sync: PhaseDurations | None = None

    @property
    def same(self) -> bool:
        """Both sides have it, with the same size and cause, where both know these."""
        if self.recorded is None or self.played is None:
            return False
        if self.recorded.size not in (UNKNOWN_SIZE, self.played.size):
            return False
        causes = {_cause(self.recorded), _cause(self.played)}
        return len(causes) == 1 or "unknown" in causes


@dataclass(frozen=True, slots=True)
class Fidelity:
    """`matched` recorded generations are the same in the replay; errors of all phases in ms, None without any."""

    pairs: tuple[GenerationPair, ...]
    recorded: int
    played: int
    matched: int
    median_error_ms: int | None
    p95_error_ms: int | None

    @property
    def phases(self) -> list[PhaseDurations]:
        """All phases that both sides have."""
        return [phase for pair in self.pairs for phase in (pair.join, pair.sync) if phase is not None]

    @property
    def holds(self) -> bool:
        """As many generations, and every phase close enough."""
        return self.recorded == self.played and all(phase.met for phase in self.phases)


def fidelity(generations: Sequence[Generation], runs: Sequence[ReplayedRun], group: str = GROUP) -> Fidelity:
    """Compare the recorded generations of a group with replays of its incident.

    Where the replays differ in the number of generations, those with the median number are compared.
    """
    recorded = [g for g in generations if g.started_ms is not None]
    played = [generations_within(run, group) for run in runs]
    count = sorted(map(len, played))[len(played) // 2]
    typical = [each for each in played if len(each) == count]
    pairs = tuple(_paired(recorded, typical))
    errors = sorted(p.error_ms for pair in pairs for p in (pair.join, pair.sync) if p is not None)
    return Fidelity(
        pairs=pairs,
        recorded=len(recorded),
        played=count,
        matched=sum(pair.same for pair in pairs),
        median_error_ms=round(median(errors)) if errors else None,
        p95_error_ms=errors[math.ceil(0.95 * len(errors)) - 1] if errors else None,
    )


def generations_within(run: ReplayedRun, group: str = GROUP) -> list[Generation]:
    """The generations of a replay that began within the time of the record."""
    found = generations_of(run.facts, group)
    return [g for g in found if g.started_ms is not None and run.from_ms <= g.started_ms <= run.to_ms]


def _paired(recorded: list[Generation], played: list[list[Generation]]) -> list[GenerationPair]:
    """Generations side by side; where their numbers differ, those of equal size and cause are paired."""
    first = played[0]
    if len(recorded) == len(first):
        return [_pair(before, [each[i] for each in played]) for i, before in enumerate(recorded)]
    matcher = SequenceMatcher(None, [_key(g) for g in recorded], [_key(g) for g in first], autojunk=False)
    pairs: list[GenerationPair] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        both = b - a if kind == "equal" else min(b - a, d - c)
        pairs += [_pair(recorded[a + i], [first[c + i]]) for i in range(both)]
        pairs += [GenerationPair(generation, None) for generation in recorded[a + both : b]]
        pairs += [GenerationPair(None, generation) for generation in first[c + both : d]]
    return pairs


def _key(generation: Generation) -> tuple[int, str]:
    return generation.size, _cause(generation)


def _cause(generation: Generation) -> str:
    """Whether the leader is the first of several to rejoin is chance."""
    return "member-rejoined" if generation.cause == "leader-rejoined" else generation.cause


def _pair(recorded: Generation, played: list[Generation]) -> GenerationPair:
    return GenerationPair(
        recorded,
        played[0],
        _durations(recorded.join_ms, [g.join_ms for g in played]),
        _durations(recorded.sync_ms, [g.sync_ms for g in played]),
    )


def _durations(recorded_ms: int | None, played_ms: list[int | None]) -> PhaseDurations | None:
    known = [ms for ms in played_ms if ms is not None]
    return PhaseDurations(recorded_ms, round(median(known))) if recorded_ms is not None and known else None
