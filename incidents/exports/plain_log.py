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
_OPENERS = (":", "with")
"""Ends of lines that something belongs to which stands below them."""
_LEVEL = re.compile(r"[\[<(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE|%\d\|)")


def write(entries: Sequence[Entry], path: Path, zone: tzinfo | None) -> array[int]:
    """Write the entries; gives, for each line written, the number of its record in the export.

    A text with a time of its own is written as it is, another one behind its record's time.
    """
    entries, dated = _by_own_time(entries, zone)
    bare = [entry.text for entry, own in zip(entries, dated, strict=True) if not own]
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


def own_ms(line: str, zone: tzinfo | None) -> int | None:
    """The instant at the head of a line, UTC milliseconds since 1970; None if there is none."""
    if not line or line[0] in " \t":
        return None
    stamp = parse(0, line[:400]).stamp
    return None if stamp is None else to_utc(stamp, zone)


def whole_records(lines: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """The numbered lines of a log that is newest first, each with those below it that have no time.

    Only if records were turned round, and not lines: then what a line opens (a list, a stack trace) stands below it.
    """
    joined: list[tuple[int, list[str]]] = []
    for number, line in lines:
        if joined and not starts_record(line):
            joined[-1][1].append(line)
        else:
            joined.append((number, [line]))
    kept = below = 0
    for (_, record), following in zip(joined, [*joined[1:], None], strict=True):
        if len(record) == 1:
            continue
        opened = following is not None and following[1][0].rstrip().endswith(_OPENERS)
        kept += record[0].rstrip().endswith(_OPENERS)
        below += opened
        indented = [line[:1] in (" ", "\t") for line in record[1:] if line]
        kept += indented[:1] == [False] and True in indented
        below += indented[:1] == [True] and indented[-1:] == [False]
    return [(number, "\n".join(record)) for number, record in joined] if kept > below else lines


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
