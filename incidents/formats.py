"""Line layouts: whatever stands around a message (time, level, thread, logger, prefixes) is peeled off in layers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from incidents.times import Stamp, read_number, read_stamp

_LAYERS = 8
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,30}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\))")
_COMPOSE = re.compile(r"[\w.@/-]{1,120}\s{0,60}\|\s{1,2}")
_CRI = re.compile(r"(?:stdout|stderr) [FP] ")
_KUBECTL = re.compile(r"\[pod/[^\]\s]{1,300}\]\s")
_QUOTED = re.compile(r"(?:>{1,3}|//|#|\*)\s{1,8}(?=\S)")
_TAG = re.compile(r"\[[\w .-]{1,60}\]\s{0,2}(?=\[?\d{4}[-/.]\d{2}[-/.]\d{2})")
_SYSLOG = re.compile(r"[\w.:-]{1,120} [\w./@-]{1,120}(?:\[\d{1,9}\])?: ")
_PRIORITY = re.compile(r"<\d{1,3}>(?:1 )?")
_RFC5424 = re.compile(r"\S{1,255} \S{1,48} \S{1,128} \S{1,32} (?:-|\[[^\]]{0,2000}\]) ?")
_RDKAFKA = re.compile(r"%(\d)\|(\d{10})\.(\d{3})\|(\w{1,40})\|([^|]{0,300})\| ?")
_LEVELS = (
    "TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|FATAL|CRITICAL|SEVERE|trace|debug|info|warning|warn|error|fatal"
)
_LEVEL = re.compile(rf"[\[<(]?({_LEVELS}|Debug|Information|Warning|Error)[\])>]?(?=[\s:|,\]-]|$)[\s:|,-]*")
_JSON = re.compile(r"(?:\w{1,20}[:\s]\s{0,4})?(?=\{\s{0,4}\")")
_LOGFMT = re.compile(r"(?:time|ts|t|level|lvl|timestamp)=")
_PAIR = re.compile(r"([\w.@-]{1,60})=(?:\"((?:[^\"\\]|\\.){0,65536})\"|([^\s\"]{0,65536}))(?:\s+|$)")
_LOGGER = re.compile(r"\s{0,4}\(((?:[\w$-]{1,100}\.){1,20}[\w$-]{1,100})(?::\d{1,6})?\)\s*$")
_THREAD = re.compile(r"\s{0,4}(?:\d{1,9} --- )?\[([^\]]{1,200})\]")
_NOT_THREADS = (
    "Consumer ",
    "Producer ",
    "AdminClient ",
    "Worker ",
    "Schema registry ",
    "GroupCoordinator",
    "GroupMetadataManager",
    "Group ",
    "GroupId",
    "rdk:",
    "thrd:",
    "KafkaServer",
    "sarama",
)

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
)
_TEXT_KEYS = ("message", "msg", "log", "@m", "text", "body", "short_message", "textPayload", "MESSAGE", "event", "line")
_LEVEL_KEYS = ("level", "severity", "levelname", "log.level", "lvl", "@l", "loglevel")
_LOGGER_KEYS = ("logger", "logger_name", "loggerName", "logger.name", "log.logger", "name", "component")
_THREAD_KEYS = ("thread", "thread_name", "threadName", "process.thread.name")


@dataclass(slots=True)
class Record:
    """One log record: the first line without what the layout adds, and the lines that continue it.

    `line` is the 1-based number of its first line. `stamp` is the innermost timestamp. `client` is a name that the
    layout itself gives (librdkafka). `fields` are the keys of a JSON or key=value record.
    """

    line: int
    text: str
    stamp: Stamp | None = None
    level: str | None = None
    thread: str | None = None
    logger: str | None = None
    client: str | None = None
    fields: dict[str, object] = field(default_factory=dict)
    more: tuple[str, ...] = ()


def clean(raw: bytes) -> str:
    """A line as text: invalid UTF-8 replaced, colours, NULs and the line end removed."""
    text = raw.decode("utf-8", "replace").rstrip("\r\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return text.replace("\x00", "").removeprefix("\ufeff")


def parse(line: int, text: str) -> Record:
    """Peel the layers off a record's first line."""
    record = Record(line, text)
    for _ in range(_LAYERS):
        if not _peel(record):
            break
    found = _THREAD.match(record.text)
    if found is not None and record.thread is None and not found[1].startswith(_NOT_THREADS):
        record.thread = found[1].strip()
    tail = _LOGGER.search(record.text, max(0, len(record.text) - 600))
    if tail is not None:
        record.logger = tail[1]
        record.text = record.text[: tail.start()]
    return record


