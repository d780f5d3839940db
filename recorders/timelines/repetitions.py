"""Repetitions of one recording and their re-enactments, and how well an exact model would do with so few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from groupsim.conformance.timelines import equivalence
from groupsim.conformance.timelines.recording import parse
from groupsim.conformance.timelines.reenact import reenact


@dataclass(frozen=True, slots=True)
class Features:
    """The compared features of one run; `unavailable_ms`: partition-milliseconds in the window."""

    generations: equivalence.Generations
    in_window: tuple[int, ...]
    callbacks: equivalence.Callbacks
    unavailable_partitions: tuple[str, ...]
    unavailable_ms: int


Feature = Callable[[Features], object]


def features(run: dict[str, Any]) -> Features:
    """A recorded or a re-enacted run (a `recording.json`)."""
    return Features(
        generations=equivalence.generations(run),
        in_window=_generations_in_window(run),
        callbacks=equivalence.callbacks(run),
        unavailable_partitions=equivalence.unavailable_partitions(run),
        unavailable_ms=equivalence.unavailable_ms(run),
    )


def _generations_in_window(run: dict[str, Any]) -> tuple[int, ...]:
    """The sizes of the generations that began in the window: independent of how the run started."""
    opens = run["summary"]["window_ms"][0]
    return tuple(row.get("n_members", 0) for row in equivalence.begun(run) if row["t_ms"] >= opens)


@dataclass(frozen=True, slots=True)
class Pair:
    """One recording and its re-enactments, one per seed. `pool`: its scenario, library and way of rebalancing."""

    id: str
    pool: str
    recorded: Features
    played: tuple[Features, ...]

    @property
    def kind(self) -> str:
        """The id without the repetition."""
        return self.id.rpartition("__")[0]


def pair(record: dict[str, Any], seeds: Iterable[int]) -> Pair:
    """Re-enact a recording under every seed. Raises BadRecording."""
    way = "cooperative" if "cooperative-sticky" in record["assignor"] else "eager"
    played = tuple(features(reenact(record, seed)) for seed in seeds)
    return Pair(record["id"], f"{record['scenario']} {parse(record).library} {way}", features(record), played)


@dataclass(frozen=True, slots=True)
class Repetitions:
    """All repetitions of one kind, each with as many re-enactments."""

    name: str
    pairs: Sequence[Pair]

    @property
    def recorded(self) -> list[Features]:
        """All repetitions."""
        return [p.recorded for p in self.pairs]

    @property
    def played(self) -> list[Features]:
        """All re-enactments."""
        return [run for p in self.pairs for run in p.played]

    def share(self, feature: Feature) -> float:
        """The share of re-enactments that show what some repetition shows."""
        known = {feature(r) for r in self.recorded}
        return sum(feature(p) in known for p in self.played) / len(self.played)

    def met(self, feature: Feature) -> bool:
        """Whether every repetition's is among the re-enactments'."""
        return {feature(r) for r in self.recorded} <= {feature(p) for p in self.played}

    def durations(self) -> tuple[list[int], list[int]]:
        """Sorted partition-milliseconds: recorded, re-enacted."""
        recorded, played = self.recorded, self.played
        return sorted(r.unavailable_ms for r in recorded), sorted(p.unavailable_ms for p in played)

    def inside(self) -> bool:
        """Whether the recorded partition-milliseconds lie in the re-enacted range."""
        return _inside(self.recorded, self.played)

    def near(self) -> bool:
        """Whether the medians are within 10 % or 50 ms per partition."""
        return _near(self.recorded, _median(self.played))

    def draws(self) -> list[tuple[Features, ...]]:
        """Re-enactments as if they were the repetitions: of every recording the one under the same seed."""
        return list(zip(*(p.played for p in self.pairs), strict=True))

    def chance_near(self) -> float:
        """The share of draws whose median is near: how often an exact model would be found near by so few runs."""
        middle = _median(self.played)
        return sum(_near(draw, middle) for draw in self.draws()) / len(self.draws())

    def chance_inside(self) -> float:
        """The share of draws that lie in the range of all the others."""
        draws = self.draws()
        others = [[run for j, other in enumerate(draws) if j != i for run in other] for i in range(len(draws))]
        return sum(_inside(draw, rest) for draw, rest in zip(draws, others, strict=True)) / len(draws)

    def as_far(self) -> float:
        """The share of draws whose median is at least as far from the re-enacted one as the recorded median is."""
        middle = _median(self.played)
        off = abs(_median(self.recorded) - middle)
        return sum(abs(_median(draw) - middle) >= off for draw in self.draws()) / len(self.draws())


def _median(runs: Iterable[Features]) -> float:
    return median(run.unavailable_ms for run in runs)


def _near(runs: Sequence[Features], middle: float) -> bool:
    partitions = max(len(run.unavailable_partitions) for run in runs)
    return equivalence.near(_median(runs), middle, partitions)


def _inside(runs: Sequence[Features], others: Sequence[Features]) -> bool:
    durations = [run.unavailable_ms for run in others]
    return all(min(durations) <= run.unavailable_ms <= max(durations) for run in runs)
