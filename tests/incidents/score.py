"""Recall, precision, generations, members and windows per file of the set: `python -m tests.incidents.score [-v]`.

The set is other people's logs and lies beside the checkout, not in it: without it this prints one sentence.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.facts.skew import estimate_skews
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant
from groupsim.storage.memory import MemoryStore
from tests.incidents.recordings import SHARED, reading_of

SET = SHARED / "incidents"
PAIRS = [("006", "007"), ("008", "009"), ("019", "020")]
_BEGINS = frozenset(
    [
        "group_empty",
        "heartbeat_thread_stopped",
        "leave_sent",
        "lost",
        "rebalance_start",
        "rejoin_requested",
        "revoked",
        "worker_revoked_itself",
    ]
)
_ENDS = frozenset(["assignment_received", "stabilized", "assigned", "synced"])


class Score(NamedTuple):
    """How a reading compares with the expected events of one log, by (line, kind); of a recording by (time, kind)."""

    name: str
    expected: int
    found: int
    both: int
    lines: int
    unrecognised: int
    missed: list[tuple[int, str]]
    extra: list[tuple[int, str]]


def expected_of(log: Path) -> dict[str, Any]:
    """What the reading beside a log says of it; of the log of a recording's broker, what the recording says."""
    beside = log.with_suffix(".json")
    return json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else reading_of(log)


def score(log: Path) -> tuple[Score, Reading]:
    """Read one log and compare."""
    reading, expected = read_files([log]), expected_of(log)
    events = expected["expected"].get("events", [])
    if kinds := expected.get("kinds"):
        want = Counter((at, kind) for _, at, kind in events)
        got = Counter((instant(row.at), str(row.kind)) for row in reading.rows if row.at and row.kind in kinds)
    else:
        want = Counter((e[0], e[2]) for e in events)
        got = Counter((row.line, str(row.kind)) for row in reading.rows)
    both = sum((want & got).values())
    missed, extra = sorted((want - got).elements()), sorted((got - want).elements())
    counts = reading.counts
    result = Score(log.stem, want.total(), got.total(), both, counts.lines, counts.unrecognised, missed, extra)
    return result, reading


