"""Line layouts: what a layout puts around a message (time, level, thread, logger, prefixes) is removed in layers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from groupsim.incidents.logs import structured
from groupsim.incidents.logs.escaped_text import as_written, harmless
from groupsim.incidents.logs.times import Stamp, read_stamp

_LAYERS = 8
_HEAD = 400
_MAYBE_TIME = re.compile(r"[ \t\[(]{0,8}(?=\w)")
_DATED = re.compile(
    r"(?<![\w.-])(?:\d{4}[-/.]\d{2}[-/.]\d{2}[T ]\d{2}:\d{2}:\d{2}|[A-Z][a-z]{2} \d{1,2}, \d{4} \d{1,2}:\d{2}:\d{2}"
    r"|[IWEFD]\d{4} \d{2}:\d{2}:\d{2}\.\d)"
)
_COMPOSE = re.compile(r"[\w.@/-]{1,120}\s{0,60}\|\s{1,2}")
_CRI = re.compile(r"(?:stdout|stderr) [FP] ")
_KUBECTL = re.compile(r"\[pod/[^\]\s]{1,300}\]\s")
_QUOTED = re.compile(r"(?:>{1,3}|//|#|\*)\s{1,8}(?=\S)")
_TAG = re.compile(r"\[[\w .-]{1,60}\]\s{0,2}(?=\[?\d{4}[-/.]\d{2}[-/.]\d{2})")
_SYSLOG = re.compile(r"[\w.:-]{1,120} [\w./@-]{1,120}(?:\[\d{1,9}\])?: ")
_SENTENCE = re.compile(
    r"\[Consumer|(?i:\b(?:partitions?|assign(?:ed|ing|ment)|revok(?:e|ed|ing)|rebalanc(?:e|ed|ing)|error_?code)\b)"
)
"""No host and no program's name."""
_LABELS = re.compile(r"\{\w{1,60}=\"[^\"]{0,200}\"(?:, ?\w{1,60}=\"[^\"]{0,200}\"){0,40}\}\s")
_NEST = re.compile(r"\[Nest\] \d{1,9}\s{1,4}-\s{1,4}(?=\d)")
_FLUENTD = re.compile(r"[\w.*-]{1,200}\t(?=\{)")
_PRIORITY = re.compile(r"<\d{1,3}>(?:1 )?")
_PREFIX = re.compile(
    "|".join(
        prefix.pattern for prefix in (_PRIORITY, _CRI, _KUBECTL, _COMPOSE, _TAG, _QUOTED, _LABELS, _FLUENTD, _NEST)
    )
)
_GLOG = re.compile(r"\s{0,8}\d{1,9} [^\s\]\[]{0,200}\]\s?")
"""Behind the time of glog and klog: the thread, the file and the line."""
_BOLD = re.compile(r"(?<!\*)\*\*(?=[\w\[(])([^*]{1,2000})(?<=[\w\])])\*\*(?!\*)")
"""`***` is no such thing: so do people put stars for names."""
_IN_QUOTES = re.compile(
    r"\s{0,8}(?P<sign>[\"'])(?P<text>[\[(]?(?:\d{4}[-/.]|\d{2}[:/]|[A-Z]{4,5}\b|%\d\|).{10,16000})(?P=sign),?\s{0,8}"
)
"""A whole line between two of one sign, as in a list of strings."""
STRUCTURED_DATA = r"(?:-|(?:\[[^\s\]\"=]{1,32}(?: [^\s\]\"=]{1,32}=\"(?:[^\"\\]|\\.){0,2000}\"){0,40}\]){1,9})"
"""A line of syslog's RFC 5424 has it in front of its text; its values may hold any bracket."""
_RFC5424 = re.compile(
    rf"[^\s\[=]{{1,255}} [^\s\[=]{{1,48}} [^\s\[=]{{1,128}} [^\s\[=]{{1,32}} {STRUCTURED_DATA}(?: |$)"
)
_RDKAFKA = re.compile(
    r"%\d\|(?P<time>[\d .,:TZ+-]{10,40}|\.{2,4}|…|\*{1,4})\|(?P<facility>\w{1,40})\|(?P<client>[^|]{0,300})\| ?"
)
_RDKAFKA_LOGGED = re.compile(
    r"(?P<facility>[A-Z][A-Z_]{1,40}) \[(?P<client>[^\]\s|]{1,300}#(?:consumer|producer)-\d{1,9})\]:? (?=\[thrd:)"
)
"""As clients pass librdkafka's lines on to a logger of the application's language; its time is the logger's."""
_LEVELS = (
    "TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|FATAL|CRITICAL|SEVERE|trace|debug|info|warning|warn|error|fatal"
    "|INF|WRN|DBG|FTL|VRB|TRC"
)
_LEVEL = re.compile(rf"[\[<(]?({_LEVELS}|Debug|Information|Warning|Error)[\])>]?(?=[\s:|,\]-]|$)[\s:|,-]*")
_LOGGER = re.compile(r"\(([\w$-][\w$.-]{0,600}[\w$-])(?::\d{1,6})?\)$")
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

MESSAGES = ("[Consumer clientId=", "[Consumer instanceId=", "[GroupCoordinator ", "[GroupMetadataManager ")
"""How Kafka's own messages begin: no layer is in front of them."""


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

    def with_text(self, text: str) -> Record:
        """The record with another text."""
        return Record(
            self.line, text, self.stamp, self.level, self.thread, self.logger, self.client, self.fields, self.more
        )


