"""Exports by somebody who has this program: false facts and a false summary under a true seal.

Whatever such a run says, commands answer or refuse it with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from groupsim.pipeline.export_head import head
from groupsim.storage import open_store
from groupsim.storage.codec import COLUMNS, Row, digest_of
from groupsim.storage.store import RunInfo
from tests.adversary.called import Finding, call
from tests.adversary.tampering import VALUES

EXAMPLES = Path(__file__).parents[2] / "examples"
INCIDENTS = [*sorted(EXAMPLES.glob("incidents/*/")), *sorted(EXAMPLES.glob("consumer-groups/*/"))]
ASKED: tuple[tuple[str, ...], ...] = (
    *(("unavailable",), ("timeline",), ("rebalances",), ("blame",), ("lag",), ("show",), ("runs",), ("verify",)),
    *(("replay",), ("replay", "--at", "5000"), ("report", "-o", "REPORT"), ("plot", "timeline", "-o", "PLOT")),
    ("incident", "whatif", "--set", "session.timeout.ms=10000", "--seeds", "1"),
    ("incident", "whatif", "--protocol", "consumer", "--seeds", "1"),
    ("incident", "whatif", "--migrate", "rolling", "--seeds", "1"),
)
_HOUR_MS = 3_600_000
_TIMES = (0, -1, 1, 999, 10**9, 2**53, 2**62)


@cache
def originals(folder: Path) -> list[tuple[RunInfo, list[Row]]]:
    """Imported incidents; made once in a folder."""
    store = folder / "incidents.db"
    for place in INCIDENTS:
        logs = [str(file) for file in sorted(place.glob("*.log*"))]
        if logs and call("incident", "import", *logs, "--store", str(store)).status:
            raise Finding(f"{place.name} can't be imported")
    opened = open_store(store, create=False)
    try:
        return [(info, list(opened.rows(info.id))) for info in opened.runs()]
    finally:
        opened.close()


def facts(rng: Random, folder: Path) -> None:
    """One to three changes; then some questions."""
    info, rows = rng.choice(originals(folder))
    rows = list(rows)
    for _ in range(rng.choice([1, 1, 2, 3])):
        change: Callable[[Random, list[Row]], object] = rng.choice([_body, _body, _time, _stream, _order])
        change(rng, rows)
    if rng.random() < 0.2:
        info = msgspec.structs.replace(info, summary=_summary(rng, info.summary))
    rows = [(number, *row[1:]) for number, row in enumerate(rows)]
    if rng.random() < 0.9:
        rows = _versions(rows)
    file, target = folder / "forged-facts.jsonl", folder / "forged-facts.db"
    file.write_bytes(_export(msgspec.structs.replace(info, facts=len(rows)), rows))
    for left in folder.glob("forged-facts.db*"):
        left.unlink()
    if call("import", str(file), "--store", str(target)).status == 0:
        places = {"REPORT": str(folder / "forged.html"), "PLOT": str(folder / "forged.png")}
        short = rows[-1][1] < _HOUR_MS  # a what-if simulates all of it
        for asked in rng.sample([asked for asked in ASKED if short or "whatif" not in asked], 4):
            words = [places.get(word, word) for word in asked]
            run = [] if asked == ("runs",) else ["latest"]
            call(*words, *run, "--store", str(target))


def _export(info: RunInfo, rows: list[Row]) -> bytes:
    digest = digest_of(rows)
    lines = []
    for row in rows:
        line: dict[str, object] = {"run": info.id, **dict(zip(COLUMNS, row, strict=True))}
        lines.append(line | {"body": msgspec.Raw(row[6].encode())})
    lines[0]["info"] = msgspec.Raw(head(msgspec.structs.replace(info, digest=digest), digest))
    return msgspec.json.Encoder().encode_lines(lines)


def _versions(rows: list[Row]) -> list[Row]:
    counts: dict[str, int] = {}
    made = []
    for row in rows:
        version = counts.setdefault(row[2], 0)
        counts[row[2]] += 1
        made.append((*row[:3], version, *row[4:]))
    return made


def _body(rng: Random, rows: list[Row]) -> None:
    number = rng.randrange(len(rows))
    row = rows[number]
    body = msgspec.json.decode(row[6])
    others = [msgspec.json.decode(other[6]) for other in rows if other[4] == row[4]]
    key = rng.choice([name for name in body if name != "type"] or ["type"])
    _replace(rng, body, key, [other.get(key) for other in others])
    rows[number] = (*row[:6], msgspec.json.encode(body, order="deterministic").decode(), row[7])


def _replace(rng: Random, within: Any, key: Any, known: list[Any]) -> None:
    """Another value: of another fact, of another kind, or a change within."""
    value = within[key]
    if isinstance(value, list | dict) and value and rng.random() < 0.6:
        _replace(rng, value, rng.choice([*value] if isinstance(value, dict) else range(len(value))), [])
    elif isinstance(value, int) and rng.random() < 0.7:
        within[key] = value + rng.choice([-1, 1, 7, 1_000, 10**9, -(10**6)])
    elif known and rng.random() < 0.8:
        within[key] = rng.choice(known)
    else:
        within[key] = rng.choice(["", "x", "m1", 0, -1, None, *VALUES])


def _time(rng: Random, rows: list[Row]) -> None:
    """A fact has another time; or all from here on come later."""
    number = rng.randrange(len(rows))
    if rng.random() < 0.3:
        rows[number] = (rows[number][0], rng.choice(_TIMES), *rows[number][2:])
        return
    later = rng.choice([1, 999, 60_000, 10**7, 10**11])
    rows[number:] = [(row[0], row[1] + later, *row[2:]) for row in rows[number:]]


def _stream(rng: Random, rows: list[Row]) -> None:
    number = rng.randrange(len(rows))
    row, other = rows[number], rng.choice(rows)
    rows[number] = (*row[:2], rng.choice([other[2], "client:x", "group:x", "world", "x", ""]), *row[3:])


def _order(rng: Random, rows: list[Row]) -> None:
    one, other = rng.randrange(len(rows)), rng.randrange(len(rows))
    change: Callable[[], object] = rng.choice([lambda: rows.pop(one), lambda: rows.insert(one, rows[other])])
    change()


def _summary(rng: Random, summary: dict[str, Any]) -> dict[str, Any]:
    found = msgspec.json.decode(msgspec.json.encode({"given": {"session.timeout.ms": 10_000}, **summary}))
    _replace(rng, found, rng.choice([*found]), [])
    changed: dict[str, Any] = found
    return changed