def utc(printed: str | None) -> str | None:
    """A timestamp as the expected reading prints it, as a UTC instant; without a year, as one of 1970."""
    if printed is None:
        return None
    if re.fullmatch(r"\d{10}\.\d{3}", printed):
        moment = datetime(1970, 1, 1) + timedelta(milliseconds=int(printed.replace(".", "")))
    elif re.fullmatch(r"\d{4} [\d:.]+", printed):
        moment = datetime.strptime(f"1970{printed[:17]}", "%Y%m%d %H:%M:%S.%f")
    elif re.fullmatch(r"\d\d/\d\d/\d\d [\d:]+", printed):
        moment = datetime.strptime(printed, "%y/%m/%d %H:%M:%S")
    elif re.fullmatch(r".*[+-]\d{4}", printed):
        moment = datetime.strptime(printed, "%Y-%m-%dT%H:%M:%S.%f%z").astimezone(UTC).replace(tzinfo=None)
    elif printed[2] == "/":
        moment = datetime.strptime(printed, "%m/%d/%Y %I:%M:%S %p")
    else:
        plain = printed.replace("/", "-").replace(",", ".").removesuffix("Z")
        day, _, clock = plain.replace("T", " ").partition(" ")
        moment = datetime.fromisoformat(f"{day.replace('.', '-')}T{clock[:12]}")
    return moment.replace(tzinfo=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def same_time(printed: str | None, at: str | None) -> bool:
    """Whether a row has the time of the reading; one without a fraction is compared to the second."""
    expected = utc(printed)
    if expected is None or at is None or re.search(r"[.,]\d", printed or ""):
        return expected == at
    return expected[:19] == at[:19]


def exact(log: Path, reading: Reading) -> tuple[bool, bool, int, int]:
    """Whether generations and members are those of the reading; its windows, and how many have both ends in the rows.

    A line that has no kind of the set (a heartbeat, say) may name a generation or a member, too: `?` is no group.

    An end counts within 1 ms, at a row of a kind that begins or ends a window (../shared/incidents/README.md).
    """
    expected = expected_of(log)["expected"]
    rows = reading.rows
    named = rows + (reading.context + reading.evidence if expected.get("events_without_a_kind") else [])
    seen = {row.member for row in named} | {row.detail.get("leader") for row in rows}
    members = set(expected["members"]) <= seen
    generations = all(
        set(numbers)
        == {r.detail["generation"] for r in named if (r.group or "?") == group and "generation" in r.detail}
        for group, numbers in expected["generations"].items()
    )
    windows = expected.get("windows", [])
    other = expected_of(log).get("pair")
    if windows and other is not None:  # a window may begin in the other member's log
        rows = rows + read_files([log.with_name(f"{other}.log")]).rows
    begins = sorted(instant(r.at) for r in rows if r.at is not None and r.kind in _BEGINS)
    ends = sorted(instant(r.at) for r in rows if r.at is not None and r.kind in _ENDS)
    found = sum(_near(w["from"], begins) and _near(w["to"], ends) for w in windows)
    return generations, members, len(windows), found


def _near(printed: str | None, times: list[int]) -> bool:
    at = utc(printed)
    return at is None or any(abs(instant(at) - each) <= 1 for each in times)


def pairs(logs: list[Path]) -> None:
    """Two sides of one story in one run: the skew and its support, and how often the files take turns in it."""
    print("\npairs, each as one timeline")
    for first, second in PAIRS:
        both = [log for log in logs if log.stem.startswith((first, second))]
        reading = read_files(both)
        store = MemoryStore()
        facts = list(store.read(import_run(reading, store, name=None, topics={}).run.id))
        sides = [fact.source.rpartition(":")[0] for fact in facts if fact.source]
        turns = sum(a != b for a, b in pairwise(sides))
        fit = (
            "; ".join(map(str, estimate_skews(reading)))
            or "no broker's log among them: nothing to hold a clock against"
        )
        times = "in order" if all(a.at_ms <= b.at_ms for a, b in pairwise(facts)) else "OUT OF ORDER"
        fit = fit.replace(f"{SET}/", "")
        print(f"{first}+{second}  {len(facts)} facts {times}, {turns} turns between the files; {fit}")


def main() -> int:
    """Print the tables; 0 if there is a set to read and all of it is as good as the issue asks."""
    logs = sorted(SET.glob("*.log"))
    if not logs:
        print("the development set (../shared/incidents) is not here")
        return 1
    total, good = [0, 0, 0, 0, 0], True
    print(f"{'log':46} lines want  got both recall precision generations members windows unread")
    for log in logs:
        one, reading = score(log)
        generations, members, windows, found = exact(log, reading)
        total = [a + b for a, b in zip(total, (one.expected, one.found, one.both, windows, found), strict=True)]
        recall = one.both / one.expected if one.expected else 1.0
        precision = one.both / one.found if one.found else 1.0
        good = good and min(recall, precision) >= 0.98 and generations and members and windows == found
        print(
            f"{one.name:46} {one.lines:5} {one.expected:4} {one.found:4} {one.both:4} {recall:6.3f} {precision:9.3f}"
            f" {_yes(generations):>11} {_yes(members):>7} {found:4}/{windows:<2} {one.unrecognised:6}"
        )
        if "-v" in sys.argv:
            print("".join(f"    missed {m}\n" for m in one.missed), end="")
            print("".join(f"    extra  {e}\n" for e in one.extra), end="")
    print(
        f"{'all':46} {'':5} {total[0]:4} {total[1]:4} {total[2]:4} {total[2] / total[0]:6.3f}"
        f" {total[2] / total[1]:9.3f} {'':19} {total[4]:4}/{total[3]:<2}"
    )
    pairs(logs)
    return 0 if good else 1


def _yes(holds: bool) -> str:
    return "exact" if holds else "NO"


if __name__ == "__main__":
    sys.exit(main())
