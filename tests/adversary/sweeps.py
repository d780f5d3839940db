"""Sweeps that are killed, and workers of them: nothing is lost, nothing is played twice, and the numbers are those of a
sweep that nothing happens to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import threading
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from tests.adversary.called import Called, Finding, call
from tests.adversary.children import bench
from tests.adversary.processes import SIGNALS, below, gone, signalled

STORY = """
import os, signal, sys
from groupsim.scenarios.dsl import scenario, seconds

@scenario(lasts=seconds(60))
def story(world, poison="none", crowd=2):
    orders = world.topic("orders", partitions=4)
    group = world.group("billing")
    first, *_ = group.join(crowd, topics=[orders])
    yield group.stable(members=crowd)
    yield world.sleep(seconds(world.rng.stream("story").randint(1, 9)))
    if world.rng._seed == 2 and poison == "exit":
        sys.exit(3)
    if world.rng._seed == 2 and poison == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    first.kill()
"""
SEEDS, CROWDS, POISONS = 4, ("2", "3"), ("none", "none", "exit", "kill")
POINTS = SEEDS * len(CROWDS)
DIED = "died, twice"


class Lake(NamedTuple):
    """What a sweep left: the summary rows by run, and a digest of each other Parquet file."""

    rows: dict[str, dict[str, Any]]
    files: dict[str, str]


def _lake(folder: Path) -> Lake:
    rows, files = {}, {}
    for file in sorted(folder.rglob("*.parquet")):
        if file.parent.name == "summary":
            (row,) = pq.ParquetFile(file).read().to_pylist()
            row["error"] = DIED if DIED in (row["error"] or "") else row["error"]  # Spark's words differ
            rows[row["run"]] = row
        else:
            files[str(file.relative_to(folder))] = hashlib.sha256(file.read_bytes()).hexdigest()
    return Lake(rows, files)


def _asked(folder: Path, lake: Path, poison: str) -> list[str]:
    story = folder / "swept.py"
    if not story.exists():
        story.write_text(STORY)
    asked = ["sweep", str(story), "--seeds", f"0:{SEEDS}", "--grid", f"crowd={','.join(CROWDS)}"]
    return [*asked, "--set", f"poison={poison}", "--to", str(lake), "--master", "local[2]", "--memory", "1g"]


@cache
def _true(folder: Path, poison: str) -> Lake:
    """What a sweep leaves that nothing happens to."""
    lake = folder / f"calm-{poison}"
    _ended(call(*_asked(folder, lake, poison), "--format", "json"), poison, "a sweep")
    found = _lake(lake)
    failed = [(row["seed"], row["error"]) for row in found.rows.values() if row["error"]]
    if len(found.rows) != POINTS or {seed for seed, _ in failed} != (set() if poison == "none" else {2}):
        raise Finding(f"a sweep that nothing happens to has {len(found.rows)} rows and failures {failed}")
    return found


def _ended(done: Called, poison: str, what: str) -> dict[str, Any]:
    if done.status != (poison != "none") or not done.out:
        raise Finding(f"{what}: status {done.status}: {done.err[-300:]!r}")
    counts: dict[str, Any] = json.loads(done.out)
    if (counts["points"], counts["failed"]) != (POINTS, 0 if poison == "none" else len(CROWDS)):
        raise Finding(f"{what}: {counts}")
    return counts


def killed(rng: Random, folder: Path) -> None:
    """A sweep on a Spark of its own is killed, or asked to end, and continued to what it would have become."""
    poison, number = rng.choice(POISONS), rng.choice(SIGNALS)
    committed = rng.choice([None, *range(POINTS)])  # till so many points are done; None: at any time from the start
    then_s = rng.random() * (6.0 if committed is None else 0.4)
    ended_by(number, folder, poison, committed, then_s, tasks=rng.randint(1, 4))


def ended_by(number: int, folder: Path, poison: str, committed: int | None, then_s: float, tasks: int = 2) -> None:
    """One that gets this signal `then_s` after so many points, and is continued. Raises Finding."""
    what = f"a sweep (poison: {poison}, signal {number} after {committed} points and {then_s:.3f} s, {tasks} tasks)"
    true = _true(folder, poison)
    with bench() as own:
        lake = own.made / "lake"
        asked = [*_asked(folder, lake, poison), "--partitions", str(tasks), "--format", "json"]
        left = signalled(own, asked, number, lambda: len(_rows(lake)) < (committed or 0), then_s, what)
        before = _rows(lake)
        asked += ["--resume"] if (lake / "sweep.json").exists() else []
        counts = _ended(call(*asked), poison, f"{what}, continued")
        if counts["done_before"] < len(before):
            raise Finding(f"{what}: {len(before)} points were done, and {POINTS - counts['done_before']} played again")
        if any((lake / name).stat().st_mtime_ns != at for name, at in before.items()):
            raise Finding(f"{what}: a point that was done was played again")
        _same(lake, true, what)
        if alive := gone(left, 60):
            raise Finding(f"{what}: still there after a minute: {alive}")


def _same(lake: Path, true: Lake, what: str) -> None:
    found = _lake(lake)
    if found.rows != true.rows:
        wrong = {run for run in found.rows.keys() | true.rows.keys() if found.rows.get(run) != true.rows.get(run)}
        raise Finding(f"{what}: the rows of {len(wrong)} runs differ: {[found.rows.get(run) for run in wrong][:1]}")
    if found.files != true.files:
        wrong = {name for name, _ in found.files.items() ^ true.files.items()}
        raise Finding(f"{what}: other files: {sorted(wrong)[:2]}")
    known = {".lock", "sweep.json", "facts", "summary", "_tables", "_unfinished"}  # an orphan may hold the last
    if odd := {path.name for path in lake.iterdir()} - known:
        raise Finding(f"{what}: leaves {sorted(odd)}")


def _rows(lake: Path) -> dict[str, int]:
    """The rows that are committed, and when."""
    return {f"summary/{file.name}": file.stat().st_mtime_ns for file in (lake / "summary").glob("*.parquet")}


def worker_killed(rng: Random, folder: Path) -> None:
    """A Python worker of Spark is killed, as one without memory is: its points are played again."""
    poison, after_s, nth = rng.choice(["none", "exit"]), rng.random() * 1.5, rng.randrange(100)
    what = f"a sweep (poison: {poison}) whose worker was killed after {after_s:.3f} s"
    true = _true(folder, poison)
    killer = threading.Timer(after_s, _kill_a_worker, [nth])
    with bench() as own:
        lake = own.made / "lake"
        killer.start()
        try:
            done = call(*_asked(folder, lake, poison), "--partitions", str(rng.randint(1, 4)), "--format", "json")
        finally:
            killer.cancel()
            killer.join()
        _ended(done, poison, what)
        _same(lake, true, what)


def _kill_a_worker(nth: int) -> None:
    """One of the processes that the daemon of PySpark made."""
    workers = [
        pid
        for daemon, command in below(os.getpid()).items()
        if "pyspark.daemon" in command
        for pid in below(daemon)  # the daemon has the same command as its workers, and is above them
    ]
    if workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(sorted(workers)[nth % len(workers)], signal.SIGKILL)
