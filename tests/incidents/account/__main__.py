"""Hold the account of many drawn groups against the truth: `python -m tests.incidents.account N`.

`--protocol classic|consumer`, `--start S` (the number of the first draw), `--beside` (the import's bounds of the same
logs). Prints each failure, shrunk, and the sums by kind of subset; 1 if the account of a draw is false.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from tests.incidents.account.draws import Checked, beside, checked, draw, fails, shrunk


class _Row(NamedTuple):
    """One draw: what the account says, and the bounds of the import, if they were asked for and it was not refused."""

    found: Checked
    import_ms: tuple[int, int | None] | None


def main(arguments: list[str]) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.account")
    parser.add_argument("number", type=int)
    parser.add_argument("--protocol", choices=[CLASSIC, CONSUMER], default=CLASSIC)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--beside", action="store_true")
    given = parser.parse_args(arguments)
    rows: dict[str, list[_Row]] = defaultdict(list)
    false = 0
    for number in range(given.start, given.start + given.number):
        one = draw(number, given.protocol)
        with TemporaryDirectory() as folder:
            found = checked(one, Path(folder))
            other = beside(one, Path(folder)) if given.beside else None
        if found is None:
            continue
        rows[one.subset].append(_Row(found, other))
        if found.broken:
            false += 1
            least = shrunk(one, fails)
            print(f"draw {number}: {one}\n  shrunk: {least}", flush=True)
            with TemporaryDirectory() as folder:
                again = checked(least, Path(folder))
            for each in (again or found).broken[:6]:
                print(f"    {each}", flush=True)
    print(f"{given.number} {given.protocol} draws from {given.start}: {false} false")
    for subset, of_one in rows.items():
        print(_sums(subset, of_one))
    return int(bool(false))


def _sums(subset: str, rows: list[_Row]) -> str:
    """What the bounds of one kind of subset are worth, in partition-milliseconds."""
    bounded = [row.found for row in rows if row.found.at_most_ms is not None]
    width = sum((each.at_most_ms or 0) - each.at_least_ms for each in bounded)
    least = sum(row.found.at_least_ms for row in rows)
    said = (
        f"{subset}: {len(rows)} groups; with an upper bound {len(bounded)}, their widths {width:,}; lower bounds"
        f" {least:,} of {sum(row.found.truth_ms for row in rows):,} partition-ms in truth"
    )
    both = [(row.found, row.import_ms) for row in rows if row.import_ms is not None]
    if not both:
        return said
    pairs = [(a, low, high) for a, (low, high) in both if high is not None and a.at_most_ms is not None]
    ours = sum((a.at_most_ms or 0) - a.at_least_ms for a, _, _ in pairs)
    return (
        f"{said}\n    the import, of {len(both)}: with an upper bound {sum(high is not None for _, (_, high) in both)},"
        f" lower bounds {sum(low for _, (low, _) in both):,} (the account {sum(a.at_least_ms for a, _ in both):,});"
        f" where both have one ({len(pairs)}), widths {sum(high - low for _, low, high in pairs):,} and {ours:,}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
