"""Structured records, JSON or `key=value`: the usual keys for time, message, level, logger and thread."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from incidents.times import Stamp, read_number, read_stamp

_JSON = re.compile(r"(?:\w{1,20}[:\s]\s{0,4})?(?=\{\s{0,4}\")")
_PAIRS = re.compile(r"[A-Za-z_@][\w.@-]{0,59}=")
_PAIR = re.compile(r"([\w.@-]{1,60})=(?:\"((?:[^\"\\]|\\.){0,65536})\"|([^\s\"]{0,65536}))(?:\s+|$)")
_NESTED = ("jsonPayload", "payload", "data", "fields")
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
)
_TEXT_KEYS = (
    "message",
    "msg",
    "log",
    "@m",
    "text",
    "body",
    "short_message",
    "textPayload",
    "MESSAGE",
    "event",
    "line",
    "RenderedMessage",
    "Message",
)
_LEVEL_KEYS = ("level", "severity", "levelname", "log.level", "lvl", "@l", "loglevel")
_LOGGER_KEYS = ("logger", "logger_name", "loggerName", "logger.name", "log.logger", "name", "component")
_THREAD_KEYS = ("thread", "thread_name", "threadName", "process.thread.name")


class Said(NamedTuple):
    """What a structured record holds; `fields` are all its keys."""

    message: str
    stamp: Stamp | None
    level: str | None
    logger: str | None
    thread: str | None
    fields: dict[str, object]


def read_json(text: str) -> Said | None:
    """A record that is a JSON object, perhaps after a word; None if it is not one, or holds no message."""
    found = _JSON.match(text)
    if found is None:
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return None
    return _said(value) if isinstance(value, dict) else None


def read_pairs(text: str) -> Said | None:
    """A record of `key=value` pairs (logfmt); None if it is not one, or holds no message."""
    if _PAIRS.match(text) is None or ("msg=" not in text and "message=" not in text):
        return None
    fields: dict[str, object] = {}
    for pair in _PAIR.finditer(text[:262_144]):
        quoted, bare = pair[2], pair[3]
        fields[pair[1]] = bare if quoted is None else quoted.replace('\\"', '"').replace("\\n", "\n")
    return _said(fields)


def _said(fields: dict[str, object]) -> Said | None:
    message = _first(fields, _TEXT_KEYS)
    if message is None:
        inner = next((v for k in _NESTED if isinstance(v := fields.get(k), dict)), None)
        message = None if inner is None else _first(inner, _TEXT_KEYS)
        if inner is None or message is None:
            return None
        fields = {**inner, **fields}
    level, logger = _first(fields, _LEVEL_KEYS), _first(fields, _LOGGER_KEYS)
    return Said(message, _stamp(fields), level, logger, _first(fields, _THREAD_KEYS), fields)


def _first(fields: dict[str, object], keys: tuple[str, ...]) -> str | None:
    return next((v for k in keys if isinstance(v := fields.get(k), str)), None)


def _stamp(fields: dict[str, object]) -> Stamp | None:
    instant = fields.get("instant")
    if isinstance(instant, dict) and isinstance(second := instant.get("epochSecond"), int):
        nanos = instant.get("nanoOfSecond")
        return Stamp(second * 1000 + (nanos // 1_000_000 if isinstance(nanos, int) else 0), True)
    for key in _TIME_KEYS:
        value = fields.get(key)
        if isinstance(value, str):
            found = read_stamp(value.strip(), 0)
            if found is not None:
                return found[0]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return read_number(float(value))
    return None
