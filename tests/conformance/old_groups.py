"""Simulated hosts held against recordings of old groups: heartbeats, their phases, and what each rebalance cost.

    python -m tests.conformance.old_groups FOLDER [--host quiet] [--start-host overloaded] [--seeds 24] [--first 0]

FOLDER has recordings, each with its `recording.json` and `heartbeats.json` (when each process sent one). A recorded run
is played on a named host; from the recording come the settings, what was done and when, and nothing of its speed. Its
cost is the recording's: from the begin of a revoked callback to the end of the next owner's assigned one.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

from groupsim.conformance.timelines.recorded_form import libraries
from groupsim.conformance.timelines.reenact import reenact_on_hosts

AGES_MIN = (1, 5, 30)
"""Minutes after a rebalance at which phases are compared."""
QUIET_MS = 1_000_000
"""A time without a rebalance that is longer than this is the quiet half hour."""
LATE_AT_MOST_MS = 1_000
"""An interval that is longer or shorter by more than this has a rebalance in it."""
ON_MEMBERS = ("start", "close", "kill")
START_MS, START_HOST = 30_000, "overloaded"
"""Until then the host of these recordings was busy with starting some twenty programs, on which it was as slow as this
(by the steps of the first 12 s, before the first rebalance that is compared: again 3.0, first 2.4)."""
Heartbeats = Mapping[str, Sequence[int]]
"""By process, when it sent each (ms)."""


@dataclass(frozen=True, slots=True)
class Rebalance:
    """One, by the action that it follows, at `at_ms`; `ordinal`: the how manieth after that; `cost`: partition-ms."""

    at_ms: int
    action: str
    ordinal: int
    age_ms: int
    cost: int


def rebalances(run: dict[str, Any], actions: Sequence[dict[str, Any]], end_ms: int) -> list[Rebalance]:
    """What each rebalance cost until the next one began, or something was done.

    The time before a killed member's session is over is a part of no rebalance.
    """
    began = sorted(row["t_ms"] for row in run["broker"] if row["kind"] == "rebalance_started")
    done = sorted((a["t_ms"], f"{a['action']} {a['member']} {a['t_ms']}") for a in actions if a["action"] in ON_MEMBERS)
    assigned = sorted(event["t_ms"] for event in run["events"] if event["kind"] == "assigned")
    marks = sorted({*began, *(at for at, _ in done), end_ms})
    following = dict(pairwise(marks))
    found: list[Rebalance] = []
    ordinals: dict[str, int] = defaultdict(int)
    for at in began:
        action_ms, action = max((d for d in done if d[0] <= at), default=(0, ""))
        ordinals[action] += 1
        first = ordinals[action] == 1 and not action.startswith("kill")
        cost = _unavailable_ms(run, action_ms if first else at, following.get(at, end_ms))
        age_ms = at - max((t for t in assigned if t <= at), default=at)
        found.append(Rebalance(action_ms, action, ordinals[action], age_ms, cost))
    return found


def _unavailable_ms(run: dict[str, Any], since: int, until: int) -> int:
    gaps = (gap for by_partition in run["unavailable"].values() for gap in by_partition)
    return sum(max(0, min(until, b) - max(since, a)) for a, b in gaps)


def lateness(sent: Iterable[int], interval_ms: int) -> list[int]:
    """By how much each interval was longer than it should be; those with a rebalance in them are left out."""
    late = (b - a - interval_ms for a, b in pairwise(sent))
    return [ms for ms in late if abs(ms) <= LATE_AT_MOST_MS]


def spread_ms(sent: Heartbeats, at_ms: int, interval_ms: int) -> int | None:
    """How far apart the phases are at this time: the round less its largest gap; None where one process sends none."""
    phases = sorted(at % interval_ms for row in sent.values() if (at := next_after(row, at_ms)) is not None)
    if len(phases) < len(sent) or not phases:
        return None
    gaps = [b - a for a, b in pairwise([*phases, phases[0] + interval_ms])]
    return interval_ms - max(gaps)


def _json(file: Path) -> Any:
    """What a file contains, or the compressed one beside it."""
    packed = file.with_suffix(".json.gz")
    return json.loads(gzip.decompress(packed.read_bytes()) if packed.exists() else file.read_bytes())


def next_after(sent: Sequence[int], at_ms: int) -> int | None:
    """The first heartbeat from this time on."""
    return next((at for at in sent if at >= at_ms), None)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording of an old group, and its heartbeats."""

    record: dict[str, Any]
    heartbeats: Heartbeats

    @classmethod
    def read(cls, folder: Path) -> Recorded:
        """Of a folder."""
        return cls(_json(folder / "recording.json"), _json(folder / "heartbeats.json"))

    @property
    def interval_ms(self) -> int:
        """Of heartbeats."""
        return int(self.record["config"]["heartbeat.interval.ms"])

    @property
    def quiet(self) -> tuple[int, int]:
        """The longest time between two rebalances, from the last assignment to the next beginning (ms)."""
        marks = [(row["t_ms"], 1) for row in self.record["broker"] if row["kind"] == "rebalance_started"]
        marks += [(event["t_ms"], 0) for event in self.record["events"] if event["kind"] == "assigned"]
        spans = ((a, b) for (a, _), (b, begins) in pairwise(sorted(marks)) if begins)
        return max(spans, key=lambda span: span[1] - span[0])

    def library(self, process: str) -> str:
        """Of a process."""
        return libraries(self.record["config"], self.record["actions"]).of(process)

    def in_quiet(self, sent: Heartbeats) -> dict[str, list[int]]:
        """The heartbeats of the quiet half hour, of the processes that are there all the time."""
        since, until = self.quiet
        since += self.interval_ms  # a run that is played is as late as that
        inside = {process: [at for at in row if since < at < until] for process, row in sent.items()}
        most = max(len(row) for row in inside.values())
        return {process: row for process, row in inside.items() if len(row) > most / 2}

    def lateness(self, sent: Heartbeats) -> dict[str, list[int]]:
        """By library, that of each heartbeat of the quiet half hour."""
        by_library: dict[str, list[int]] = defaultdict(list)
        for process, row in self.in_quiet(sent).items():
            by_library[self.library(process)] += lateness(row, self.interval_ms)
        return by_library

    @property
    def lateness_of_all(self) -> list[int]:
        """That of all libraries, as recorded."""
        return [ms for late in self.lateness(self.heartbeats).values() for ms in late]

    def spreads(self, sent: Heartbeats) -> list[int | None]:
        """Of the phases, at each of the ages."""
        inside = self.in_quiet(sent)
        since, until = self.quiet
        latest = until - 2 * self.interval_ms
        return [spread_ms(inside, min(since + age * 60_000, latest), self.interval_ms) for age in AGES_MIN]

    def rebalances(self, run: dict[str, Any]) -> list[Rebalance]:
        """Of this recording or of one that was played, from the second action's window on."""
        opens = self.record["summary"]["window_ms"][0]
        actions = self.record["actions"]
        found = rebalances(run, actions, self.record["run_end_ms"])
        return [r for r in found if r.at_ms >= opens]


