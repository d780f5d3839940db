"""What the fields of a record hold inside: JSON in texts, texts escaped twice, times kept in two fields."""

from __future__ import annotations

import json
import re
from typing import Any

from groupsim.incidents.exports.find_records import ORIGINAL, Record, flat

_JOINED = "date_and_time"
"""The name of a time that a record keeps as a date and a time of day."""
_STRING = re.compile(r"\"[^\"]")
_DATE = re.compile(r"\d{4}[-/]\d{2}[-/]\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}")
_CLOCK = re.compile(r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?")
_LONGEST_CLOCK = 18
_SECONDS = {"epochSecond": "nanoOfSecond", "timestampSeconds": "timestampNanos", "seconds": "nanos"}
"""Fields of which two make one time."""


def opened(record: Record) -> Record:
    """A record with the fields of JSON in its texts beside its own, and with times kept in two fields as one.

    A text that is a JSON string itself (escaped twice) is what that string holds.
    """
    if (moment := _date_and_clock(record)) is not None:
        record = {**record, _JOINED: moment}
    if escaped := [name for name, value in record.items() if isinstance(value, str) and _STRING.match(value)]:
        record = {**record, **{name: _unescaped(record[name]) for name in escaped if ORIGINAL not in name}}
    for name, whole_s in list(record.items()):
        prefix, _, leaf = name.rpartition(".")
        nanos = record.get(f"{prefix}.{_SECONDS[leaf]}" if prefix else _SECONDS[leaf]) if leaf in _SECONDS else None
        if isinstance(whole_s, int) and isinstance(nanos, int) and 0 <= nanos < 1_000_000_000:
            record = {**record, f"{name}_time": f"{whole_s}{nanos:09d}"}
    for _ in range(3):
        inner = {
            f"{name}.": decoded
            for name, value in record.items()
            if isinstance(value, str)
            and ORIGINAL not in name
            and value[:1] == "{"
            and f"{name}.{ORIGINAL}" not in record
            and (decoded := _decoded(value))
        }
        if not inner:
            break
        more: Record = {}
        for prefix, decoded in inner.items():
            more.update(flat(decoded, prefix))
            more[f"{prefix}{ORIGINAL}"] = True
        record = {**record, **more}
    return record


def _decoded(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _unescaped(text: str) -> str:
    """The text that a JSON string holds; the text itself if it is none."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text


def _date_and_clock(record: Record) -> str | None:
    """The time of a record that keeps the date in one field and the time of day in another; None if it does not."""
    date = clock = None
    for value in record.values():
        if isinstance(value, str) and 7 < len(value) <= _LONGEST_CLOCK:
            date = date or (value if _DATE.fullmatch(value) else None)
            clock = clock or (value if _CLOCK.fullmatch(value) else None)
    return f"{date} {clock}" if date and clock else None
