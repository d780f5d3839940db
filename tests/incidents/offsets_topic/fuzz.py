"""Truncated, damaged and random segments: `python -m tests.incidents.offsets_topic.fuzz [COUNT] [SEED] [--import]`.

Each is read in a time that a hang would exceed; what can be known of the result is checked. With `--import`, segments
whose checksums are right and whose contents are wrong become runs.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.offsets_topic.batches import Batch, BatchReader
from groupsim.incidents.offsets_topic.entries import entries
from groupsim.incidents.offsets_topic.segments import SegmentReader
from groupsim.storage.memory import MemoryStore
from tests.incidents.offsets_topic.segment_files import CODECS, Entry, batch, commit, fields, old_messages, sealed

GOLDEN = Path(__file__).parents[2] / "golden" / "offsets-topic"
LIMIT_S = 20.0
NAME = "00000000000000000000.log"


def originals() -> list[bytes]:
    """Batches of a real broker, and such as it could have written in other formats and compressions."""
    found = [each.raw for path in sorted(GOLDEN.glob("*.log.gz")) for each in BatchReader(path)]
    values = [Entry(offset, *_first(raw)) for offset, raw in enumerate(found[:20])]
    written = [batch([commit(n) for n in range(30)], codec) for codec in CODECS]
    written += [batch([entry], codec) for entry in values for codec in CODECS]
    return [*found, *written, old_messages([commit(0), commit(1)], 0), old_messages([commit(2)], 1)]


def _first(raw: bytes) -> tuple[bytes | None, bytes | None]:
    first = next(iter(entries(Batch(raw, 0, 2, 0))))
    return first.key, first.value


def mutated(draw: random.Random, batches: list[bytes]) -> bytes:
    """Some batches, and what happens to files; half of the time the checksums are made right again."""
    parts = [bytearray(draw.choice(batches)) for _ in range(draw.randint(0, 6))]
    if parts and draw.random() < 0.5:
        victim = draw.choice(parts)
        for _ in range(draw.randint(1, 4)):
            victim[draw.randrange(len(victim))] = draw.randrange(256)
        if draw.random() < 0.5 and victim[16] == 2:
            sealed(victim)
    data = bytearray(b"".join(parts))
    kind = draw.randrange(6)
    if kind == 0 and data:
        del data[draw.randrange(len(data)) :]
    elif kind == 1 and data:
        for _ in range(draw.randint(1, 20)):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    elif kind == 2:
        at = draw.randint(0, len(data))
        data[at:at] = draw.randbytes(draw.randint(1, 3000))
    elif kind == 3:
        at = draw.randint(0, len(data))
        data[at : at + draw.randint(0, 200)] = bytes(draw.randint(0, 5000))
    elif kind == 4:
        data = bytearray(draw.randbytes(draw.randint(0, 4000)))
    return bytes(data)


def cases(count: int, seed: int) -> Iterator[bytes]:
    """So many damaged files."""
    draw, batches = random.Random(seed), originals()
    for _ in range(count):
        yield mutated(draw, batches)


def check(data: bytes, path: Path) -> str:
    """Read one; what came of it. Raises AssertionError for a hang, and for records that come twice by themselves."""
    path.write_bytes(data)
    began = time.monotonic()
    reader = SegmentReader([path])
    found = list(reader)
    assert time.monotonic() - began < LIMIT_S, f"{time.monotonic() - began:.0f} s for {len(data)} bytes"
    assert [fields(record) for record in SegmentReader([path])] == [fields(record) for record in found]
    kept = sum(len(each.raw) for each in BatchReader(path))
    assert kept <= len(data)
    said = reader.damage or reader.without
    assert kept == len(data) or said or not data.rstrip(b"\0")[kept:], "bytes are lost without a word"
    return "damage named" if said else "unknown counted" if reader.unknown else "whole"


def wrong_contents(count: int, seed: int) -> Iterator[tuple[bytes, str]]:
    """So many parts of real segments, some bytes changed, the checksums right; each with one of its groups."""
    draw = random.Random(seed)
    segments = []
    for path in sorted(GOLDEN.glob("*.log.gz")):
        keys = [record.key for record in SegmentReader([path])]
        groups = sorted({str(key.get("group", key.get("groupId"))) for key in keys})
        segments.append(([each.raw for each in BatchReader(path)], groups))
    for _ in range(count):
        batches, groups = draw.choice(segments)
        first = draw.randrange(len(batches))
        parts = [bytearray(each) for each in batches[first : first + draw.randint(1, 200)]]
        for _ in range(draw.randint(0, 6)):
            victim = draw.choice(parts)
            victim[draw.randrange(61, len(victim))] = draw.randrange(256)
            sealed(victim)
        if draw.random() < 0.3:
            draw.shuffle(parts)
        yield b"".join(parts), draw.choice(groups)


def check_import(data: bytes, group: str, path: Path) -> str:
    """Import one; what came of it. Raises AssertionError for a hang."""
    path.write_bytes(data)
    began = time.monotonic()
    try:
        reading = read_files([path], wanted=Wanted(groups=frozenset([group])))
        import_run(reading, MemoryStore(), name=None, topics={})
        outcome = "a run"
    except LogError:
        outcome = "refused in a sentence"
    assert time.monotonic() - began < LIMIT_S
    return outcome


def main() -> None:
    """Check COUNT files (50,000) of SEED (1)."""
    numbers = [int(each) for each in sys.argv[1:] if each != "--import"]
    count, seed = (*numbers, *(50_000, 1)[len(numbers) :])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        if "--import" in sys.argv:
            outcomes = Counter(check_import(data, group, path) for data, group in wrong_contents(count, seed))
        else:
            outcomes = Counter(check(data, path) for data in cases(count, seed))
    named = ", ".join(f"{each} {number:,}" for each, number in sorted(outcomes.items()))
    print(f"{count:,} files, seed {seed}: {named}; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
