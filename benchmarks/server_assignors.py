"""The server's assignors beside Kafka's classes, 1,000 members x 10,000 partitions.

`python -m benchmarks.server_assignors`.
CPU times of one thread on both sides, taken in one run; answers are compared. Needs a JVM and Maven. Previous targets
are those of the assignor itself.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.assignors import group
from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import Spec
from recorders.assignors.comparison import SERVER_SIDE
from recorders.assignors.java_harness import as_coordinator, lines, read_answers, write_problem
from recorders.broker import fetch

MEMBERS, PARTITIONS = 1_000, 10_000
RUNS, WARM_UPS = 15, 200


def problems(assignor: str) -> Iterator[tuple[str, Spec]]:
    """Fresh, one member fewer, one more, and a tenth exchanged, for equal and for unequal subscriptions."""
    for kind in ("equal", "unequal"):
        spec = as_coordinator(group(MEMBERS, PARTITIONS, equal=kind == "equal"))
        yield f"{kind}/fresh", spec
        answer = ASSIGNORS[assignor].assign(spec)
        owned = tuple(replace(member, owned=answer[member.id]) for member in spec.members)
        yield f"{kind}/one-leaves", replace(spec, members=owned[1:])
        yield f"{kind}/one-joins", replace(spec, members=(*owned, replace(spec.members[0], id="consumer-new-00000000")))
        tenth = len(owned) // 10
        fresh = tuple(replace(m, id=f"consumer-x{i:03d}-00000000") for i, m in enumerate(spec.members[:tenth]))
        yield f"{kind}/tenth-exchanged", replace(spec, members=owned[tenth:] + fresh)


def cpu_ms(assignor: str, spec: Spec) -> float:
    """The median CPU time of our assignor."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        ASSIGNORS[assignor].assign(spec)
        times.append(time.process_time() - began)
    return statistics.median(times) * 1e3


def main() -> None:
    """Print one row per assignor and situation."""
    print("| assignor | group | ours ms | Java ms | ours / Java | equal |")
    print("|---|---|---:|---:|---:|---|")
    for assignor in SERVER_SIDE:
        asked = dict(problems(assignor))
        with tempfile.TemporaryDirectory(prefix="groupsim-server-assignors-") as folder:
            source, target = Path(folder) / "problems.txt", Path(folder) / "answers.txt"
            with source.open("w") as file:
                for name, spec in asked.items():
                    write_problem(file, f"{name} {assignor} {WARM_UPS} {RUNS}", spec)
            fetch.run_java("ServerAssignorBench", str(source), str(target))
            answers = read_answers(target)
        for name, spec in asked.items():
            nanos, _, kafkas = answers[name]
            ours, same = cpu_ms(assignor, spec), lines(ASSIGNORS[assignor].assign(spec)) == kafkas
            row = f"{ours:.1f} | {nanos / 1e6:.1f} | {ours * 1e6 / nanos:.1f} | {'yes' if same else '**no**'}"
            print(f"| {assignor} | {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
