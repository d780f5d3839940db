"""When each record of a recorded run came, and when a consumer took it, as its members printed it poll by poll."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recorders.timelines.real_group import RealGroup, log_name


class Taken(NamedTuple):
    """A record that a poll returned: times in ms since the run's start; `came_ms` is the producer's stamp."""

    topic: str
    partition: int
    offset: int
    came_ms: int
    taken_ms: int
    process: str


def write_taken(file: Path, group: RealGroup) -> None:
    """All records that the members of a group took, in the order in which they took them."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(Taken._fields)
    taken: list[Taken] = sorted(_printed(group), key=lambda each: (each.taken_ms, each))
    rows.writerows(taken)
    file.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def read_taken(file: Path) -> list[Taken]:
    """What `write_taken` wrote."""
    with gzip.open(file, "rt", newline="") as lines:
        return [
            Taken(topic, int(partition), int(offset), int(came), int(taken), process)
            for topic, partition, offset, came, taken, process in list(csv.reader(lines))[1:]
        ]


def _printed(group: RealGroup) -> Iterator[Taken]:
    for (label, incarnation), process in group.processes.items():
        name = log_name(label, incarnation).removesuffix(".log")
        for event in process.events:
            if event["kind"] == "took" and event["at_ms"] - group.began_ms <= group.run.end_ms:
                for topic, partition, offset, stamp in event["records"]:
                    yield Taken(topic, partition, offset, stamp - group.began_ms, event["at_ms"] - group.began_ms, name)
