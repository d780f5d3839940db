"""One stream's records written as a plain log: each text with a time at its head, oldest first."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path

from groupsim.incidents.exports.order import Entry
from groupsim.incidents.logs.formats import parse, starts_record
from groupsim.incidents.logs.multiline import TRACE
from groupsim.incidents.logs.times import iso, to_utc

_LATE_MS = 2_000
"""Collectors stamp records up to so much later than the line itself says."""
_COARSE_NS = 500_000_000
_LOOKED_AT = 100
_LEVEL = re.compile(r"[\[<(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE|%\d\|)")


def write(entries: Sequence[Entry], path: Path, zone: tzinfo | None) -> array[int]:
    """Write the entries; gives, for each line written, the number of its record in the export.

    A text with a time of its own is written as it is, another one behind its record's time.
    """
    entries, dated = _by_own_time(entries, zone)
    bare = [entry.text for entry, own in zip(entries, dated, strict=True) if not own]
    if not any(dated):
        entries = _spread(entries)
    levelled = not any(dated) and sum(_LEVEL.match(text) is not None for text in bare) > len(bare) // 3
    numbers = array("q")
    with path.open("w", encoding="utf-8", newline="\n", errors="replace") as out:
        for entry, own in zip(entries, dated, strict=True):
            text = entry.text
            if not own and entry.ns is not None and not _continues(text, levelled):
                text = f"{iso(entry.ns // 1_000_000)} {text}"
            out.write(text.replace("\r", "") + "\n")
            numbers.extend([entry.number] * (text.count("\n") + 1))
    return numbers


def _spread(entries: Sequence[Entry]) -> list[Entry]:
    """Records that share a coarse time (a second) one millisecond after another: mostly they were written at once."""
    found = list(entries)
    start = 0
    while start < len(found):
        first, end = found[start], start + 1
        while end < len(found) and found[end].ns == first.ns:
            end += 1
        if first.ns is not None and first.resolution >= _COARSE_NS:
            for place in range(start, end):
                later = min((place - start) * 1_000_000, first.resolution - 1)
                found[place] = found[place]._replace(ns=first.ns + later)
        start = end
    return found


def is_coarse(entries: Sequence[Entry], zone: tzinfo | None) -> bool:
    """Whether records have no time but their platform's, in seconds."""
    seconds = [entry for entry in entries[:_LOOKED_AT] if entry.resolution >= _COARSE_NS]
    return bool(seconds) and all(own_ms(entry.text, zone) is None for entry in seconds)


def own_ms(line: str, zone: tzinfo | None) -> int | None:
    """The instant at the head of a line, UTC milliseconds since 1970; None if there is none."""
    if not line or line[0] in " \t":
        return None
    stamp = parse(0, line[:400]).stamp
    return None if stamp is None else to_utc(stamp, zone)


def _by_own_time(entries: Sequence[Entry], zone: tzinfo | None) -> tuple[list[Entry], list[bool]]:
    """Entries by the times in their own texts, and which have one.

    Collectors stamp late, each stream by another delay: so the order of outer times is not quite that of the lines. A
    clock that steps back by more than such a delay is left as it is.
    """
    blocks: list[tuple[int, list[Entry]]] = []
    furthest_back = latest = 0
    for entry in entries:
        ms = own_ms(entry.text.partition("\n")[0], zone)
        if ms is None and blocks:
            blocks[-1][1].append(entry)
            continue
        if ms is not None:
            furthest_back, latest = min(furthest_back, ms - latest), max(latest, ms)
        blocks.append((latest if ms is None else ms, [entry]))
    if -_LATE_MS <= furthest_back < 0:
        blocks.sort(key=lambda block: block[0])
    found = [entry for _, block in blocks for entry in block]
    return found, [starts_record(entry.text) for entry in found]


def _continues(text: str, levelled: bool) -> bool:
    """Whether a text without a time continues the record before it."""
    if not text or TRACE.match(text) is not None:
        return True
    return levelled and _LEVEL.match(text) is None
