"""`python -m tests.adversary [--minutes N] [--seed S] [--jobs J] [--area NAME]`: attempts till the time is over.

Prints a line for each finding, with the area and the number that repeat it (`--area NAME --seed S`), and the counts at
the end. Exit status 1 if anything was found.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.adversary.areas import AREAS
from tests.adversary.attack import attack_on


def main() -> int:
    """Exit status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="the first number of each area")
    parser.add_argument("--jobs", type=int, default=1, help="processes that make attempts at the same time")
    parser.add_argument("--area", choices=[*AREAS], action="append", help="only this one; may be repeated")
    parser.add_argument("--first", action="store_true", help="stop at the first finding")
    given = parser.parse_args()
    if given.first and given.jobs > 1:
        parser.error("--first: with one job only")
    counts, findings = Counter[str](), 0
    try:
        for each in attack_on(given.jobs, 60 * given.minutes, given.seed, given.area or [*AREAS]):
            counts[each.area] += 1
            if each.found is not None:
                findings += 1
                print(f"{each.area}, seed {each.number}: {each.found}", flush=True)
                if given.first:
                    break
    finally:  # what was tried counts, whatever ended it
        for area in AREAS:
            if counts[area]:
                print(f"{counts[area]:7,}  {area}")
        print(f"{counts.total():7,}  attempts, {findings} findings", flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
