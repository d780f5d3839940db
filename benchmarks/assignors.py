"""How fast the assignors are, beside Kafka's Java ones and kafka-python, in one run: `python -m benchmarks.assignors`.

Each size is measured fresh, after one member left, after one joined, and with a tenth of the members exchanged.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.assignor_rivals import LeftOut, Timed, java, kafka_python, median_ms
from groupsim.assignors import ASSIGNORS
from groupsim.assignors.java.hash_order import string_hash
from groupsim.assignors.spec import Member, Spec
from recorders.assignors.java_harness import lines

EQUAL = ((100, 1_000), (500, 2_000), (2_100, 2_100), (1_000, 100_000), (2_000, 1_000_000))
UNEQUAL = ((100, 1_000), (500, 2_000), (1_000, 5_000))
GROWTH = (50_000, 100_000, 200_000, 400_000, 800_000)
TOPICS = 20
KAFKA_PYTHON_MOST = 5_000
"""kafka-python is not asked for more partitions: 1,000 x 100,000 does not end in five minutes."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; times in ms, None where a rival was left out."""

    name: str
    assignor: str
    ours: float
    java: float | None
    same: bool | None
    python: float | None
    python_runs: int


def group(members: int, partitions: int, *, equal: bool) -> Spec:
    """A made-up group: topics of one size; unequal members take 10 of the 20 topics, by hash."""
    topics = [f"topic-{k:02d}" for k in range(TOPICS)]

    def mine(i: int) -> tuple[str, ...]:
        if equal:
            return tuple(topics)
        return tuple(sorted(sorted(topics, key=lambda topic: string_hash(f"{i}/{topic}") * 2654435761 % 2**32)[:10]))

    listed = tuple(
        Member(f"consumer-{i:04d}-{string_hash(str(i)) * 40503 % 2**32:08x}", mine(i)) for i in range(members)
    )
    return Spec(listed, dict.fromkeys(topics, partitions // TOPICS))


def cases(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The four situations, previous owners as cooperative-sticky made them."""
    yield "fresh", spec
    answer = ASSIGNORS["cooperative-sticky"].assign(spec)
    owned = tuple(replace(m, owned=answer[m.id], generation=1) for m in spec.members)
    yield "one-leaves", replace(spec, members=owned[1:])
    yield "one-joins", replace(spec, members=(*owned, replace(spec.members[0], id="consumer-new-00000000")))
    tenth = len(owned) // 10
    fresh = tuple(replace(m, id=f"consumer-x{i:03d}-00000000") for i, m in enumerate(spec.members[:tenth]))
    yield "tenth-exchanged", replace(spec, members=owned[tenth:] + fresh)


def measure(runs: int, budget_s: float, most: int) -> Iterator[Row]:
    """All rows; notes about what is left out go to stderr."""
    problems: dict[str, tuple[str, Spec]] = {}
    for kind, sizes in (("equal", EQUAL), ("unequal", UNEQUAL)):
        for members, partitions in sizes:
            if partitions <= most:
                for case, spec in cases(group(members, partitions, equal=kind == "equal")):
                    problems[f"{kind}/{members}x{partitions}/{case}"] = kind, spec
    java_times: dict[str, Timed] = {}
    try:
        java_times = java({name: spec for name, (_, spec) in problems.items()}, "cooperative-sticky", runs)
    except LeftOut as why:
        print(f"no Java column: {why}", file=sys.stderr)
    rows = [
        _row(name, assignor, spec, runs, java_times.get(name))
        for name, (kind, spec) in problems.items()
        for assignor in ("cooperative-sticky", "optimal-sticky")[: 1 + (kind == "unequal")]
    ]
    rival: dict[str, tuple[float | None, int]] = {}
    for row in rows:  # slowest last: what is compared with Java stands close together in time
        if row.name not in rival:
            rival[row.name] = _kafka_python(problems[row.name][1], runs, budget_s)
        python, python_runs = rival[row.name]
        yield replace(row, python=python, python_runs=python_runs)


def _row(name: str, assignor: str, spec: Spec, runs: int, rival: Timed | None) -> Row:
    assign = ASSIGNORS[assignor].assign
    assign(spec)
    ours, _ = median_ms(lambda: assign(spec), runs, math.inf)
    same = None
    if rival is not None and assignor == "cooperative-sticky":
        same = lines(assign(spec)) == rival.answer
    return Row(name, assignor, ours, rival.ms if rival else None, same, None, 0)


def _kafka_python(spec: Spec, runs: int, budget_s: float) -> tuple[float | None, int]:
    if sum(spec.partitions.values()) > KAFKA_PYTHON_MOST:
        return None, 0
    try:
        return median_ms(kafka_python(spec), runs, budget_s)
    except (LeftOut, ImportError) as why:
        print(f"no kafka-python column: {why}", file=sys.stderr)
        return None, 0


def growth(runs: int) -> tuple[float, float]:
    """Exponents of time over partitions at 1,000 members, fresh and with a tenth exchanged (1 is linear)."""
    times: dict[str, list[float]] = {"fresh": [], "tenth-exchanged": []}
    assign = ASSIGNORS["cooperative-sticky"].assign
    for partitions in GROWTH:
        for case, spec in cases(group(1_000, partitions, equal=True)):
            if case in times:
                times[case].append(median_ms(lambda spec=spec: assign(spec), runs, math.inf)[0])  # type: ignore[misc]
    fresh, exchanged = (float(np.polyfit(np.log(GROWTH), np.log(took_ms), 1)[0]) for took_ms in times.values())
    return fresh, exchanged


def peak_mib() -> int:
    """Peak memory in MiB of a process of its own that assigns 2,000 x 1,000,000 fresh and with owners."""
    command = [sys.executable, "-m", "benchmarks.assignors", "--peak"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def table(rows: Iterator[Row]) -> Iterator[str]:
    """The rows as Markdown."""
    yield "| group | assignor | ours ms | Java ms | ours / Java | equal | kafka-python ms | times faster |"
    yield "|---|---|---:|---:|---:|---|---:|---:|"
    for row in rows:
        ratio = f"{row.ours / row.java:.2f}" if row.java else "-"
        same = {None: "-", True: "yes", False: "**no**"}[row.same]
        note = f" ({row.python_runs} run{'s' * (row.python_runs > 1)})" if 0 < row.python_runs < 7 else ""
        python = f"{row.python:,.0f}{note}" if row.python else "-"
        faster = f"{row.python / row.ours:,.0f}" if row.python else "-"
        java_ms = f"{row.java:,.2f}" if row.java else "-"
        yield f"| {row.name} | {row.assignor} | {row.ours:,.2f} | {java_ms} | {ratio} | {same} | {python} | {faster} |"


def main() -> None:
    """Print the table, the exponents, the peak memory and what machine it was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="runs per median")
    parser.add_argument("--budget", type=float, default=15.0, help="seconds kafka-python may take per cell")
    parser.add_argument("--most", type=int, default=1_000_000, help="leave out groups with more partitions")
    parser.add_argument("--peak", action="store_true", help="only print the peak memory in MiB")
    chosen = parser.parse_args()
    if chosen.peak:
        for _, spec in cases(group(2_000, 1_000_000, equal=True)):
            ASSIGNORS["cooperative-sticky"].assign(spec)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        return
    print(f"load before: {', '.join(f'{load:.1f}' for load in os.getloadavg())} on {os.cpu_count()} cores")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, medians of {chosen.runs}\n")
    for line in table(measure(chosen.runs, chosen.budget, chosen.most)):
        print(line, flush=True)
    fresh, exchanged = growth(chosen.runs)
    print(
        f"\ntime ~ partitions ** {fresh:.2f} fresh, ** {exchanged:.2f} with owners (1,000 members, 50,000 to 800,000)"
    )
    print(f"peak memory at 2,000 x 1,000,000: {peak_mib()} MiB")
    print(f"load after: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
