"""Structured records, JSON or `key=value`: the usual keys for time, message, level, logger and thread."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from groupsim.incidents.logs.escaped_text import harmless_value
from groupsim.incidents.logs.times import Stamp, is_zone_name, read_number, read_stamp, zone_named

_JSON = re.compile(r"[\s\[,]{0,8}(?:\w{1,20}[:\s]\s{0,4})?(?=\{\s{0,40}\")")
_PAIRS = re.compile(r"[A-Za-z_@][\w.@-]{0,59}=")
_PAIR = re.compile(r"(?<!\S)([\w.@-]{1,60})=(?:\"((?:[^\"\\]|\\.){0,65536})\"|([^\s\"]{0,65536}))(?:\s+|$)")
_FIRST_PAIR = re.compile(r"\s(?=[A-Za-z_][\w.@-]{0,59}=)")
_BARE_MESSAGE = re.compile(r"(?<!\S)(?:msg|message)=(?=[^\s\"])")
_PAIRS_BEHIND = re.compile(r"(?:\s{1,8}[\w.@-]{1,60}=(?:\"(?:[^\"\\]|\\.){0,2000}\",?|[^\s\"]{0,2000}))+")
_LONGEST_BARE = 4096
_SURROGATES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_ESCAPE = len("\\ud800")
_LATEST = 1e20
"""No number for a time is larger (nanoseconds since 1970 until the year 5138)."""
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": ""}
_CSV = re.compile(r"\s{0,4}(?:\"|(?:[^\",]{1,100},){1,20}\")")
_DEPTH = 3
_TIME_KEYS = (
    "@timestamp",
    "timestamp",
    "time",
    "ts",
    "t",
    "@t",
    "datetime",
    "date",
    "asctime",
    "timeMillis",
    "eventTime",
    "log_time",
    "created",
    "Timestamp",
    "date_time",
    "_time",
    "__REALTIME_TIMESTAMP",
    "timeUnixNano",
    "TimeGenerated",
    "timestampSeconds",
)
_TIMELIKE = re.compile(r"time|date|(?:^|[._])ts$", re.I)
_TEXT_KEYS = (
    "message",
    "msg",
    "log",
    "@m",
    "text",
    "full_message",
    "short_message",
    "textPayload",
    "MESSAGE",
    "event",
    "line",
    "RenderedMessage",
    "Message",
    "_raw",
    "LogEntry",
    "stringValue",
    "body",
    "reason",
)
_LEVEL_KEYS = ("level", "severity", "levelname", "log.level", "lvl", "@l", "loglevel")
_LOGGER_KEYS = ("logger", "logger_name", "loggerName", "logger.name", "log.logger", "name", "component")
_THREAD_KEYS = ("thread", "thread_name", "threadName", "process.thread.name")


class StructuredRecord(NamedTuple):
    """What a structured record holds; `fields` are all its keys, those of nested objects too."""

    message: str
    stamp: Stamp | None
    level: str | None
    logger: str | None
    thread: str | None
    fields: dict[str, object]


def read_json(text: str) -> StructuredRecord | None:
    """A record that is a JSON object, perhaps after a word; None if it is not one, or holds no message."""
    found = _JSON.match(text) if "{" in text else None
    if found is None:
        return None
    try:
        value = _decoded(text, found.end())
    except (ValueError, RecursionError):
        return None
    return _structured(value) if isinstance(value, dict) else None


def _decoded(text: str, at: int) -> Any:
    """The JSON value that begins there, control characters that were written as escapes made harmless."""
    value, _ = json.JSONDecoder(strict=False).raw_decode(_paired(text), at)
    return harmless_value(value) if "\\" in text else value


def _paired(text: str) -> str:
    """The text with a replacement for each escaped half of a pair of surrogates: alone it is no character."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _SURROGATES.sub(lambda found: found[0] if len(found[0]) > _ESCAPE else "\\ufffd", text)


def read_pairs(text: str) -> StructuredRecord | None:
    """A record of `key=value` pairs (logfmt); None if it is not one, or holds no message."""
    if ("msg=" not in text and "message=" not in text) or _PAIRS.match(text) is None:
        return None
    fields: dict[str, object] = {}
    for pair in _PAIR.finditer(text[:262_144]):
        quoted, bare = pair[2], pair[3]
        fields[pair[1]] = (
            bare.rstrip(",") if quoted is None else _ESCAPED.sub(lambda c: _ESCAPES.get(c[1], c[1]), quoted)
        )
    bare_message = _BARE_MESSAGE.search(text, 0, _LONGEST_BARE)
    if bare_message is not None:  # a message without quotes: to the pairs that end the line, if any do
        rest = text[bare_message.end() :][:_LONGEST_BARE]
        behind = next((found for at in _blanks(rest) if (found := _PAIRS_BEHIND.fullmatch(rest, at))), None)
        fields["msg"] = (rest if behind is None else rest[: behind.start()]).rstrip(",")
        fields.pop("message", None)
    return _structured(fields)


