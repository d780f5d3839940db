"""Recorded and re-enacted runs, per scenario and assignor: `python -m recorders.table DIRECTORY`.

With how well an exact model would do with so few repetitions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.timelines import equivalence
from groupsim.conformance.timelines.recording import BadRecording, parse
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


HEAD = (
    "| recording | recorded partition-ms | re-enacted | generations | in the window | callbacks | unavailable "
    "| inside | medians | by chance | as far |\n|---|---|---|---|---|---|---|---|---|---|---|"
)
COUNTED: dict[str, Callable[[Repetitions], bool]] = {
    "generations": lambda row: row.met(lambda run: run.generations),
    "callbacks": lambda row: row.met(lambda run: run.callbacks),
    "unavailable": lambda row: row.met(_unavailable),
    "inside": Repetitions.inside,
    "medians": Repetitions.near,
}


def pairs(paths: Iterable[Path], seeds: range) -> Iterator[Pair]:
    """Recordings (`recording.json`) with their re-enactments; those that can't be re-enacted are named on stderr."""
    for path in sorted(paths, key=lambda p: p.parent.name.rsplit("__", 1)):
        try:
            yield pair(json.loads(path.read_text()), seeds)
        except BadRecording as error:
            print(f"left out: {error}", file=sys.stderr)


def rows(recorded: Iterable[Pair]) -> Iterator[Repetitions]:
    """A row per scenario, assignor and initial delay, of pairs in the order of `pairs`."""
    for kind, repetitions in groupby(recorded, key=lambda p: p.kind):
        yield Repetitions(kind, tuple(repetitions))


def pooled(recorded: Iterable[Pair]) -> list[Repetitions]:
    """A row per scenario, library and way of rebalancing."""
    pools: dict[str, list[Pair]] = defaultdict(list)
    for repetition in recorded:
        pools[repetition.pool].append(repetition)
    return [Repetitions(pool, members) for pool, members in sorted(pools.items())]


def line(row: Repetitions) -> str:
    """A row of a Markdown table."""
    recorded, played = row.durations()
    cells = [
        row.name,
        _range(recorded),
        _range(played),
        f"{_yes(row.met(lambda run: run.generations))} {row.share(lambda run: run.generations):.0%}",
        f"{_yes(row.met(lambda run: run.in_window))} {row.share(lambda run: run.in_window):.0%}",
        f"{_yes(row.met(lambda run: run.callbacks))} {row.share(lambda run: run.callbacks):.0%}",
        f"{_yes(row.met(_unavailable))} {row.share(_unavailable):.0%}",
        _yes(row.inside()),
        _yes(row.near()),
        f"{row.chance_near():.0%}",
        f"{row.as_far():.0%}",
    ]
    return "| " + " | ".join(cells) + " |"


def totals(table: Sequence[Repetitions]) -> str:
    """How many rows meet what, and how many of them an exact model would be expected to."""
    counted = ", ".join(f"{name} {sum(meets(row) for row in table)}" for name, meets in COUNTED.items())
    exact = "; ".join(
        f"{name} {sum(chances):.1f} ± {sum(p * (1 - p) for p in chances) ** 0.5:.1f}"
        for name, chances in (
            ("inside", [row.chance_inside() for row in table]),
            ("medians", [row.chance_near() for row in table]),
        )
    )
    return f"{len(table)} rows; {counted}\nexpected of an exact model: {exact}"


def _unavailable(run: Features) -> tuple[str, ...]:
    return run.unavailable_partitions


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"


def _range(values: list[int]) -> str:
    return f"{round(median(values))} ({values[0]}–{values[-1]})"


def main() -> None:
    """Print the table, and with --pooled a second one of the same re-enactments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seeds", type=int, default=50, help="how many seeds for each repetition")
    parser.add_argument("--only", default="", help="only recordings whose id contains this")
    parser.add_argument("--pooled", action="store_true", help="then a row per scenario, library and way of rebalancing")
    given = parser.parse_args()
    known: list[Pair] = []
    table: list[Repetitions] = []
    print(HEAD)
    for row in rows(pairs(given.directory.glob(f"*{given.only}*/recording.json"), range(given.seeds))):
        print(line(row), flush=True)
        known += row.pairs
        table.append(row)
    print(f"\n{totals(table)}")
    if given.pooled:
        print("\n" + "\n".join([HEAD, *map(line, pooled(known)), "", totals(pooled(known))]))


if __name__ == "__main__":
    main()