def starts_record(text: str) -> bool:
    """Whether a line looks like the first line of a record: a time stands at its head, under whatever prefixes."""
    if not text or text[0] in " \t":
        return False
    record = Record(0, text[:400])
    for _ in range(_LAYERS):
        if record.stamp is not None or not _peel(record):
            break
    return record.stamp is not None


def _peel(record: Record) -> bool:
    """Take one layer off; False if none is left."""
    text = record.text
    return bool(text) and (
        _peel_time(record, text)
        or _peel_level(record, text)
        or _peel_rdkafka(record, text)
        or _peel_json(record, text)
        or _peel_logfmt(record, text)
        or _peel_prefix(record, text)
    )


def _peel_time(record: Record, text: str) -> bool:
    start = len(text) - len(text.lstrip(" \t[("))
    if start > 8 or not text[start : start + 1].isalnum():
        return False
    found = read_stamp(text, start)
    if found is None:
        return False
    stamp, end = found
    if stamp.ms is not None or record.stamp is None:
        record.stamp = stamp
    record.text = text[end:].lstrip(" \t])") if text[end : end + 3] != " - " else text[end + 3 :]
    return True


def _peel_level(record: Record, text: str) -> bool:
    found = _LEVEL.match(text)
    if found is None:
        return False
    record.level = found[1].upper()
    record.text = text[found.end() :]
    return True


def _peel_rdkafka(record: Record, text: str) -> bool:
    found = _RDKAFKA.match(text)
    if found is None:
        return False
    record.stamp = Stamp(int(found[2]) * 1000 + int(found[3]), True)
    record.logger = f"rdkafka.{found[4]}"
    record.client = found[5] or None
    record.text = text[found.end() :]
    return True


def _peel_prefix(record: Record, text: str) -> bool:
    for prefix in (_PRIORITY, _CRI, _KUBECTL, _COMPOSE, _TAG, _QUOTED):
        found = prefix.match(text)
        if found is not None:
            record.text = text[found.end() :]
            return True
    if record.stamp is not None and record.level is None:
        found = _SYSLOG.match(text) or (_RFC5424.match(text) if record.stamp.zoned else None)
        if found is not None and "[Consumer" not in found[0]:
            record.text = text[found.end() :]
            return True
    return False


def _peel_json(record: Record, text: str) -> bool:
    found = _JSON.match(text)
    if found is None:
        return False
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and _take_fields(record, value)


def _peel_logfmt(record: Record, text: str) -> bool:
    if _LOGFMT.match(text) is None:
        return False
    fields: dict[str, object] = {}
    for pair in _PAIR.finditer(text[:262_144]):
        quoted, bare = pair[2], pair[3]
        fields[pair[1]] = bare if quoted is None else quoted.replace('\\"', '"').replace("\\n", "\n")
    return _take_fields(record, fields)


def _take_fields(record: Record, fields: dict[str, object]) -> bool:
    """Use the usual keys of a structured record; False if it holds no message."""
    message = next((v for k in _TEXT_KEYS if isinstance(v := fields.get(k), str)), None)
    if message is None:
        return False
    record.fields = {**record.fields, **fields}
    stamp = _field_stamp(fields)
    if stamp is not None and (stamp.ms is not None or record.stamp is None):
        record.stamp = stamp
    for name, keys in (("level", _LEVEL_KEYS), ("logger", _LOGGER_KEYS), ("thread", _THREAD_KEYS)):
        value = next((v for k in keys if isinstance(v := fields.get(k), str)), None)
        if value is not None:
            setattr(record, name, value)
    first, *more = message.rstrip("\r\n").split("\n")
    record.text, record.more = first, tuple(more)
    return True


def _field_stamp(fields: dict[str, object]) -> Stamp | None:
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
