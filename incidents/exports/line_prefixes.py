"""What tools put before each line of a text: a time, a pod's name, a set of labels. The lines become records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from groupsim.incidents.exports.find_records import Record
from groupsim.incidents.logs.formats import STRUCTURED_DATA

_ISO = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
_NAME = r"[\w.@/\-:\[\]]{1,200}"
_LABEL = re.compile(r"(\w{1,100})=\"((?:[^\"\\]|\\.){0,500})\"")
_THREADLIKE = re.compile(r"thread|pool|main|exec|worker|http|nio|scheduler|timer|kafka-coord", re.IGNORECASE)
_THREAD = re.compile(r"thread|^pool-|-exec-", re.IGNORECASE)
_LEVELS = frozenset(["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "SEVERE", "CRITICAL"])
LABELS = ("pod", "stream", "instance", "host", "container")
"""Names under which a head gives the stream, the best first."""
_ENOUGH = 0.8
"""So much of a text's lines must have a head of one kind."""


class Head(NamedTuple):
    """One kind of head. Its groups are `time`, `stream`, `labels`, `part`; what follows it is the line.

    `bracket`: the line ends before a closing bracket."""

    name: str
    pattern: re.Pattern[str]
    certain: bool = True


HEADS = (
    Head("kubectl logs", re.compile(rf"\[(?P<stream>pod/[^\]\s]{{1,300}})\]\s(?:(?P<time>{_ISO})\s)?")),
    Head("grafana", re.compile(rf"(?P<time>\d{{13}}|\d{{19}})\t{_ISO}\t")),
    Head("logcli", re.compile(rf"(?P<time>{_ISO})\s(?P<labels>\{{\w{{1,60}}=\"[^}}]{{0,4000}}\}})\s?")),
    Head("CRI", re.compile(rf"(?P<time>{_ISO})\s(?:stdout|stderr)\s(?P<part>[FP])(?:\s|$)")),
    Head("docker compose", re.compile(r"(?P<stream>[\w.@/-]{1,120})\s{0,60}\|(?: |$)")),
    Head("Fluent Bit", re.compile(r"(?P<stream>[\w./-]{1,400}): (?P<bracket>\[)(?P<time>\d{10}\.\d{1,9}), (?=\{)")),
    Head("fluentd", re.compile(rf"(?P<time>{_ISO})\t(?P<stream>[\w.*/-]{{1,400}})\t(?=\{{)")),
    Head(
        "journal",
        re.compile(
            rf"(?P<time>{_ISO})\s(?![A-Za-z]{{1,12}} partitions?:|[Pp]artitions? )"  # a sentence, not host and program
            rf"(?!(?:{'|'.join(sorted(_LEVELS))})\s)"  # level and logger, as Python's logging prints them
            r"(?P<stream>[\w.:-]{1,120})\s[\w./@-]{1,120}(?:\[\d{1,9}\])?:\s"
        ),
    ),
    Head(
        "Papertrail",
        re.compile(
            rf"\d{{6,24}}\t(?P<time>{_ISO})\t{_ISO}\t\d{{1,20}}\t(?P<stream>[^\t]{{1,200}})\t(?:[^\t]{{0,200}}\t){{4}}"
        ),
    ),
    Head(
        "syslog",  # RFC 5424: <priority>version time host app process message-id data
        re.compile(
            rf"<\d{{1,3}}>\d (?P<time>{_ISO}) (?P<stream>\S{{1,255}}) \S{{1,48}} \S{{1,128}} \S{{1,32}} "
            rf"{STRUCTURED_DATA} ?"
        ),
    ),
    Head(
        "syslog",  # RFC 3164: no year and no zone, so only what stands behind it has a time
        re.compile(
            r"(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} (?P<stream>[\w.:-]{1,120}) "
            r"[\w./@-]{1,120}(?:\[\d{1,9}\])?: "
        ),
    ),
    Head(
        "stern",  # POD CONTAINER [TIME] line; a pod's name ends in what its controller appends
        re.compile(
            rf"(?P<stream>[a-z0-9][a-z0-9.-]{{0,240}}-[a-z0-9]{{1,10}}) [a-z0-9][a-z0-9-]{{0,62}} "
            rf"(?:(?P<time>{_ISO}) )?(?=\s*\S)"
        ),
        certain=False,
    ),
    Head("time and stream", re.compile(rf"(?P<time>{_ISO})\s(?P<stream>{_NAME})\s(?=\s*\S)"), certain=False),
    Head("stream and time", re.compile(rf"(?P<stream>{_NAME})\s(?P<time>{_ISO})\s(?=\S)"), certain=False),
    Head("time", re.compile(r"(?P<time>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)\s"), certain=False),
)


