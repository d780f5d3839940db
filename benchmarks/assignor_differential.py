"""Random problems through Kafka's Java assignors and ours: `python -m benchmarks.assignor_differential 0:1000`.

Needs a JVM and Maven, as the benchmark does. Exits with 1 and names the seed where an answer or an exception differs.
"""

from __future__ import annotations

import sys

from benchmarks.assignor_rivals import java_answers
from recorders.assignors.comparison import CLIENT_SIDE, ours
from recorders.assignors.random_problems import problem


def main() -> None:
    """Compare a range of seeds and say how many answers and exceptions were equal."""
    first, _, end = (sys.argv[1:] or ["0:1000"])[0].partition(":")
    specs = {seed: problem(seed) for seed in range(int(first), int(end))}
    wrong = errors = 0
    for assignor in CLIENT_SIDE:
        for name, (status, answer) in java_answers({str(seed): spec for seed, spec in specs.items()}, assignor).items():
            errors += status != "ok"
            if ours(specs[int(name)], assignor) != (status, answer):
                wrong += 1
                print(f"seed {name}: {assignor} differs ({status})")
    print(f"{len(specs) * len(CLIENT_SIDE) - wrong:,} equal, {errors:,} of them exceptions; {wrong} different")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
