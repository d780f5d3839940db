"""Whether recorded applications of Kafka Streams cost what the simulated ones do: recorded cost, range, median.

`python -m tests.conformance.streams_ranges [--seeds N] [RECORDING...]`, of those in the repository where none is named.
40 seeds are what a what-if draws at most.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from tests.conformance import test_classic_streams_runs, test_streams_runs
from tests.conformance.recorded_applications import RUNS, costs, played

SEEDS = 40


def main(arguments: list[str]) -> int:
    """Print the table; `!` where the recorded cost is outside the range."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("recording", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    inside, errors = 0, []
    for path in options.recording or sorted(RUNS.glob("*.json.gz")):
        module = test_streams_runs if "__streams__" in path.name else test_classic_streams_runs
        recorded, runs = played(path, module.again, options.seeds)
        was, found = int(recorded["summary"]["unavailable_partition_ms"]), costs(recorded, runs)
        holds = min(found) <= was <= max(found)
        inside += holds
        errors.append(abs(median(found) - was) / max(1, was))
        print(
            f"{recorded['id']:45} {was:>7} {min(found):>7} {median(found):>7.0f} {max(found):>7} {errors[-1]:6.1%}"
            f"{'' if holds else ' !'}",
            flush=True,
        )
    print(f"{inside} of {len(errors)} inside; median error {median(errors):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