@dataclass(frozen=True, slots=True)
class Figures:
    """Recorded ones beside those of the same run played with several seeds, of one recording or of more.

    `late`: by library, of each heartbeat. `spreads`: of the phases at `AGES_MIN`, a row for a run. `costs`: by
    rebalance, the recorded cost and the played ones.
    """

    late: dict[str, tuple[list[int], list[int]]]
    spreads: tuple[list[list[int | None]], list[list[int | None]]]
    costs: list[tuple[Rebalance, list[int]]]

    @classmethod
    def of(cls, recorded: Recorded, hosts: Mapping[int, str], seeds: Sequence[int]) -> Figures:
        """Of one recording on hosts, each from a time on."""
        played = [reenact_on_hosts(recorded.record, seed, hosts) for seed in seeds]
        beats = [recorded.lateness(run["heartbeats"]) for run in played]
        late = {
            library: (seen, [ms for run in beats for ms in run[library]])
            for library, seen in recorded.lateness(recorded.heartbeats).items()
        }
        spreads = [recorded.spreads(run["heartbeats"]) for run in played]
        ours: dict[tuple[str, int], list[int]] = defaultdict(list)
        for run in played:
            for row in recorded.rebalances(run):
                ours[row.action, row.ordinal].append(row.cost)
        rows = [(row, sorted(ours[row.action, row.ordinal]) or [0]) for row in recorded.rebalances(recorded.record)]
        return cls(late, ([recorded.spreads(recorded.heartbeats)], spreads), rows)

    @classmethod
    def together(cls, every: Sequence[Figures]) -> Figures:
        """Those of several recordings as one."""
        late: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for figures in every:
            for library, (seen, ours) in figures.late.items():
                late[library][0].extend(seen)
                late[library][1].extend(ours)
        spreads = ([row for f in every for row in f.spreads[0]], [row for f in every for row in f.spreads[1]])
        return cls(late, spreads, [row for figures in every for row in figures.costs])

    def lines(self) -> Iterator[str]:
        """Lateness, phases, and how many costs are inside the range of the seeds."""
        for library, (seen, ours) in sorted(self.late.items()):
            yield (
                f"  late, {library}: mean {mean(seen):.2f} ms, simulated {mean(ours):.2f}; "
                f"sd {stdev(seen):.2f}, simulated {stdev(ours):.2f}; n {len(seen)}"
            )
        for i, age in enumerate(AGES_MIN):
            seen_ms, drawn = (sorted(row[i] or 0 for row in rows) for rows in self.spreads)
            yield (
                f"  phases after {age} min: mean {mean(seen_ms):.0f} ms of {len(seen_ms)}, "
                f"simulated {mean(drawn):.0f}, median {median(drawn):.0f} ({drawn[0]}-{drawn[-1]})"
            )
        inside = [drawn[0] <= row.cost <= drawn[-1] for row, drawn in self.costs]
        errors = [abs(median(drawn) - row.cost) / max(row.cost, 1) for row, drawn in self.costs]
        yield f"  inside {sum(inside)} of {len(inside)}, median error {100 * median(errors):.0f} %"

    def costs_lines(self) -> Iterator[str]:
        """What each rebalance cost beside the simulated range."""
        for row, drawn in self.costs:
            low, high = drawn[0], drawn[-1]
            yield (
                f"  {row.action}, {row.ordinal}. rebalance, age {row.age_ms / 1000:.0f} s: {row.cost}, "
                f"simulated {median(drawn):.0f} ({low}-{high}){'' if low <= row.cost <= high else ' OUTSIDE'}"
            )


def main() -> None:
    """Print the comparison of every recording of a folder, and of all of them together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--host", default="quiet")
    parser.add_argument("--start-host", default=START_HOST, help=f"until {START_MS / 1000:.0f} s")
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    hosts = {0: given.start_host, START_MS: given.host}
    every = []
    for folder in sorted(path.parent for path in given.folder.glob("*/heartbeats.json*")):
        every.append(Figures.of(Recorded.read(folder), hosts, seeds))
        print(f"{folder.name}, host {given.host}, {len(seeds)} seeds", *every[-1].costs_lines(), sep="\n")
        print(*every[-1].lines(), sep="\n", flush=True)
    print(f"all {len(every)}", *Figures.together(every).lines(), sep="\n")


if __name__ == "__main__":
    main()