def clean(raw: bytes) -> str:
    """A line as text: invalid UTF-8 replaced, entities decoded; colours, Markdown's bold, NULs, the line end removed.

    What else a terminal would obey is written as an escape (`\\x07`), so that no name in a store can do any harm.
    """
    text = raw.decode("utf-8", "replace").rstrip("\r\n").replace("\x00", "").removeprefix("\ufeff")
    text = harmless(as_written(text) if "&" in text else text)
    if text[:1] == "`" == text[-1:] and len(text) > 1:
        text = text[1:-1]  # code in Markdown, each line by itself
    return _BOLD.sub(r"\1", text) if "**" in text else text


def parse(line: int, text: str) -> Record:
    """Peel the layers off a record's first line."""
    quoted = _IN_QUOTES.fullmatch(text)
    record = Record(line, text if quoted is None or '","' in text else quoted["text"].replace('\\"', '"'))
    _peel_all(record)
    if record.stamp is None and (rest := _cut_to_date(record.text)) is not None:
        record.text = rest
        _peel_all(record)
    if record.client is None and "[thrd:" in record.text:
        passed_on = _RDKAFKA_LOGGED.search(record.text, 0, _HEAD)
        if passed_on is not None:
            _of_rdkafka(record, passed_on)
    found = _THREAD.match(record.text)
    if found is not None and record.thread is None and not found[1].startswith(_NOT_THREADS):
        record.thread = found[1].strip()
    record.text = record.text.rstrip()
    tail = _logger_behind(record.text)
    if tail is not None:
        record.logger = tail[1]
        record.text = record.text[: tail.start()].rstrip()
    return record


def _logger_behind(text: str) -> re.Match[str] | None:
    """The logger's name in brackets at the end of a text."""
    at = text.rfind("(", max(0, len(text) - 600)) if text.endswith(")") else -1
    named = None if at < 0 else _LOGGER.match(text, at)
    return None if named is None or "." not in named[1] or ".." in named[1] else named


def _peel_all(record: Record) -> None:
    for _ in range(_LAYERS):
        if not _peel(record):
            break


def starts_record(text: str) -> bool:
    """Whether a line looks like the first line of a record: a time stands at its head, under whatever prefixes."""
    if not text or (text[0] in " \t" and not text.lstrip().startswith("{")):
        return False
    record = Record(0, text[:_HEAD])
    for _ in range(_LAYERS):
        if record.stamp is not None or not _peel(record):
            break
    return record.stamp is not None or _cut_to_date(text) is not None


def _peel(record: Record) -> bool:
    """Take one layer off; False if none is left."""
    text = record.text
    return (
        bool(text)
        and not text.startswith(MESSAGES)
        and (
            _peel_time(record, text)
            or _peel_level(record, text)
            or _peel_rdkafka(record, text)
            or _peel_structured(record, text)
            or _peel_prefix(record, text)
        )
    )


def _peel_time(record: Record, text: str) -> bool:
    if (begin := _MAYBE_TIME.match(text)) is None:
        return False
    found = read_stamp(text, begin.end())
    if found is None:
        return False
    stamp, end = found
    if stamp.ms is not None or record.stamp is None:
        record.stamp = stamp
    record.text = text[end:].lstrip(" \t])") if text[end : end + 3] != " - " else text[end + 3 :]
    if stamp.without_year is not None and (found_head := _GLOG.match(record.text)) is not None:
        record.text = record.text[found_head.end() :]
    return True


def _peel_level(record: Record, text: str) -> bool:
    found = _LEVEL.match(text)
    if found is None or (record.level is not None and not found[1].isupper()):
        return False  # a sentence may begin with the word Error
    record.level = found[1].upper()
    record.text = text[found.end() :]
    return True


def _peel_rdkafka(record: Record, text: str) -> bool:
    found = _RDKAFKA.match(text) if text[0] == "%" else None
    if found is None:
        return False
    stamp = read_stamp(found["time"], 0)
    if stamp is None and found["time"][0] not in ".…*":  # somebody took the time out
        return False
    if stamp is not None and (stamp[0].ms is not None or record.stamp is None):
        record.stamp = stamp[0]
    _of_rdkafka(record, found)
    return True


def _of_rdkafka(record: Record, found: re.Match[str]) -> None:
    record.logger = f"rdkafka.{found['facility']}"
    record.client = found["client"] or None
    record.text = found.string[found.end() :]


def _peel_prefix(record: Record, text: str) -> bool:
    found = _PREFIX.match(text)
    if found is not None:
        record.text = text[found.end() :]
        return True
    if record.stamp is not None and record.level is None and record.client is None:
        found = _SYSLOG.match(text) or (_RFC5424.match(text) if record.stamp.zoned else None)
        if found is not None and _SENTENCE.search(found[0]) is None:
            record.text = text[found.end() :]
            return True
    return False


def _peel_structured(record: Record, text: str) -> bool:
    found = structured.read_json(text) or structured.read_pairs(text) or structured.read_csv(text)
    if found is None:
        return False
    record.fields = {**record.fields, **found.fields}
    if found.stamp is not None and (found.stamp.ms is not None or record.stamp is None):
        record.stamp = found.stamp
    record.level, record.logger = found.level or record.level, found.logger or record.logger
    record.thread = found.thread or record.thread
    first, *more = as_written(found.message).rstrip("\r\n").split("\n")
    record.text, record.more = first, tuple(more)
    return True


def _cut_to_date(text: str) -> str | None:
    """From the first full date and time on, if one stands near the head: a grep or a quote put more before it."""
    found = _DATED.search(text[:_HEAD])
    return text[found.start() :] if found is not None and found.start() else None
