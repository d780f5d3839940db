"""`python -m tests.adversary [--minutes N] [--seed S] [--area NAME]`: attempts, area after area, till the time is over.

Prints a line for each finding, with the area and the number that repeat it (`--area NAME --seed S`), and the counts at
the end. Exit status 1 if anything was found.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.adversary import (
    advices,
    commands,
    damaged_files,
    documents,
    forgers,
    forging,
    interrupted,
    logs,
    rewritten,
    servers,
    stories,
    sweeps,
    tables,
    tampering,
    written_runs,
)
from tests.adversary.called import Finding

_TURN_S = 1.0
"""CPU time of an area before the next one has its turn."""
_WAITING_S = 5.0
"""And time by the clock: an area may compute in processes that nobody here waits for."""
Area = Callable[[Random, Path], None]
AREAS: dict[str, Area] = {
    "fault: run": interrupted.run,
    "fault: cut": interrupted.cut,
    "fault: export": interrupted.export,
    "fault: import": interrupted.import_,
    "fault: report": interrupted.report,
    "fault: logs": interrupted.logs,
    "sweep: killed": sweeps.killed,
    "sweep: worker killed": sweeps.worker_killed,
    "advice: killed": advices.killed,
    "PostgreSQL: server killed": servers.killed,
    "PostgreSQL: another's": servers.owned_by_another,
    "store: bits": tampering.store_bits,
    "store: fields": tampering.store_fields,
    "export: changed": tampering.exports,
    "export: forged": forging.forged,
    "export: forged facts": forgers.facts,
    "logs": logs.whole_logs,
    "logs: other names": rewritten.names,
    "logs: other hours": rewritten.hours,
    "documents": documents.documents,
    "lines that grow": logs.growing_lines,
    "scenario files": stories.files,
    "settings": stories.settings,
    "commands": commands.options,
    "files of commands": damaged_files.files,
    "numbers: classic": stories.numbers,
    "numbers: consumer": stories.consumer_numbers,
    "numbers: logs": written_runs.numbers,
    "numbers: tables": tables.numbers,
}


def attempt(area: str, seed: int, folder: Path) -> str | None:
    """One attempt; what it found, in a sentence."""
    try:
        AREAS[area](Random(f"{area}/{seed}"), folder)
    except Finding as found:
        return str(found)
    return None


def attack(seconds: float, seed: int, areas: list[str], counts: Counter[str], findings: list[str]) -> None:
    """Attempts by area, and the findings; in turn each area has a second of CPU time, and at least one attempt."""
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="adversary-") as folder:
        while time.monotonic() < until:
            for area in areas:
                turn_ends, latest = _cpu_s() + _TURN_S, min(until, time.monotonic() + _WAITING_S)
                while not counts[area] or (_cpu_s() < turn_ends and time.monotonic() < latest):
                    number = seed + counts[area]
                    counts[area] += 1
                    if (found := attempt(area, number, Path(folder))) is not None:
                        findings.append(f"{area}, seed {number}: {found}")
                        print(findings[-1], flush=True)


def _cpu_s() -> float:
    """CPU time of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def main() -> int:
    """Exit status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="the first number of each area")
    parser.add_argument("--area", choices=[*AREAS], action="append", help="only this one; may be repeated")
    given = parser.parse_args()
    counts, findings = Counter[str](), list[str]()
    try:
        attack(60 * given.minutes, given.seed, given.area or [*AREAS], counts, findings)
    finally:  # what was tried counts, whatever ended it
        for area, count in counts.items():
            print(f"{count:7,}  {area}")
        print(f"{sum(counts.values()):7,}  attempts, {len(findings)} findings", flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
