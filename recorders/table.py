"""Recorded and re-enacted runs, per scenario and assignor: `python -m recorders.table DIRECTORY`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median

from groupsim.conformance.timelines.recording import BadRecording
from recorders.timelines.repetitions import Features, Pair, Repetitions, pair

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


def rows(found: Iterable[Pair]) -> Iterator[Repetitions]:
    """A row per scenario, assignor and initial delay, of pairs in the order of `pairs`."""
    for kind, repetitions in groupby(found, key=lambda p: p.kind):
        yield Repetitions(kind, tuple(repetitions))


def pooled(found: Iterable[Pair]) -> list[Repetitions]:
    """A row per scenario, library and way of rebalancing."""
    pools: dict[str, list[Pair]] = defaultdict(list)
    for each in found:
        pools[each.pool].append(each)
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
