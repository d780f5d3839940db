"""Recall and precision of the readers over the development set, per file: `python -m tests.incidents.score`.

The set is other people's logs and lies beside the checkout, not in it: without it this prints one sentence.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from incidents.reading import read_files
from incidents.rows import Row

SET = Path(__file__).parents[3] / "shared" / "incidents"


class Score(NamedTuple):
    """How a reading compares with the expected events of one log, by (line, kind)."""

    name: str
    expected: int
    found: int
    both: int
    lines: int
    unrecognised: int
    missed: list[tuple[int, str]]
    extra: list[tuple[int, str]]


def expected_of(log: Path) -> dict[str, Any]:
    """What the reading beside a log says of it."""
    reading: dict[str, Any] = json.loads(log.with_suffix(".json").read_text(encoding="utf-8"))
    return reading


def score(log: Path) -> tuple[Score, list[Row]]:
    """Read one log and compare."""
    reading = read_files([log])
    events = expected_of(log)["expected"].get("events", [])
    want = Counter((e[0], e[2]) for e in events)
    got = Counter((row.line, row.kind) for row in reading.rows)
    both = sum((want & got).values())
    missed, extra = sorted((want - got).elements()), sorted((got - want).elements())
    counts = reading.counts
    result = Score(log.stem, want.total(), got.total(), both, counts.lines, counts.unrecognised, missed, extra)
    return result, reading.rows


def main() -> int:
    """Print the table; 0 if there is a set to read."""
    logs = sorted(SET.glob("*.log"))
    if not logs:
        print("the development set (../shared/incidents) is not here")
        return 1
    total = [0, 0, 0]
    print(f"{'log':48} {'lines':>5} {'want':>5} {'got':>5} {'both':>5} recall precision unread")
    for log in logs:
        one, _ = score(log)
        total = [total[0] + one.expected, total[1] + one.found, total[2] + one.both]
        recall = one.both / one.expected if one.expected else 1.0
        precision = one.both / one.found if one.found else 1.0
        print(
            f"{one.name:48} {one.lines:5} {one.expected:5} {one.found:5} {one.both:5} {recall:6.3f} {precision:9.3f}"
            f" {one.unrecognised:6}"
        )
        if "-v" in sys.argv:
            print(
                "".join(f"    missed {m}\n" for m in one.missed) + "".join(f"    extra  {e}\n" for e in one.extra),
                end="",
            )
    print(
        f"{'all':48} {'':5} {total[0]:5} {total[1]:5} {total[2]:5} {total[2] / total[0]:6.3f}"
        f" {total[2] / total[1]:9.3f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
