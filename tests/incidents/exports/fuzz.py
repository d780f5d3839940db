"""Exports mutated at random: `python -m tests.incidents.exports.fuzz [--documents N] [--seed S]` prints what it found.

A small part of an example incident, in one of our layouts, is cut, nested, doubled, given wrong types, huge numbers,
NUL bytes, lone surrogates, broken encodings … and imported in this process. Nothing may be raised but LogError with one
sentence, and no document may take longer than its size allows.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.incidents.exports.layouts import LAYOUTS, arranged, lines_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "incidents"
MOST_S, MOST_S_PER_KB = 2.0, 0.05
"""CPU seconds that a document may take, and more for each KB."""
VALUES = (
    "1e999", "-1e999", "NaN", "Infinity", "9" * 400, "9" * 5_000, "-1", "0", "null", "true", "[]", "{}", '""', "1.5e-7",
    '"\\ud800"', '"\\u0000"', '"' + "x" * 70_000 + '"', "[" * 50 + "]" * 50, '{"a":' * 60 + "1" + "}" * 60,
    "[" * 3_000 + "]" * 3_000, "99999999999999999999", "253402300800000", '"9999-12-31T23:59:59Z"', "[[]]", "[1,[2]]",
    '"0001-01-01T00:00:00+14:00"', '"2024-02-30T25:61:61Z"', '"=cmd|x"', '[{"key":1,"value":2}]', '{"intValue":{}}',
)  # fmt: skip
BYTES = (b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\x1b[31m", b"\\", b'"', b"{", b"]",
         b",", b"\n", b"\xc2\xa0", b"9" * 30, b'"' * 7, b"[" * 200, b"\n\n", b"<x>", b"&lol;", b"=" )  # fmt: skip
_VALUE = re.compile(rb'(?<=[:,\[])\s?("(?:[^"\\]|\\.){0,300}"|-?\d[\d.]{0,30}|null|true|false)')
_KEY = re.compile(rb'"([\w.@ -]{1,40})"\s?:')


class Finding(NamedTuple):
    """A document that was not read as it should: its number, and what happened."""

    number: int
    layout: str
    what: str


def originals() -> list[tuple[str, bytes]]:
    """Small documents in our layouts."""
    every = lines_of(EXAMPLES / "kill9-range")
    about = [line for line in every if "roup" in line.text][:14]
    return [
        (name, write(arranged(about, order)).encode()) for name, (write, orders) in LAYOUTS.items() for order in orders
    ]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The document with one to five things wrong."""
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        data = chance.choice(MUTATIONS)(data, chance)
        if len(data) > 300_000:
            break
    return data[:400_000]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _without(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    return data[:start] + data[start + chance.choice((1, 2, 10, 200)) :]


def _doubled(data: bytes, chance: random.Random) -> bytes:
    a, b = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    return data[:b] + data[a:b][:20_000] * chance.choice((1, 1, 3)) + data[b:]


def _bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(BYTES) + data[at:]


def _flipped(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _replaced(pattern: re.Pattern[bytes]) -> Callable[[bytes, random.Random], bytes]:
    def replace(data: bytes, chance: random.Random) -> bytes:
        found = list(pattern.finditer(data))
        value = chance.choice(VALUES).encode()
        for match in sorted(chance.sample(found, min(len(found), chance.choice((1, 1, 9)))), key=lambda m: -m.start()):
            data = data[: match.start(1)] + value + data[match.end(1) :]
        return data

    return replace


def _renamed(data: bytes, chance: random.Random) -> bytes:
    """A key becomes another one of the document, or a huge one."""
    keys = _KEY.findall(data)
    if not keys:
        return data
    new = chance.choice([*keys, b"9" * 400, b"a." * 300, b"", b"time", b"message"])
    return data.replace(b'"' + chance.choice(keys) + b'"', b'"' + new + b'"', chance.choice((1, 10_000)))


def _nested(data: bytes, chance: random.Random) -> bytes:
    times = chance.choice((1, 5, 45, 70, 2_000))
    before, after = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'{"values":[', b"]}"), (b'[{"x":1},', b"]")))
    return before * times + data + after * chance.choice((0, times))


def _number(data: bytes, chance: random.Random) -> bytes:
    """A number in a name or a text becomes a huge or a strange one."""
    found = list(re.finditer(rb"\d{1,20}", data))
    if not found:
        return data
    match = chance.choice(found)
    new = chance.choice((b"9" * 30, b"9" * 4_400, b"-1", b"0", b"00", b"2147483648", b"\xd9\xa3", b"\xc2\xb2", b""))
    return data[: match.start()] + new + data[match.end() :]


def _in_json(data: bytes, chance: random.Random) -> bytes:
    return json.dumps({"message": data.decode("utf-8", "replace")}).encode()


def _wide(data: bytes, chance: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(
        chance.choice(("utf-16", "utf-16-le", "utf-16-be", "latin-1")), "replace"
    )


MUTATIONS = (
    _cut, _without, _doubled, _bytes, _flipped, _replaced(_VALUE), _replaced(_KEY), _renamed, _nested, _number,
    _in_json, _wide,
)  # fmt: skip


def attempted(path: Path) -> str:
    """How reading and importing a file went: a word, or what went wrong, behind a colon."""
    began = time.process_time()
    said = "imported"
    try:
        reading = read_files([path])
        import_run(reading, MemoryStore(), name=None, topics={})
    except LogError as error:
        said = "refused"
        sentence = str(error)
        if not sentence.strip() or "\n" in sentence or "Traceback" in sentence or len(sentence) > 3_000:
            return f"error: {sentence[:300]!r} is no sentence"
    except Exception:
        return "error: " + " | ".join(traceback.format_exc().strip().splitlines()[-7:])
    took = time.process_time() - began
    if took > MOST_S + MOST_S_PER_KB * path.stat().st_size / 1_000:
        return f"error: {took:.1f} s of one core for {path.stat().st_size} bytes"
    return said


def attempts(documents: int, seed: int, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Each document's number, layout, and how it went. What went wrong stays in the folder."""
    every = originals()
    for number in range(documents):
        chance = random.Random(f"{seed}/{number}")
        name, data = chance.choice(every)
        path = folder / f"{number}-{name}"
        path.write_bytes(mutated(data, chance))
        said = attempted(path)
        if not said.startswith("error"):
            path.unlink()
        yield number, name, said


def main() -> int:
    """0 if nothing was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder in which the documents with findings are left")
    given: Any = parser.parse_args()
    counts: Counter[str] = Counter()
    findings: dict[str, Finding] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        for number, name, said in attempts(given.documents, given.seed, folder):
            counts[said.partition(":")[0]] += 1
            if said.startswith("error") and said not in findings:
                findings[said] = Finding(number, name, said)
                print(findings[said], flush=True)
    print(
        f"{given.documents:,} documents, seed {given.seed}: " + ", ".join(f"{n:,} {what}" for what, n in counts.items())
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