def _blanks(text: str) -> Iterator[int]:
    """Where a blank ends a word, at most so many."""
    return (found.start() for found in islice(re.finditer(r"\s{1,8}", text), 60))


def read_tail(text: str) -> tuple[str, dict[str, object]]:
    """A message and the fields behind it: a JSON object (zap), or `key=value` pairs (zerolog, logrus on a terminal)."""
    at = text.find('{"') if text.endswith("}") else -1
    if at > 0:
        try:
            value = _decoded(text, at)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return text[:at].strip().rpartition("\t")[2], _flat(value)
    first = _FIRST_PAIR.search(text)
    if first is None:
        return text, {}
    fields: dict[str, object] = {}
    for pair in _PAIR.finditer(text, first.end()):
        fields[pair[1]] = pair[3] if pair[2] is None else _ESCAPED.sub(lambda c: _ESCAPES.get(c[1], c[1]), pair[2])
    return text[: first.start()].strip(" :\t"), fields


def read_csv(text: str) -> StructuredRecord | None:
    """A row of a CSV export: its first time, and its longest cell for the message. None if it has not both."""
    if ('",' not in text and ',"' not in text) or _CSV.match(text) is None:
        return None
    try:
        cells = next(csv.reader([text.strip()], strict=True))
    except (csv.Error, StopIteration):
        return None
    stamps = [found[0] for cell in cells if (found := _full_stamp(cell)) is not None and found[0].ms is not None]
    if not stamps or len(cells) < 2:
        return None
    message = max(cells, key=len)
    return StructuredRecord(message, stamps[0], None, None, None, {})


def _structured(value: dict[str, object]) -> StructuredRecord | None:
    fields = _flat(value)
    message = _first(fields, _TEXT_KEYS)
    if message is None:
        return None
    level, logger = _first(fields, _LEVEL_KEYS), _first(fields, _LOGGER_KEYS)
    return StructuredRecord(message, _stamp(value, fields), level, logger, _first(fields, _THREAD_KEYS), fields)


def _flat(value: dict[str, object]) -> dict[str, object]:
    """All keys, those of nested objects too; the outer one stands where both have a key, unless it holds an object."""
    found, level = dict(value), [value]
    for _ in range(_DEPTH):
        level = [inner for each in level for inner in each.values() if isinstance(inner, dict)]
        for inner in level:
            for key, item in inner.items():
                if key not in found or (isinstance(found[key], dict) and not isinstance(item, dict)):
                    found[key] = item
    return found


def _first(fields: dict[str, object], keys: tuple[str, ...]) -> str | None:
    return next((v for k in keys if isinstance(v := fields.get(k), str)), None)


def _stamp(value: dict[str, object], fields: dict[str, object]) -> Stamp | None:
    for seconds, nanos in (
        ("epochSecond", "nanoOfSecond"),
        ("timestampSeconds", "timestampNanos"),
        ("seconds", "nanos"),
    ):
        second, part = fields.get(seconds), fields.get(nanos)
        if isinstance(second, int) and isinstance(part, int):
            return Stamp(second * 1000 + part // 1_000_000, True)
    listed = [key for key in _TIME_KEYS if key in fields]
    others = [key for key in fields if key not in _TIME_KEYS and _TIMELIKE.search(key)]
    for key in (*listed, *others):
        item = fields[key]
        found = None
        if isinstance(item, str):
            full = _full_stamp(item)
            found = None if full is None else _in_zone(full[0], key, value, _DEPTH)
        elif isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < _LATEST:
            found = read_number(float(item))
        if found is not None:
            return found
    return None


def _in_zone(stamp: Stamp, key: str, value: dict[str, object], depth: int) -> Stamp:
    """A time without a zone of its own in the zone that stands beside it in the record, if one does."""
    if stamp.zoned or stamp.ms is None:
        return stamp
    if key in value:
        zones = (zone_named(v) for k, v in value.items() if k != key and isinstance(v, str) and is_zone_name(k))
        zone = next((zone for zone in zones if zone is not None), None)
        return stamp if zone is None else stamp._replace(zone=zone)
    for inner in value.values() if depth else ():
        if isinstance(inner, dict) and (found := _in_zone(stamp, key, inner, depth - 1)) is not stamp:
            return found
    return stamp


def _full_stamp(value: str) -> tuple[Stamp, int] | None:
    return read_stamp(value.strip(), 0) if value.strip()[:1].isalnum() else None
