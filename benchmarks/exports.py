"""How much memory and time large exports need: `python -m benchmarks.exports [--full] [--megabytes N] [--only NAME]`.

Three exports of a web shop's logs are written (JSON an object a line; one JSON document with nested records; CSV), once
with nothing about consumer groups but a user group now and then, once with a line about one in 10,000 records. Each is
read by the program (`read`) and, beside it, by the library alone: `json.loads` a line, `json.load` of the
document, `csv.reader`. Seconds are the processor's, those of each program's start left out; memory is the largest
resident size. `--full` writes 1,000 MB each instead of 100.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MOST_MB, MOST_TIMES = 300, 2.0
_BLOCK = 10_000
"""Records that are written again and again."""


class Record(NamedTuple):
    """A record of an export: its time, its pod and its text."""

    time: str
    pod: str
    text: str


def records(*, groups: bool) -> Iterator[Record]:
    """A block of records."""
    for n in range(_BLOCK):
        time = f"2024-03-01T10:{n // 600 % 60:02d}:{n // 10 % 60:02d}.{n % 10}00Z"
        text = f"INFO GET /basket/{n}/items answered 200 in {n % 1000} ms [trace 7f3a9c{n:06d}] (shop.web.AccessLog)"
        if n % 1000 == 7:
            text = f"INFO user {n} was added to the user group 'buyers' (shop.web.Accounts)"
        if groups and n == _BLOCK // 2:
            text = (
                "INFO [Consumer clientId=c1, groupId=billing] (Re-)joining group"
                " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
            )
        yield Record(time, f"shop-{n % 5}", text)


def nested(record: Record) -> str:
    """A record as Elasticsearch gives it."""
    source = {
        "@timestamp": record.time,
        "message": record.text,
        "kubernetes": {"pod": {"name": record.pod}, "labels": {"app": "shop", "tier": "web"}},
        "tags": ["prod", "eu"],
    }
    return json.dumps({"_index": "logs-2024.03.01", "_id": record.text[-30:], "_source": source})


def write_lines(path: Path, size: int, *, groups: bool) -> None:
    """JSON, an object a line."""
    block = "".join(f"{nested(record)}\n" for record in records(groups=groups)).encode()
    _repeat(path, block, size, b"", b"")


def write_document(path: Path, size: int, *, groups: bool) -> None:
    """One JSON document with a list of records in it."""
    block = ",\n".join(nested(record) for record in records(groups=groups)).encode() + b",\n"
    _repeat(path, block, size, b'{"took": 12, "hits": {"total": {"value": 10000}, "hits": [\n', b'{"_id": "last"}]}}\n')


def write_table(path: Path, size: int, *, groups: bool) -> None:
    """CSV."""
    cells = (f'"{record.time}",{record.pod},"{record.text}",shop,prod\n' for record in records(groups=groups))
    _repeat(path, "".join(cells).encode(), size, b"timestamp,pod,message,app,stage\n", b"")


def _repeat(path: Path, block: bytes, size: int, begin: bytes, end: bytes) -> None:
    with path.open("wb") as file:
        file.write(begin)
        for _ in range(max(1, size // len(block))):
            file.write(block)
        file.write(end)


def load_lines(path: Path) -> None:
    """The JSON library alone."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def load_document(path: Path) -> None:
    """The JSON library alone, with the whole document in memory."""
    with path.open("rb") as file:
        json.load(file)


def load_table(path: Path) -> None:
    """The CSV library alone."""
    with path.open(encoding="utf-8", newline="") as file:
        for _ in csv.reader(file):
            pass


class Case(NamedTuple):
    """An export: its name, what writes it, and what reads it with the library alone."""

    name: str
    write: Callable[..., None]
    load: Callable[[Path], None]


CASES = (
    Case("export.ndjson", write_lines, load_lines),
    Case("export.json", write_document, load_document),
    Case("export.csv", write_table, load_table),
)


def measured(command: list[str], start: float = 0) -> tuple[float, int]:
    """CPU seconds of a program beyond those of its start, and its largest resident size (MB)."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    return max(used.ru_utime + used.ru_stime - start, 0.001), used.ru_maxrss // 1024


def compare(folder: Path, megabytes: int, only: str) -> bool:
    """Print each export's figures; whether the aims are met."""
    program = [sys.executable, "-m", "groupsim.cli.main", "incident", "read"]
    library = [sys.executable, "-m", "benchmarks.exports", "--load"]
    empty = folder / "empty.log"
    empty.write_text("\n")
    starts = measured([*program, str(empty)])[0], measured([*library, str(empty)])[0]
    met = True
    for case in CASES:
        if only not in case.name:
            continue
        for groups in (False, True):
            path = folder / case.name
            case.write(path, megabytes * 1_000_000, groups=groups)
            seconds, resident = measured([*program, str(path)], starts[0])
            alone, _ = measured([*library, str(path)], starts[1])
            good = resident < MOST_MB and (groups or seconds <= MOST_TIMES * alone)
            met = met and good
            print(
                f"{case.name:14} {path.stat().st_size / 1e6:7,.0f} MB  {'one in 10,000' if groups else 'nothing':13}"
                f" about a group: {seconds:6.1f} s, {seconds / alone:5.2f} x the library's {alone:5.1f} s,"
                f" {resident:5,} MB resident at most  {'ok' if good else 'MISSES THE AIM'}",
                flush=True,
            )
            path.unlink()
    return met


def main() -> int:
    """0 if the aims are met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.load is not None:
        next((case.load for case in CASES if case.name == given.load.name), load_table)(given.load)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return 0 if compare(Path(folder), 1_000 if given.full else given.megabytes, given.only) else 1


if __name__ == "__main__":
    sys.exit(main())
