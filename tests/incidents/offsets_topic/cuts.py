"""Clients' logs that end before the topic does, or a topic that ends before the logs: do the bounds hold the truth?

`python -m tests.incidents.offsets_topic.cuts [--cuts N] [RECORDING...]` cuts the files of the recordings beside the
checkout at drawn times and compares each import with that of the whole logs of the broker and the clients.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from groupsim.analysis.tables.bounds import Support
from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.logs.times import instant
from tests.incidents.offsets_topic.truth import RECORDINGS, TOPICS, measure
from tests.incidents.recordings import began

_STAMP = re.compile(rb"\[(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d),(\d{3})\]|%\d\|(\d+)\.(\d{3})\|")
_CREATED = re.compile(rb"CreateTime: (\d+)")
_NEAR, _SLACK_MS = 0.01, 200
"""A true total is held if the bounds miss it by at most this share, or this time for all partitions together."""


class Cut(StrEnum):
    """What ends early: all clients' logs at one time, each at its own, one of them, or the topic."""

    ALL = "all"
    EACH = "each"
    ONE = "one"
    TOPIC = "topic"


class Tried(NamedTuple):
    """One import of cut files; `truth` is the partition-milliseconds of the whole logs."""

    name: str
    cut: str
    truth: int
    found: Support

    @property
    def held(self) -> bool:
        """Whether the truth is within the bounds."""
        return within(self.truth, self.found)


def within(truth: int, found: Support) -> bool:
    """Whether a true total, in partition-milliseconds, is within the bounds, as near as logs are."""
    slack = max(_SLACK_MS, round(_NEAR * truth))
    most = found.at_most_ms
    return found.at_least_ms <= truth + slack and (most is None or truth - slack <= most)


def log_until(log: Path, at_ms: int, folder: Path) -> Path:
    """A copy of a client's log up to an instant (UTC milliseconds since 1970); lines without a time go with others."""
    kept: list[bytes] = []
    with _opened(log) as lines:
        for line in lines:
            stamp = _STAMP.match(line)
            if stamp is not None and _at(stamp) >= at_ms:
                break
            kept.append(line)
    copy = folder / f"{log.name.removesuffix('.gz')}.gz"
    copy.write_bytes(gzip.compress(b"".join(kept), 1))
    return copy


def topic_until(dump: Path, at_ms: int, folder: Path) -> Path:
    """A copy of a dump without what was written after an instant."""
    with _opened(dump) as lines:
        kept = [line for line in lines if (made := _CREATED.search(line)) is None or int(made[1]) <= at_ms]
    copy = folder / f"{dump.name.removesuffix('.gz')}.gz"
    copy.write_bytes(gzip.compress(b"".join(kept), 1))
    return copy


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _at(stamp: re.Match[bytes]) -> int:
    day, clock, fraction, seconds, rest = (each.decode() if each else "" for each in stamp.groups())
    return int(seconds + rest) if seconds else instant(f"{day}T{clock}.{fraction}Z")


def tried(dump: Path, name: str, cuts: int) -> Iterator[Tried]:
    """Cut the files of one recording so many times, by each of the ways in turn."""
    record, draw = read_record(RECORDINGS / name), Random(name)
    start, group = began(record), record["config"]["group_id"]
    begin, end = record["summary"]["window_ms"]
    window, until = (start + begin, start + end), start + record["run_end_ms"]
    logs = sorted((RECORDINGS / name / "logs").iterdir())
    clients = [log for log in logs if not log.name.startswith("broker")]
    truth = measure(logs, group, until, window)[0].labelled_ms
    for number in range(cuts):
        way = tuple(Cut)[number % len(Cut)]
        at = draw.randint(start + begin // 2, start + end)
        with TemporaryDirectory() as made:
            folder, about = Path(made), ""
            if way is Cut.TOPIC:
                files = [topic_until(dump, at, folder), *clients]
            else:
                chosen = draw.choice(clients)
                about = f" {chosen.name}" if way is Cut.ONE else ""
                files = [dump]
                for log in clients:
                    own = draw.randint(start + begin // 2, start + end) if way is Cut.EACH else at
                    files.append(log if way is Cut.ONE and log != chosen else log_until(log, own, folder))
            found, _ = measure(files, group, until, window)
        yield Tried(name, f"{way}{about} at {at - start}", truth, found.rests_on)


def main(arguments: Sequence[str]) -> int:
    """Print the cuts whose bounds do not hold the truth, and the sums."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.offsets_topic.cuts", description=__doc__)
    parser.add_argument("--cuts", type=int, default=8, help="cuts of each recording")
    parser.add_argument("recordings", nargs="*", help="beginnings of names; all, if none is given")
    asked = parser.parse_args(arguments)
    if not TOPICS.is_dir():
        print("the dumps (../shared/offsets-topic) are not here")
        return 1
    found: list[Tried] = []
    for about in sorted(TOPICS.glob("*.json")):
        for name in json.loads(about.read_text(encoding="utf-8"))["recordings"]:
            if asked.recordings and not name.startswith(tuple(asked.recordings)):
                continue
            for each in tried(about.with_suffix(".dump.txt.gz"), name, asked.cuts):
                found.append(each)
                if not each.held:
                    bounds = f"{each.found.at_least_ms} to {each.found.at_most_ms}"
                    print(f"{each.name}  {each.cut}: {each.truth} is not within {bounds}", flush=True)
    widths = [each.found.at_most_ms - each.found.at_least_ms for each in found if each.found.at_most_ms is not None]
    print(f"{sum(each.held for each in found)} of {len(found)} cuts have the truth within the bounds")
    print(f"width of the bounds: median {median(widths):,.0f} partition-ms; no upper bound: {len(found) - len(widths)}")
    return int(any(not each.held for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
