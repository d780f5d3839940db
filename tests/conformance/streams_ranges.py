"""Whether recorded applications of Kafka Streams cost what the simulated ones do: recorded cost, range, median.

`python -m tests.conformance.streams_ranges [--seeds N] [RECORDING...]`, of those in the repository where none is named.
40 seeds are what a what-if draws at most.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from tests.conformance.standby_applications import without_standbys

SEEDS = 40


def main(arguments: list[str]) -> int:
    """Print the table; `!` where the recorded cost is outside the range."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("recording", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    plays = []
    for played in without_standbys(options.recording, options.seeds):
        plays.append(played)
        least, middle, most = min(played.costs), median(played.costs), max(played.costs)
        print(
            f"{played.recorded['id']:45} {played.was:>7} {least:>7} {middle:>7.0f} {most:>7} {played.off:6.1%}"
            f"{'' if played.inside else ' !'}",
            flush=True,
        )
    inside, off = sum(each.inside for each in plays), median(each.off for each in plays)
    print(f"{inside} of {len(plays)} inside; median error {off:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
