"""The pipeline in figures: `python -m benchmarks.spark [sweep|transforms] [--runs N] [--millions N] [--repeats N]`.

Sweep: the same runs as one Spark task (one core) and as many (two cores), in turn, in one session, and by a bare loop
of the simulator. Transforms: unavailable time by label over a lake of ten million facts, asked of it twice before, as
Java compiles what it has seen often; the lake is a rolling restart under some seeds, its files copied under other run
ids until there are enough. Facts are all facts, as recorded by default. Ratios and medians; a busy machine shows in
them, and least in the ratio.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession

from groupsim.pipeline.grid import Sweep, load, subject
from groupsim.pipeline.is_export import FILE
from groupsim.pipeline.lake import availability as kept_availability
from groupsim.pipeline.session import spark_session
from groupsim.pipeline.source import FACTS_FOLDER, SUMMARY_FOLDER, facts
from groupsim.pipeline.sweep import sweep_into
from groupsim.pipeline.sweep_point import clean, simulate
from groupsim.pipeline.table_cache import file_of
from groupsim.pipeline.table_definitions import AVAILABILITY
from groupsim.pipeline.transforms import availability, unavailable_by_label
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

LONG = "rolling_restart"
CORES = 2
SEEDS = 8
WARM_UPS = 2


def seconds(what: Callable[[], object]) -> float:
    """Wall time of a call."""
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def sweeps(spark: SparkSession, runs: int, repeats: int, folder: Path) -> None:
    """Print speed-up and overhead."""
    grid = {"assignor": ["range", "cooperative-sticky"]}
    sweep = Sweep(subject(LONG), grid, range(runs // 2), {"members": "6", "partitions": "24"})
    lakes = iter(range(1_000_000))

    def by_spark(tasks: int) -> float:
        lake = folder / f"lake{next(lakes)}"
        taken = seconds(lambda: sweep_into(lambda: spark, sweep, lake, partitions=tasks))
        shutil.rmtree(lake)
        return taken

    def bare() -> float:
        scenario = load(sweep.subject)
        return seconds(lambda: [run(scenario, MemoryStore(), seed=p.seed, settings=p.settings) for p in sweep.points()])

    by_spark(CORES)  # warm-up: Python workers are started, code is compiled
    alone, two, loops = [], [], []
    for _ in range(repeats):
        loops.append(bare())
        alone.append(by_spark(1))
        two.append(by_spark(8 * CORES))
    speed_up = statistics.median(a / b for a, b in zip(alone, two, strict=True))
    over = statistics.median((a - b) / runs * 1000 for a, b in zip(alone, loops, strict=True))
    print(f"sweep of {runs} x {LONG} of 6 members, {repeats} repeats, medians")
    print(f"  bare simulator  {statistics.median(loops) / runs * 1000:7.0f} ms a run")
    print(f"  one task        {statistics.median(alone) / runs * 1000:7.0f} ms a run")
    print(f"  {8 * CORES} tasks        {statistics.median(two) / runs * 1000:7.0f} ms a run")
    print(f"  speed-up on {CORES} cores: {speed_up:.2f} (aim 1.7)")
    print(f"  overhead, with lake and summary: {over:.0f} ms a run (aim 100)")


def lake_of(wanted: int, folder: Path) -> int:
    """A lake of at least so many facts, as a sweep leaves it; how many there are."""
    what = Sweep(subject(LONG), {}, range(SEEDS), {"downtime_spread_ms": "10000"})
    clean(folder)
    rows = [simulate(load(what.subject), what.subject, point, folder) for point in what.points()]
    total, turn = sum(int(row["facts"]) for row in rows), 0
    while total < wanted:
        turn += 1
        for row in rows:
            copy(folder, row["run"], f"{row['run']}-{turn}")
            total += row["facts"]
            if total >= wanted:
                break
    return total


def copy(folder: Path, run: str, name: str) -> None:
    """The facts, the availability and the summary of a run once more, under another id."""
    lake = folder / FACTS_FOLDER
    (lake / f"run={name}").mkdir()
    shutil.copyfile(lake / f"run={run}" / FILE, lake / f"run={name}" / FILE)
    shutil.copyfile(folder / SUMMARY_FOLDER / f"{run}.parquet", folder / SUMMARY_FOLDER / f"{name}.parquet")
    table = pq.read_table(file_of(folder, AVAILABILITY, run))
    named = table.set_column(0, table.schema.field(0), pa.array([name] * table.num_rows, pa.string()))
    pq.write_table(named, file_of(folder, AVAILABILITY, name), compression="zstd")


def transforms(spark: SparkSession, millions: float, repeats: int, folder: Path) -> None:
    """Print facts per second, end to end."""
    total = lake_of(int(millions * 1_000_000), folder)
    print(f"unavailable time by label over {total:,} facts on local[{CORES}], {repeats} repeats, median")
    asked: dict[str, Callable[[], DataFrame]] = {
        "of the facts": lambda: availability(facts(spark, folder / FACTS_FOLDER)),
        "of the tables that the sweep kept": lambda: kept_availability(spark, folder),
    }
    answers: dict[str, list[Row]] = {}
    for name, ask in asked.items():

        def answer(name: str = name, ask: Callable[[], DataFrame] = ask) -> None:
            answers[name] = sorted(unavailable_by_label(ask()).collect())

        cold, *_ = [seconds(answer) for _ in range(WARM_UPS)]
        times = [seconds(answer) for _ in range(repeats)]
        taken = statistics.median(times)
        print(f"  {name}: {taken:.1f} s, {total / taken / 1e6:.2f} M facts/s end to end (aim 0.8)")
        print(f"    from {min(times):.1f} to {max(times):.1f} s; {cold:.1f} s when asked for the first time")
    of_facts, of_tables = answers.values()
    assert of_facts == of_tables


def main() -> None:
    """Print the figures that are asked for."""
    parser = argparse.ArgumentParser(prog="benchmarks.spark", description=__doc__)
    parser.add_argument("part", nargs="?", choices=["sweep", "transforms"])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--millions", type=float, default=10.0)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    spark = spark_session(f"local[{CORES}]", memory="4g", app="benchmark")
    with tempfile.TemporaryDirectory() as folder:
        if asked.part != "transforms":
            sweeps(spark, asked.runs, asked.repeats, Path(folder))
        if asked.part != "sweep":
            transforms(spark, asked.millions, asked.repeats, Path(folder))


if __name__ == "__main__":
    main()