def head_of(lines: Sequence[str]) -> Head | None:
    """The kind of head that nearly all of these lines have; None if they have none, or none that is known."""
    shown = [line for line in lines if line.strip()]
    for head in HEADS:
        found = [match for line in shown if (match := head.pattern.match(line)) is not None]
        if len(found) >= max(1, _ENOUGH * len(shown)) and (head.certain or _likely(head, found)):
            return head
    return None


def _likely(head: Head, found: Sequence[re.Match[str]]) -> bool:
    """Whether what stands where a stream's name could is one, and no level, thread or word of the line."""
    rests = [match.string[match.end() :] for match in found]
    if head.name == "time":
        return sum(_begins_record(rest) for rest in rests) > len(rests) // 2
    names = {match["stream"] for match in found}
    thread = _THREAD if head.name == "stern" else _THREADLIKE
    if len(names) > max(3, len(found) // 3) or names & _LEVELS or any(map(thread.search, names)):
        return False
    if any(name.startswith(("[", "(")) or name.endswith((":", "]")) for name in names):
        return False
    return all(re.search(r"[\d/-]", name) for name in names) and sum(map(_begins_record, rests)) > len(rests) // 2


_RECORD = re.compile(rf"[\[(]?(?:{_ISO}|{'|'.join(sorted(_LEVELS))}|%\d\|\d{{10}}\.|\{{\"|[IWEF]\d{{4}} )|\[[A-Z][a-z]")


def _begins_record(rest: str) -> bool:
    return _RECORD.match(rest) is not None


def split(head: Head, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Record]]:
    """Numbered lines as records; a line without a head belongs to the record before it."""
    parts: dict[str | None, tuple[int, Record]] = {}
    last: tuple[int, Record] | None = None
    for number, line in lines:
        match = head.pattern.match(line)
        if match is None:
            if last is not None and line.strip():
                last[1]["line"] += "\n" + line
            continue
        if last is not None:
            yield last
            last = None
        record = _record(match)
        if record.pop("part", "F") == "P":
            stream = record.get("stream")
            first = parts.setdefault(stream, (number, {**record, "line": ""}))
            first[1]["line"] += record["line"]
            continue
        begun = parts.pop(record.get("stream"), None)
        last = (
            (number, record) if begun is None else (begun[0], {**begun[1], "line": begun[1]["line"] + record["line"]})
        )
    if last is not None:
        yield last


def _record(match: re.Match[str]) -> Record:
    record: Record = {key: value for key, value in match.groupdict().items() if value is not None}
    if (labels := record.pop("labels", None)) is not None:
        record.update(_LABEL.findall(labels))
    line = match.string[match.end() :]
    if "stream" in record and line.startswith("{") and (pod := _pod(line)) is not None:
        record["stream"] = pod  # what sent the line: a tag may be that of many
    record["line"] = line if record.pop("bracket", None) is None else line.removesuffix("]")
    return record


def _pod(line: str) -> str | None:
    """The pod or container that a collector's JSON object names."""
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(line)
    except (ValueError, RecursionError):
        return None
    kubernetes = value.get("kubernetes") if isinstance(value, dict) else None
    named = kubernetes.get("pod_name") if isinstance(kubernetes, dict) else value.get("container_name")
    return named if isinstance(named, str) and named else None


def falling(times: Sequence[int]) -> bool | None:
    """Whether instants fall (newest first), in their order; None if they neither rise nor fall, or do both."""
    pairs = list(pairwise(times))
    rises, falls = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
    if falls > 0 and rises <= falls // 20:
        return True
    return False if rises > 0 and falls <= rises // 20 else None
