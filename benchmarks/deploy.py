"""A whole deploy, every member restarted in turn, each run as a process of its own: `python -m benchmarks.deploy`.

CPU seconds and peak memory of `groupsim run rolling_restart --set assignor=range` with more and more members and
partitions, and the growth exponent: the slope of log CPU over log (members x partitions). 1 means that the time grows
as the cells of that product do, of which every rebalance reads each member and each partition once. The scenario lasts
long enough for all restarts, so that no run is cut short. `--full` adds 500 x 5,000 (a quarter of an hour). `--record
facts` leaves out heartbeats and messages. `--module cli.main` names the program of an older checkout.
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SIZES = ((25, 250), (50, 500), (100, 1_000))
FULL_SIZES = (*SIZES, (500, 5_000))
START_MS, PER_MEMBER_MS = 60_000, 14_000
"""Simulated: for the first assignment, and for each restart."""


class Deploy(NamedTuple):
    """One run as a process: CPU seconds (user and system) and the most memory it had at once, in MB."""

    members: int
    partitions: int
    cpu_s: float
    peak_mb: float

    def line(self) -> str:
        """The row of the table."""
        return f"{self.members:>7,}  {self.partitions:>10,}  {self.cpu_s:>8.1f}  {self.peak_mb:>8.0f}"


def measure(module: str, members: int, partitions: int, record: str) -> Deploy:
    """Run it once, in a fresh process that a fresh process waits for: the peak is its own, not an earlier child's."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "assignor": "range",
            "members": members,
            "partitions": partitions,
            "duration.ms": START_MS + PER_MEMBER_MS * members,
        }
        chosen = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
        store = str(Path(folder) / "store.db")
        line = [sys.executable, "-m", module, "run", "rolling_restart", *chosen, "--record", record, "--store", store]
        done = subprocess.run([sys.executable, "-c", _WAIT, *line], stdout=subprocess.PIPE, text=True, check=True)
    status, cpu_s, peak_kb = done.stdout.split()
    if status != "0":
        raise SystemExit(f"{members} x {partitions} failed with status {status}: {' '.join(line)}")
    return Deploy(members, partitions, float(cpu_s), float(peak_kb) / 1_000)


_WAIT = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def exponent(deploys: list[Deploy]) -> float:
    """The least-squares slope of log CPU over log (members x partitions)."""
    cells = [math.log(deploy.members * deploy.partitions) for deploy in deploys]
    return statistics.linear_regression(cells, [math.log(deploy.cpu_s) for deploy in deploys]).slope


def main() -> None:
    """Print the table, line by line, and the exponent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="500 x 5,000, too")
    parser.add_argument("--size", type=int, nargs=2, action="append", metavar=("MEMBERS", "PARTITIONS"))
    parser.add_argument("--record", choices=("all", "facts"), default="all")
    parser.add_argument("--module", default="groupsim.cli.main", help="the program's module")
    asked = parser.parse_args()
    deploys: list[Deploy] = []
    print("members  partitions     CPU s   peak MB")
    for members, partitions in asked.size or (FULL_SIZES if asked.full else SIZES):
        deploys.append(measure(asked.module, members, partitions, asked.record))
        print(deploys[-1].line(), flush=True)
    if len(deploys) > 1:
        print(f"CPU grows as (members x partitions) to the power of {exponent(deploys):.2f}")


if __name__ == "__main__":
    main()
