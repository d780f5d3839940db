"""How far a plot that was played again is from its record: generation by generation, phase by phase."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import median

from groupsim.replay.player import GROUP, Played
from groupsim.replay.reconstruct.rebalances import Generation, generations

SHARE, LEAST_MS = 0.2, 100
"""A phase is met if it is off by no more than this share of what was recorded, or by so many ms."""
UNTOLD = 0
"""The size of a generation whose members no log tells."""


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of a generation, in ms; `played_ms` is the median of the seeds."""

    recorded_ms: int
    played_ms: int

    @property
    def error_ms(self) -> int:
        """How far off, either way."""
        return abs(self.played_ms - self.recorded_ms)

    @property
    def met(self) -> bool:
        """Close enough."""
        return self.error_ms <= max(LEAST_MS, SHARE * self.recorded_ms)


@dataclass(frozen=True, slots=True)
class Pair:
    """A generation beside what was played; None: only the other side has it, or it has no such phase."""

    recorded: Generation | None
    played: Generation | None
    join: Phase | None = None
    sync: Phase | None = None

    @property
    def same(self) -> bool:
        """Both sides have it, as large, and for the same cause, where both know that."""
        if self.recorded is None or self.played is None:
            return False
        if self.recorded.size not in (UNTOLD, self.played.size):
            return False
        causes = {_cause(self.recorded), _cause(self.played)}
        return len(causes) == 1 or "unknown" in causes


@dataclass(frozen=True, slots=True)
class Fidelity:
    """`matched` of the recorded generations were played as they were; errors of both phases in ms, None without any."""

    pairs: tuple[Pair, ...]
    recorded: int
    played: int
    matched: int
    median_error_ms: int | None
    p95_error_ms: int | None

    @property
    def phases(self) -> list[Phase]:
        """All phases that both sides have."""
        return [phase for pair in self.pairs for phase in (pair.join, pair.sync) if phase is not None]

    @property
    def holds(self) -> bool:
        """As many generations, and every phase close enough."""
        return self.recorded == self.played and all(phase.met for phase in self.phases)


def fidelity(passed: Sequence[Generation], runs: Sequence[Played], group: str = GROUP) -> Fidelity:
    """Compare what a record tells of a group with runs of its plot.

    Where the runs differ in the number of generations, those with the middle number stand for all.
    """
    recorded = [g for g in passed if g.started_ms is not None]
    played = [within(run, group) for run in runs]
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


def within(run: Played, group: str = GROUP) -> list[Generation]:
    """The generations of a run that began while the record lasts."""
    found = generations(run.facts, group)
    return [g for g in found if g.started_ms is not None and run.from_ms <= g.started_ms <= run.to_ms]


def _paired(recorded: list[Generation], played: list[list[Generation]]) -> list[Pair]:
    """Generations side by side; where their numbers differ, those of equal size and cause find each other."""
    first = played[0]
    if len(recorded) == len(first):
        return [_pair(was, [each[i] for each in played]) for i, was in enumerate(recorded)]
    matcher = SequenceMatcher(None, [_key(g) for g in recorded], [_key(g) for g in first], autojunk=False)
    pairs: list[Pair] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        both = b - a if kind == "equal" else min(b - a, d - c)
        pairs += [_pair(recorded[a + i], [first[c + i]]) for i in range(both)]
        pairs += [Pair(was, None) for was in recorded[a + both : b]]
        pairs += [Pair(None, now) for now in first[c + both : d]]
    return pairs


def _key(generation: Generation) -> tuple[int, str]:
    return generation.size, _cause(generation)


def _cause(generation: Generation) -> str:
    """Whether the leader is the first of several to rejoin is chance."""
    return "member-rejoined" if generation.cause == "leader-rejoined" else generation.cause


def _pair(was: Generation, now: list[Generation]) -> Pair:
    return Pair(
        was,
        now[0],
        _phase(was.join_ms, [g.join_ms for g in now]),
        _phase(was.sync_ms, [g.sync_ms for g in now]),
    )


def _phase(recorded_ms: int | None, played_ms: list[int | None]) -> Phase | None:
    known = [ms for ms in played_ms if ms is not None]
    return Phase(recorded_ms, round(median(known))) if recorded_ms is not None and known else None
