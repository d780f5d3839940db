"""How long each step of a join took in recordings of old groups, recorded and simulated, both read by the same rules.

    python -m tests.conformance.old_group_steps RECORDING... [--seeds 5]

RECORDING is a folder with its `recording.json` and `heartbeats.json`. What is simulated is each recorded run on a quiet
host, as `tests.conformance.old_groups` has it. The first 30 s are left out. Printed: how many, the mean, and the
quantiles at `latencies.SHARES` (ms), which contain what the network and the write take.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from groupsim.conformance.timelines.reenact import reenact_on_hosts
from groupsim.simulation.latencies import SHARES
from tests.conformance.old_groups import START_HOST, START_MS, Recorded

LONGEST_MS = 1_000
"""What takes longer waits for something else."""
Process = tuple[str, int]
"""Member and incarnation."""
REJOINS = {"already rebalancing": "heard of it", "need to revoke": "revoked"}
"""By a part of the reason in the client's log, from when a member that joins again is timed."""


class Steps:
    """Those of one run, by name; `first`: of a process, where classes are loaded."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.taken: dict[str, list[int]] = defaultdict(list)
        self._joined_ms, self._written_ms = (_by_generation(run, k) for k in ("join_completed", "assignment_received"))
        self._done: set[tuple[Process, str]] = set()
        self._answered_ms: dict[tuple[Process, int], int] = {}
        self._rejoins: dict[Process, tuple[str, int]] = {}
        for row in sorted((*run["client_log"], *run["events"]), key=lambda row: row["t_ms"]):
            self._see(row, (row["member"], row["incarnation"]), row.get("generation"))

    def _see(self, row: dict[str, Any], process: Process, generation: int) -> None:
        at_ms = row["t_ms"]
        answered_ms = self._answered_ms.get((process, generation))
        written_ms = self._written_ms.get(generation)
        match row["kind"]:
            case "rejoin_requested":
                known = [what for part, what in REJOINS.items() if part in row.get("reason", "")]
                self._rejoins.pop(process, None)
                self._rejoins.update((process, (what, at_ms)) for what in known)
            case "join_sent" if process in self._rejoins:
                what, since_ms = self._rejoins.pop(process)
                self._took(process, f"{what} > join sent", since_ms, at_ms)
            case "join_ok" if generation in self._joined_ms:
                self._answered_ms[process, generation] = at_ms
                self._took(process, "joined", self._joined_ms[generation], at_ms)
            case "leader_assigned" if written_ms is not None and answered_ms is not None:
                self._took(process, "assignor", answered_ms, written_ms)
            case "assigned" if written_ms is not None and answered_ms is not None:
                name = "assigned" if answered_ms < written_ms else "assigned at once"
                self._took(process, name, max(answered_ms, written_ms), at_ms)

    def _took(self, process: Process, name: str, since_ms: int, until_ms: int) -> None:
        kind = name.removesuffix(" at once")
        prefix = "" if (process, kind) in self._done else "first "
        self._done.add((process, kind))
        if since_ms > START_MS and until_ms - since_ms < LONGEST_MS:
            self.taken[prefix + name].append(until_ms - since_ms)


def _by_generation(run: dict[str, Any], kind: str) -> dict[int, int]:
    return {row["generation"]: row["t_ms"] for row in run["broker"] if row["kind"] == kind}


def together(runs: Iterable[dict[str, Any]]) -> dict[str, list[int]]:
    """The steps of several runs."""
    found: dict[str, list[int]] = defaultdict(list)
    for run in runs:
        for name, taken in Steps(run).taken.items():
            found[name] += taken
    return found


def quantiles(taken: Sequence[int]) -> list[float]:
    """At `SHARES`, evenly between two values."""
    row = sorted(taken)
    found = []
    for share in SHARES:
        i, part = divmod(share * (len(row) - 1), 1)
        below, above = row[int(i)], row[min(int(i) + 1, len(row) - 1)]
        found.append(round(below + part * (above - below), 1))
    return found


def _lines(recorded: dict[str, list[int]], simulated: dict[str, list[int]]) -> Iterator[str]:
    for name in sorted({*recorded, *simulated}):
        yield name
        for what, taken in (("recorded", recorded.get(name)), ("simulated", simulated.get(name))):
            yield f"  {what}: {f'{len(taken)}, mean {mean(taken):.1f}, {quantiles(taken)}' if taken else 'none'}"


def main() -> None:
    """Print the steps of recordings beside the simulated ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    records = [Recorded.read(folder).record for folder in given.recording]
    hosts = {0: START_HOST, START_MS: "quiet"}
    played = (reenact_on_hosts(record, seed, hosts) for record in records for seed in range(given.seeds))
    for line in _lines(together(records), together(played)):
        print(line)


if __name__ == "__main__":
    main()
