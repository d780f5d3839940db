"""Recorded runs of real clients beside their re-enactments, run by run: what is equal, how long it took.

`python -m recorders.recorded_runs DIRECTORY... [--seeds N] [--write]`. A re-enactment takes the recorded
member ids, starts and closes where a recording has them; everything else is left to the seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.timelines import equivalence
from groupsim.conformance.timelines.recorded_form import Record
from groupsim.conformance.timelines.recording import BadRecording
from groupsim.conformance.timelines.reenact import reenact
from recorders.page.recorded_runs_section import FILE, section
from recorders.timelines.comparison import Outcome, outcome

ALL_OWNED = "new_partitions_all_owned_after_ms"
OLD_RELEASE = "4.0"
"""Classic runs of this release are not measured here: the classic client was built by them (docs/results.md)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One recording. Shares are of the seeds that show what was recorded; `repeats`: every repetition showed the same.

    `mostly`: no outcome is more frequent among the seeds than the recorded one. Partition-milliseconds: recorded;
    median, least and most of the seeds. `all_owned_ms`: recorded and median time until all new partitions had an owner.
    """

    id: str
    release: str
    protocol: str
    repeats: bool
    epochs: float
    callbacks: float
    partitions: float
    mostly: bool
    unavailable: int
    recorded_ms: int
    median_ms: int
    least_ms: int
    most_ms: int
    all_owned_ms: tuple[int, int] | None


def measured(record: Record, repeats: bool, seeds: range) -> Row:
    """One recording and its re-enactments. Raises BadRecording."""
    played = [reenact(record, seed, recorded_times=True) for seed in seeds]
    outcomes = Counter(map(outcome, played))
    theirs = outcome(record)
    totals = sorted(map(equivalence.unavailable_ms, played))
    shares = [sum(outcome(run)[i] == theirs[i] for run in played) / len(played) for i in range(3)]
    return Row(
        id=record["id"],
        release=release(record),
        protocol=record["protocol"],
        repeats=repeats,
        epochs=shares[0],
        callbacks=shares[1],
        partitions=shares[2],
        mostly=outcomes[theirs] == max(outcomes.values()),
        unavailable=len(theirs[2]),
        recorded_ms=equivalence.unavailable_ms(record),
        median_ms=round(median(totals)),
        least_ms=totals[0],
        most_ms=totals[-1],
        all_owned_ms=_all_owned(record, played),
    )


def _all_owned(record: Record, played: list[Record]) -> tuple[int, int] | None:
    recorded = record["summary"].get(ALL_OWNED)
    ours = [run["summary"].get(ALL_OWNED) for run in played]
    known = [owned for owned in ours if owned is not None]
    return None if recorded is None or len(known) < len(ours) else (recorded, round(median(known)))


def rows(records: Iterable[Record], seeds: range) -> Iterator[Row]:
    """A row for each recording; those that can't be re-enacted are named on stderr."""
    every = sorted(records, key=lambda record: (release(record), record["id"]))
    outcomes: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for record in every:
        outcomes[kind(record)].append(outcome(record))
    for record in every:
        same = outcomes[kind(record)]
        try:
            yield measured(record, len(same) > 1 and len(set(same)) == 1, seeds)
        except BadRecording as error:
            print(f"left out: {error}", file=sys.stderr)


def release(record: Record) -> str:
    """Of Kafka: `4.4`."""
    return ".".join(str(record["kafka_version"]).split(".")[:2])


def kind(record: Record) -> tuple[str, str]:
    """The release, and the id without the repetition."""
    return release(record), record["id"].rpartition("__")[0]


def _read(folders: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in sorted(path for folder in folders for path in folder.glob("*/recording.json")):
        record = json.loads(path.read_text())
        if record["protocol"] != "classic" or release(record) != OLD_RELEASE:
            yield record


def main() -> None:
    """Print the section; with --write also store what was found for docs/conformance.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIRECTORY")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    measured = [asdict(row) for row in rows(_read(given.folders), range(given.seeds))]
    if given.write:
        FILE.write_text("[\n" + ",\n".join(json.dumps(row) for row in measured) + "\n]\n")
    print("\n".join(section(measured)))


if __name__ == "__main__":
    main()
