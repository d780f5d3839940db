"""Speed and memory of reading 1 GB of segments: `python -m benchmarks.offsets_topic [--megabytes N] [SEGMENT...]`.

Segments of a real broker (those of the tests, if none are named) are repeated in ten files. They are read by the
library alone (kafka-python: every record of every batch, without checksums and without decoding) and by `TopicReader`
(checksums, decoded keys and values), each in a process of its own. Seconds are the processor's; memory is the largest
resident size.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "offsets-topic"
FILES = 10
LEAST = 0.3
"""Of the library's speed."""


def by_library(paths: list[Path]) -> int:
    """How many records kafka-python finds."""
    from kafka.record import MemoryRecords  # type: ignore[import-untyped]

    return sum(1 for path in paths for batch in MemoryRecords(path.read_bytes()) for _ in batch)


def by_us(paths: list[Path]) -> int:
    """How many records are decoded."""
    from groupsim.incidents.offsets_topic.reader import TopicReader, sort_out

    reader = TopicReader(sort_out(paths).topic)
    count = sum(1 for _ in reader)
    if reader.damage or reader.unknown:
        sys.exit(f"not all was read: {reader.damage} {reader.unknown}")
    return count


WAYS = {"library": by_library, "ours": by_us}


def measure(way: str, paths: list[Path]) -> dict[str, float]:
    """Seconds, megabytes and records of one way, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.offsets_topic", "--way", way, *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Write the segments, measure both ways, print."""
    options = argparse.ArgumentParser()
    options.add_argument("--megabytes", type=int, default=1_000)
    options.add_argument("--way", choices=WAYS)
    options.add_argument("segments", type=Path, nargs="*")
    given = options.parse_args()
    if given.way:
        began = time.process_time()
        count = WAYS[given.way](given.segments)
        seconds = time.process_time() - began
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"records": count, "s": seconds, "mb": memory}))
        return
    segments = given.segments or sorted(GOLDEN.glob("*.log.gz"))
    block = b"".join(gzip.decompress(path.read_bytes()) for path in segments)
    times = max(1, given.megabytes * 1_000_000 // FILES // len(block))
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "__consumer_offsets-0" / f"{number:020}.log" for number in range(FILES)]
        paths[0].parent.mkdir()
        for path in paths:
            with path.open("wb") as out:
                for _ in range(times):
                    out.write(block)
        size = sum(path.stat().st_size for path in paths) / 1e6
        library, ours = (measure(way, paths) for way in WAYS)
    ratio = library["s"] / ours["s"]
    print(f"{size:,.0f} MB, {ours['records']:,.0f} records in {FILES} files")
    for name, cost in (("kafka-python", library), ("ours", ours)):
        print(f"  {name:12}  {cost['s']:6.1f} s  {cost['mb']:5.0f} MB  {cost['records'] / cost['s']:9,.0f} records/s")
    print(f"ratio {ratio:.2f} (at least {LEAST})")
    if library["records"] != ours["records"]:
        sys.exit("the library found another number of records")
    if ratio < LEAST:
        sys.exit("too slow")


if __name__ == "__main__":
    main()
