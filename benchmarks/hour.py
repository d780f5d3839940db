"""A simulated hour of many consumers, everything recorded into SQLite, beside its floor: `python -m benchmarks.hour`.

The floor is what no simulator of this kind can do without: a bare SimPy loop of as many timeouts, and one raw
sqlite3.executemany of as many rows. Consumers beat every 3 s and poll every second. `--full` runs 1,000 consumers for a
whole hour (minutes of wall time, gigabytes of rows); without it the hour is shorter and the ratios are the same kind.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import simpy

from benchmarks.simulation import bare
from scenarios.dsl import Application, World, minutes, scenario, seconds
from simulation.clients.process import Script
from simulation.run import DURATION, run
from storage import open_store

SIZES = (10, 100, 1_000)
FULL_SIZES = (*SIZES, 5_000)


class Hour(NamedTuple):
    """One measurement: CPU seconds of ours (everything and facts alone), of the bare loop and of the raw rows."""

    consumers: int
    facts: int
    events: int
    everything_s: float
    facts_only_s: float
    bare_s: float
    raw_s: float

    @property
    def ratio(self) -> float:
        """Ours over the floor."""
        return self.everything_s / (self.bare_s + self.raw_s)


class Counted(simpy.Environment):
    """Counts the SimPy events it handles."""

    handled = 0

    def step(self) -> None:
        """One more."""
        Counted.handled += 1
        super().step()


@scenario(seed=1, lasts=minutes(60))
def crowd(world: World, consumers: int = 100) -> Script:
    """Consumers that beat every 3 s and poll every second, and do nothing else."""
    orders = world.topic("orders", partitions=consumers, rate=1.0)
    group = world.group("billing", assignor="range", config={"enable.auto.commit": False})
    working = Application(process_ms=1_000)
    group.join(consumers, topics=[orders], spread=seconds(2), application=working)
    yield group.stable(members=consumers)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(consumers: int, simulated_ms: int) -> Hour:
    """Ours, the bare loop and the raw rows, in turn."""
    settings = {"consumers": consumers, DURATION: simulated_ms}
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "all.db")
        everything_s = cpu(lambda: run(crowd, store, settings=settings))
        info = store.find("latest")
        rows = list(store.rows(info.id))
        store.close()
        other = open_store(Path(folder) / "facts.db")
        facts_only_s = cpu(lambda: run(crowd, other, settings=settings, record="facts"))
        other.close()
        raw_s = cpu(lambda: raw(Path(folder) / "raw.db", rows))
    events = count(settings)
    return Hour(consumers, info.facts, events, everything_s, facts_only_s, cpu(lambda: bare(events, consumers)), raw_s)


def count(settings: dict[str, int]) -> int:
    """How many SimPy events the run handles."""
    plain, simpy.Environment = simpy.Environment, Counted  # type: ignore[misc]
    Counted.handled = 0
    try:
        run(crowd, open_store(":memory:"), settings=settings, record="facts")
    finally:
        simpy.Environment = plain  # type: ignore[misc]
    return Counted.handled


def raw(path: Path, rows: Sequence[tuple[object, ...]]) -> None:
    """The rows once more, in transactions of a thousand, by sqlite3 alone."""
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        columns = ", ".join(f"c{i}" for i in range(len(rows[0])))
        connection.execute(f"CREATE TABLE facts ({columns}, PRIMARY KEY (c0), UNIQUE (c2, c3)) WITHOUT ROWID")
        marks = ", ".join("?" * len(rows[0]))
        for start in range(0, len(rows), 1_000):
            connection.execute("BEGIN")
            connection.executemany(f"INSERT INTO facts VALUES ({marks})", rows[start : start + 1_000])
            connection.execute("COMMIT")
    connection.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="a whole hour of 1,000 consumers, and up to 5,000")
    full = parser.parse_args().full
    titles = ("consumers", "simulated", "facts", "SimPy events", "ours s", "facts only s", "bare s", "raw s")
    print("  ".join([*titles, "ours / (bare + raw)", "us/beat"]))
    for consumers in FULL_SIZES if full else SIZES:
        whole = full and consumers == 1_000
        simulated_ms = minutes(60) if whole else max(minutes(60) * 20 // consumers, minutes(1))
        hours = [measure(consumers, simulated_ms) for _ in range(1 if whole or consumers > 1_000 else 3)]
        ratio = statistics.median(hour.ratio for hour in hours)
        hour = min(hours, key=lambda h: abs(h.ratio - ratio))
        beats = consumers * simulated_ms / 3_000
        print(
            f"{consumers:>9,}  {simulated_ms / 60_000:>6.1f} min  {hour.facts:>11,}  {hour.events:>12,}  "
            f"{hour.everything_s:>6.2f}  {hour.facts_only_s:>12.2f}  {hour.bare_s:>6.2f}  {hour.raw_s:>5.2f}  "
            f"{ratio:>15.2f}  {hour.everything_s / beats * 1e6:>7.0f}"
        )


if __name__ == "__main__":
    main()
