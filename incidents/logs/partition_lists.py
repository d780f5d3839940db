"""Lists of partitions as programs print them: `orders-0`, `TopicPartition(…)`, `orders [[0]]`, `map[orders:[0 1]]`."""

from __future__ import annotations

import re
from typing import NamedTuple

_PYTHON = re.compile(r"TopicPartition\(topic='([^']{1,300})', partition=(\d{1,9})\)")
_ARROYO = re.compile(r"Partition\(topic=Topic\(name='([^']{1,300})'\), index=(\d{1,9})\)")
_BETWEEN = str.maketrans(dict.fromkeys("[](){},;", " "))
_NAMED = re.compile(
    r"[Tt]opic[\"']?\s?[:=]\s?[\"']?([\w.-]{1,249})[\"']?,\s{0,8}[\"']?[Pp]artitions?[\"']?\s?[:=]\s?"
    r"\[?(\d[\d, ]{0,4000})"
)
_BRACKETED = re.compile(
    r"(?<![\w.-])([\w.-]{1,249})[\"']?\s?[:=]?\s?\[{1,2}(\d[\d, ]{0,40000})(?::(?:#|-?\d{1,20}))?\]"
)
"""Also `orders[0:42]`, `orders[0:#]`: cppkafka prints the offset behind the partition, # where it has none."""
_SLASHED = re.compile(r"(?<![\w./-])([\w.-]{1,249})/(\d{1,9})(?![\w./-])")
_NUMBERS = re.compile(r"[\[{(]\s?(\d[\d, ]{0,40000})[\])}]")
_EMPTY = re.compile(
    r"\(?(?:[A-Za-z]{0,40}\s?(?:\[\s?\]|\{\s?\}|\(\s?\)|\(\{\}\)|\(\[\]\)))|[Nn]one\b|nil\b|null\b|<none>|<empty>|empty\b"
)
_RUN = re.compile(r"[\w.-]{1,249}-\d{1,9}(?:,?\s[\w.-]{1,249}-\d{1,9})*(?![\w-])")
"""A list without brackets ends where the words are no longer partitions."""
_BRACKET = re.compile(r"[\[\](){}]")
_WHOLE = re.compile(r"(?:[A-Za-z]{1,40}\s?)?[\[({](?!\d[\d, ]{0,4000}\])")
"""How a list with brackets around it begins; `orders[0 1]` is an item of one without."""


_DIGITS = 10
"""A partition's number has at most so many: it is an int of Java."""


class PartitionList(NamedTuple):
    """What a list says: `partitions` as `topic-n`, None where it has only numbers; how many; where it ends."""

    partitions: list[str] | None
    size: int
    end: int


def partitions(text: str) -> list[str]:
    """`topic-n` for every partition that a Java or Python client lists, in the order printed."""
    if "TopicPartition(" in text:
        return [f"{topic}-{number}" for topic, number in _PYTHON.findall(text)]
    listed = []
    for word in text.translate(_BETWEEN).split():
        topic, _, number = word.rpartition("-")
        if topic and number.isascii() and number.isdigit() and len(number) <= _DIGITS:
            listed.append(f"{topic}-{int(number)}")
    return listed


def partitions_of_any_client(text: str) -> list[str]:
    """The same for a list in whatever shape: of librdkafka's bindings, Go, JavaScript, Rust, Scala."""
    return _shaped(text) or partitions(text)


def _shaped(text: str) -> list[str]:
    """Partitions in a shape that cannot be a word of a sentence."""
    for shape in (_PYTHON, _ARROYO, _NAMED, _BRACKETED, _SLASHED):
        found = shape.findall(text)
        if found:
            return [
                f"{topic}-{int(n)}"
                for topic, numbers in found
                for n in numbers.replace(",", " ").split()
                if len(n) <= _DIGITS
            ]
    return []


def list_at(text: str, start: int) -> PartitionList | None:
    """The list that begins at `start`, behind blanks and signs; None if there is none."""
    at = start
    while at < len(text) and at < start + 8 and text[at] in " \t:=-*>`'\"":
        at += 1
    empty = _EMPTY.match(text, at)
    if empty is not None:
        return PartitionList([], 0, empty.end())
    numbers = _NUMBERS.match(text, at)
    if numbers is not None:
        return PartitionList(None, len(numbers[1].replace(",", " ").split()), numbers.end())
    run = _RUN.match(text, at)
    if run is not None:
        listed = run[0]
        found = partitions(listed)
    elif text.startswith(("TopicPartition(", "TopicPartition{"), at) or _WHOLE.match(text, at) is None:
        listed = text[at:]
        found = _shaped(listed)
    else:
        listed = text[at : _closed(text, at)]
        found = partitions_of_any_client(listed)
    return PartitionList(found, len(found), at + len(listed)) if found else None


def _closed(text: str, start: int) -> int:
    """Behind the bracket that closes the first one."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "[({" else -1
        if depth <= 0:
            return bracket.end()
    return len(text)
