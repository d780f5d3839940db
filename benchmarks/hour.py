"""A simulated hour of many consumers, everything recorded into SQLite, beside its floor: `python -m benchmarks.hour`.

The floor is what no simulator of this kind can do without: a bare SimPy loop of as many timeouts as we have SimPy
events, and raw sqlite3.executemany of as many rows. Consumers beat every 3 s and poll every second. `--full` runs 1,000
consumers for a whole hour (minutes of CPU, gigabytes of rows) and up to 5,000; without it the hour is shorter and the
ratios are the same kind. `--consumers 1000 --minutes 60` is one row of it. Times are CPU seconds of this process, so
that a busy machine spoils little. The start is what the consumers cost until half of the time is over, less what they
cost in the other half, when they only work.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import simpy

from benchmarks.simulation import bare
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import DURATION, run
from groupsim.storage import EventStore, open_store
from groupsim.storage.codec import Row

SIZES = (10, 100, 1_000)
FULL_SIZES = (*SIZES, 5_000)
TITLES = ("consumers", "simulated", "facts", "SimPy events", "all s", "facts s", "all / facts", "bare s", "raw s")
MORE = ("all / (bare + raw)", "start s", "us per consumer and s", "MiB at 20 %", "at 100 %")


class Timed(NamedTuple):
    """A run: its facts and SimPy events, CPU seconds at each of equal steps of simulated time, and MiB resident."""

    facts: int
    events: int
    seconds: list[float]
    resident: list[float]

    @property
    def steady_s(self) -> float:
        """CPU seconds of the second half, in which nothing but beats and polls happens."""
        return self.seconds[-1] - self.seconds[len(self.seconds) // 2 - 1]


class Hour(NamedTuple):
    """One measurement: our run with everything and with facts alone, CPU seconds of the bare loop and the raw rows."""

    consumers: int
    simulated_ms: int
    everything: Timed
    facts_only: Timed
    bare_s: float
    raw_s: float

    @property
    def ratio(self) -> float:
        """Ours over the floor."""
        return self.everything.seconds[-1] / (self.bare_s + self.raw_s)

    def line(self) -> str:
        """The row of the table."""
        full, facts = self.everything, self.facts_only
        steady_us = 2 * full.steady_s / self.consumers / (self.simulated_ms / 1_000) * 1e6
        return (
            f"{self.consumers:>9,}  {self.simulated_ms / 60_000:>5.1f} min  {full.facts:>10,}  {full.events:>10,}  "
            f"{full.seconds[-1]:>6.2f}  {facts.seconds[-1]:>6.2f}  {full.seconds[-1] / facts.seconds[-1]:>5.2f}  "
            f"{self.bare_s:>6.2f}  {self.raw_s:>6.2f}  {self.ratio:>6.2f}  "
            f"{max(full.seconds[-1] - 2 * full.steady_s, 0):>6.2f}  {steady_us:>6.1f}  "
            f"{full.resident[len(full.resident) // 5 - 1]:>6.1f}  {full.resident[-1]:>6.1f}"
        )


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
    """Ours, the raw rows and the bare loop, in turn."""
    with tempfile.TemporaryDirectory() as folder, closing(open_store(Path(folder) / "all.db")) as store:
        everything = timed(store, consumers, simulated_ms, "all")
        raw_s = raw(Path(folder) / "raw.db", store.rows(store.find("latest").id))
    bare_s = cpu(lambda: bare(everything.events, consumers))
    with tempfile.TemporaryDirectory() as folder, closing(open_store(Path(folder) / "facts.db")) as store:
        facts_only = timed(store, consumers, simulated_ms, "facts")
    return Hour(consumers, simulated_ms, everything, facts_only, bare_s, raw_s)


def timed(store: EventStore, consumers: int, simulated_ms: int, record: str) -> Timed:
    """Play the crowd, looking at the clock on the way."""
    made: list[simpy.Environment] = []

    class Kept(simpy.Environment):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    steps, resident, plain = [], [], simpy.Environment
    simpy.Environment = Kept  # type: ignore[assignment,misc]
    started = time.process_time()

    def progress(_: float) -> None:
        steps.append(time.process_time() - started)
        resident.append(resident_mib())

    try:
        settings = {"consumers": consumers, DURATION: simulated_ms}
        result = run(crowd, store, settings=settings, record=record, progress=progress)
    finally:
        simpy.Environment = plain  # type: ignore[misc]
    steps[-1] = time.process_time() - started  # with the last batch
    return Timed(result.info.facts, next(made[0]._eid) - len(made[0]._queue), steps, resident)


def resident_mib() -> float:
    """What of this process is in memory, in MiB (0 where the system does not tell)."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * 4_096 / 2**20 if status.exists() else 0.0


def raw(path: Path, rows: Iterable[Row]) -> float:
    """CPU seconds of the rows once more, in transactions of a thousand, by sqlite3 alone."""
    coming, spent = iter(rows), 0.0
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        columns = ", ".join(f"c{i}" for i in range(8))
        connection.execute(f"CREATE TABLE facts ({columns}, PRIMARY KEY (c0), UNIQUE (c2, c3)) WITHOUT ROWID")
        while part := list(islice(coming, 1_000)):
            started = time.process_time()
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", part)
            connection.execute("COMMIT")
            spent += time.process_time() - started
    connection.close()
    return spent


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="a whole hour of 1,000 consumers, and up to 5,000")
    parser.add_argument("--consumers", type=int, help="one row alone")
    parser.add_argument("--minutes", type=float, help="simulated minutes, instead of the usual for this size")
    asked = parser.parse_args()
    sizes = (asked.consumers,) if asked.consumers else FULL_SIZES if asked.full else SIZES
    print("  ".join((*TITLES, *MORE)), flush=True)
    for consumers in sizes:
        whole = asked.full and consumers == 1_000
        usual = minutes(60) if whole else max(minutes(60) * 20 // consumers, minutes(1))
        simulated_ms = round(asked.minutes * 60_000) if asked.minutes else usual
        rounds = 1 if whole or consumers > 1_000 or consumers * simulated_ms > 2 * minutes(1_200) else 3
        hours = sorted((measure(consumers, simulated_ms) for _ in range(rounds)), key=lambda hour: hour.ratio)
        print(hours[rounds // 2].line(), flush=True)


if __name__ == "__main__":
    main()
