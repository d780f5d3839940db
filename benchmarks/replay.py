"""How long readers of a run of ten million facts take: `python -m benchmarks.replay [FACTS] [STORE]`.

The run is one rolling restart, simulated, and its facts over and over, each time later, until there are enough. Where
STORE is given, it is made there unless it is there already, and stays. Each figure is a whole call of the program, as a
user waits for it, and beside it the processor's time, which a busy machine does not stretch: the first `replay --at`
folds the run and keeps snapshots, the others begin at the nearest one.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from groupsim.scenarios import catalogue
from groupsim.simulation.run import run
from groupsim.storage import EventStore, open_store
from groupsim.storage.codec import Row
from groupsim.storage.memory import MemoryStore

FACTS = 10_000_000
SCENARIO = "rolling_restart"
AIM_S = 2.0
INSTANTS = 9


def repeated(rows: list[Row], lasts_ms: int, facts: int) -> Iterator[Row]:
    """At least one round of `rows` and never a part of one, until there are `facts` of them."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row[2]] = counts.get(row[2], 0) + 1
    for turn in range(-(-facts // len(rows))):
        for seq, at_ms, stream, version, *rest in rows:
            shifted = (seq + turn * len(rows), at_ms + turn * lasts_ms, stream, version + turn * counts[stream])
            yield (*shifted, *rest)  # type: ignore[misc]  # a Row with other numbers


def make(store: EventStore, facts: int) -> None:
    """Put the long run into the store."""
    memory = MemoryStore()
    info = run(catalogue.find(SCENARIO), memory).info
    rows, lasts_ms = list(memory.rows(info.id)), info.simulated_ms or 0
    turns = -(-facts // len(rows))
    long = msgspec.structs.replace(
        info, id=f"long-{facts}", digest=None, facts=turns * len(rows), simulated_ms=turns * lasts_ms
    )
    store.import_run(long, repeated(rows, lasts_ms, facts))


class Took(NamedTuple):
    """Seconds of one call."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} | {self.cpu:.2f}"


def timed(*arguments: str) -> Took:
    """What one call of the program takes."""
    started, before = time.perf_counter(), _children_cpu()
    subprocess.run([sys.executable, "-m", "groupsim.cli.main", *arguments], check=True, stdout=subprocess.DEVNULL)
    return Took(time.perf_counter() - started, _children_cpu() - before)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(path: Path, facts: int) -> None:
    """Print a table."""
    if not path.exists():
        started = time.perf_counter()
        store = open_store(path)
        make(store, facts)
        store.close()
        print(f"made in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    store = open_store(path)
    info = store.find("latest")
    store.drop_snapshots()
    store.close()
    chance = random.Random(1)
    place = ("--store", str(path))
    instants = [str(chance.randrange(info.simulated_ms or 1)) for _ in range(INSTANTS)]
    first = timed("replay", "latest", "--at", instants[0], *place)
    later = [timed("replay", "latest", "--at", at, *place) for at in instants]
    print(f"| a run of {info.facts:,} facts ({path.stat().st_size / 2**30:.1f} GiB) | s | CPU s | aim |")
    print("| --- | --- | --- | --- |")
    print(f"| replay --at, the first time | {first} | |")
    middle = Took(*(statistics.median(times) for times in zip(*later, strict=True)))
    worst = Took(*(max(times) for times in zip(*later, strict=True)))
    verdict = "met" if worst.wall < AIM_S else "MISSED"
    print(f"| replay --at, afterwards: median of {INSTANTS} | {middle} | |")
    print(f"| replay --at, afterwards: slowest of {INSTANTS} | {worst} | < {AIM_S} {verdict} |")
    for name in ("rebalances", "unavailable"):
        extra = ("--by", "label") if name == "unavailable" else ()
        print(f"| {' '.join((name, *extra))} | {timed(name, 'latest', *extra, *place)} | |", flush=True)


def main() -> None:
    """Measure in a temporary folder, or in the store named."""
    facts = int(sys.argv[1]) if len(sys.argv) > 1 else FACTS
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "long.db", facts)


if __name__ == "__main__":
    main()
