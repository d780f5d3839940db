"""Exports that somebody wrote again: any field of any fact, any time, any order, with or without a right seal.

Nobody can tell such an export from a true one. What is kept of it obeys what every run obeys, and no command fails.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from groupsim.events.errors import GroupsimError
from groupsim.storage import open_store
from groupsim.storage.audit import audit
from groupsim.storage.codec import Digest, Row
from groupsim.storage.run_info import LONGEST_MS, from_columns, run_checksum
from groupsim.storage.store import EventStore, RunInfo
from tests.adversary.called import Finding, call, within
from tests.adversary.tampering import ASKED, VALUES, originals

NUMBERS = (0, -1, 1, 2**31, 2**53, 2**62, 2**63, 10**30, 0.5, -0.5, 1e300)
TEXTS = ("", "x", "a\x1b[2Jb", "\u202eevil", "a\u2028b", "=cmd|x", "x" * 300, "<b>", "t-0", "world", "group:", "m1.0")
HEAD = (
    "name",
    "seed",
    "params",
    "origin",
    "created_at",
    "simulated_ms",
    "summary",
    "scenario_path",
    "source",
    "status",
)
MORE = ("recorded", "running", "failed", "9998-01-01T00:00:00Z", {"notes": 3, "unsupported": [1]})
Line = dict[str, Any]


def forged(rng: Random, folder: Path) -> None:
    """Whatever it says, it is refused in a sentence or kept as a run, which every command can answer for."""
    originals(folder)
    lines = [json.loads(line) for line in (folder / "true.jsonl").read_bytes().splitlines()]
    changes = [
        rng.choice((_head, _head, _fact, _fact, _times, _times, _order)) for _ in range(rng.choice((1, 1, 2, 3)))
    ]
    what = ", ".join(change(lines, rng) for change in changes)
    _sealed(lines, rng)
    file, target = folder / "forged.jsonl", folder / "forged.db"
    file.write_bytes(b"".join(_text(line).encode() + b"\n" for line in lines))
    for left in folder.glob("forged.db*"):
        left.unlink()
    if call("import", str(file), "--store", str(target)).status != 0:
        return
    with contextlib.closing(open_store(target, create=False)) as store, within(20, what):
        _obeys(store, what)
    others = (("runs",), ("show", "latest"), ("replay", "latest"), ("verify", "latest"), ("lag", "latest"))
    for asked in rng.sample([*ASKED, *others], 3):
        call(*asked, "--store", str(target), "--format", rng.choice(["table", "json", "csv"]))
    if rng.random() < 0.3:
        call("report", "latest", "-o", str(folder / "r.html"), "--store", str(target))


def _obeys(store: EventStore, what: str) -> None:
    """Raises Finding if a run is not what every run is."""
    for info in store.runs():
        try:
            rows, damage = list(store.rows(info.id)), audit(store, info)
        except GroupsimError as error:
            raise Finding(f"an import can't be read: {error}; forged: {what}") from error
        odd = damage.sentence if damage is not None else _odd(info, rows)
        if odd:
            raise Finding(f"an import is no run: {odd}; forged: {what}")


def _odd(info: RunInfo, rows: list[Row]) -> str:
    """What is wrong with the places and the times of the facts; empty if nothing is."""
    if [row[0] for row in rows] != list(range(info.facts)):
        return "its facts are not numbered from 0 on"
    versions: dict[str, int] = {}
    now = 0
    for seq, at_ms, stream, version, *_ in rows:
        if version != versions.get(stream, 0):
            return f"fact {seq} is version {version} of {stream}"
        if not isinstance(at_ms, int) or not now <= at_ms <= LONGEST_MS:
            return f"fact {seq} is at {at_ms} ms, after {now} ms"
        if info.simulated_ms is not None and at_ms > info.simulated_ms:
            return f"fact {seq} is at {at_ms} ms, and the run ends at {info.simulated_ms} ms"
        versions[stream], now = version + 1, at_ms
    return ""


def other(value: object, rng: Random) -> object:
    """Another value: near this one, far from it, or of another type."""
    if rng.random() < 0.25:
        return rng.choice(VALUES)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.choice([value + 1, value - 1, -value, value + rng.choice(NUMBERS), *NUMBERS])
    if isinstance(value, str):
        return rng.choice([*TEXTS, value + rng.choice(TEXTS), value[1:], value.upper()])
    if isinstance(value, list) and value:
        inner = rng.randrange(len(value))
        rest = [*value[:inner], *value[inner + 1 :]]
        return rng.choice([rest, [*value, value[inner]], value[::-1], [*rest, other(value[inner], rng)]])
    if isinstance(value, dict) and value:
        key = rng.choice([*value])
        kept = {name: one for name, one in value.items() if name != key}
        return rng.choice([kept, {**value, key: other(value[key], rng)}, {**kept, rng.choice(TEXTS): value[key]}])
    return rng.choice([*VALUES, *TEXTS])


def _head(lines: list[Line], rng: Random) -> str:
    head = lines[0]["info"]
    key = rng.choice(HEAD)
    head[key] = rng.choice([*VALUES, *TEXTS, *MORE, other(head[key], rng)])
    return f"{key} of the head is {ascii(head[key])[:80]}"


def _fact(lines: list[Line], rng: Random) -> str:
    """One field of the envelope or of the body of one fact."""
    line = rng.choice(lines)
    inner = rng.choice([line, line["body"]]) if isinstance(line["body"], dict) and line["body"] else line
    key = rng.choice([each for each in inner if each not in ("info", "run")])
    inner[key] = other(inner[key], rng)
    return f"{key} of fact {line['seq']} is {ascii(inner[key])[:80]}"


def _times(lines: list[Line], rng: Random) -> str:
    """All facts from one on, or a single one, at another time."""
    first = rng.randrange(len(lines))
    last = rng.choice([first + 1, len(lines)])
    by = rng.choice([*NUMBERS, -rng.randint(1, 40_000), rng.randint(1, 40_000), -(10**15)])
    for line in lines[first:last]:
        line["at_ms"] = line["at_ms"] + by if isinstance(line["at_ms"], int | float) else line["at_ms"]
    return f"facts {first} to {last - 1} are {by} ms later"


def _order(lines: list[Line], rng: Random) -> str:
    """Two facts in each other's place, one twice, or one left out; numbered as if nothing had happened."""
    one, another = rng.sample(range(1, len(lines)), 2)
    change: Callable[[], object] = rng.choice(
        [
            lambda: lines.__setitem__(slice(None), _exchanged(lines, one, another)),
            lambda: lines.insert(one, {**lines[another]}),
            lambda: lines.pop(one),
        ]
    )
    change()
    versions: dict[str, int] = {}
    for seq, line in enumerate(lines):
        stream = str(line["stream"])
        line["seq"], line["version"] = seq, versions.get(stream, 0)
        versions[stream] = versions.get(stream, 0) + 1
    if rng.random() < 0.5:
        lines[0]["info"]["facts"] = len(lines)
    return f"facts {one} and {another} in another order"


def _exchanged(lines: list[Line], one: int, another: int) -> list[Line]:
    found = [*lines]
    found[one], found[another] = {**lines[another]}, {**lines[one]}
    return found


def _sealed(lines: list[Line], rng: Random) -> None:
    """A digest that fits, and a seal that fits or none: who forges can compute both."""
    head = lines[0]["info"]
    digest = Digest()
    with contextlib.suppress(Exception):  # of facts that have no form at all there is none
        digest.add([_row(line) for line in lines])
        head["digest"] = digest.hex() if head["digest"] is not None else None
    seal = head.pop("seal"), head.pop("format")
    with contextlib.suppress(Exception):
        if rng.random() < 0.5:
            info = from_columns(
                [
                    head.get(name) if name not in ("params", "summary") else json.dumps(head[name])
                    for name in RunInfo.__struct_fields__
                ]
            )
            head["seal"], head["format"] = run_checksum(info), seal[1]


def _row(line: Line) -> Row:
    names = ("seq", "at_ms", "stream", "version", "type", "schema")
    values: Any = (*(line[name] for name in names), _text(line["body"]), line.get("source"))
    row: Row = values
    return row


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
