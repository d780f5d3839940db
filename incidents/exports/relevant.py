"""Of a large export, the records near those that may concern consumer groups: memory does not grow with the rest.

Which ones may is seen on the bytes of the export, before anything is decoded.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

from groupsim.incidents.logs.reader import GROUP_ACTIVITY, has_group_activity
from groupsim.incidents.logs.scan import candidates, open_log
from groupsim.incidents.logs.scanned_words import KEYWORDS, PARTITION, PARTITION_CHANGES, REVOKED

T = TypeVar("T")
FIRST = 10_000
"""So many records of a file are kept in any case."""
NEAR, NEARER = 200, 20
"""So many around one that may concern groups: lines of one message may be apart, other streams' lines between them."""
_MANY = 100_000
"""Beyond so many kept records fewer are kept around one."""
_EVERY = 5_000
LONGEST = 16 << 20
_BLOCK = 1 << 20
_TAIL = 64 << 10
_AROUND = 4096
"""Bytes on each side of a word."""
KEYWORD = re.compile(
    "|".join([*(re.escape(word.decode()) for word in (*KEYWORDS, *REVOKED)), PARTITION_CHANGES.pattern.decode()])
)
ACTIVITY = re.compile(GROUP_ACTIVITY.pattern.decode())
HIDDEN = (rb"\\u00[67]", rb"\[\s{0,9}\d{1,3}(?:,\s{0,9}\d{1,3}){4}")
"""Letters written as escapes, and texts written as lists of bytes: what is in them is seen only when decoded."""
_HIDDEN = tuple(map(re.compile, HIDDEN))


def names_groups(fields: Mapping[str, object]) -> bool:
    """Whether a text of a record may concern consumer groups."""
    return any(isinstance(text, str) and KEYWORD.search(text) for text in fields.values())


def relevant(items: Iterable[T], concerns: Callable[[T], bool]) -> Iterator[T]:
    """The first items; then those near one that concerns groups, each 5,000th, and the last."""
    before: deque[T] = deque(maxlen=NEAR)
    near, after, kept = NEAR, 0, 0
    last: list[T] = []
    for number, item in enumerate(items):
        if number < FIRST:
            yield item
            continue
        if concerns(item):
            yield from before
            kept += len(before) + 1
            if kept > _MANY and near > NEARER:
                near, before = NEARER, deque(maxlen=NEARER)
            before.clear()
            after = near
        elif after > 0:
            after -= 1
            kept += 1
        elif number % _EVERY:
            before.append(item)
            last = [item]
            continue
        last = []
        yield item
    yield from last


class Line(NamedTuple):
    """A line of a file, with its number from 1, without its end; `hot`: it may concern groups."""

    number: int
    data: bytes
    hot: bool


def blocks_of_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """A stream in blocks that end where a line does; of an over-long line about LONGEST bytes."""
    rest = b""
    while block := stream.read(_BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            yield rest + block[:end]
            rest = block[end:]
        else:
            rest += block[: max(0, LONGEST - len(rest))]
    if rest:
        yield rest


def hot_lines(block: bytes, number: int) -> list[int]:
    """The numbers of a block's lines that may concern groups, if its first is line `number`."""
    found = {window.number for window in candidates(block, 0, len(block), number) if has_group_activity(window.line)}
    for pattern in _HIDDEN:
        seen, at = 0, number
        for hidden in pattern.finditer(block):
            at += block.count(b"\n", seen, hidden.start())
            seen = hidden.start()
            found.add(at)
    return sorted(found)


def numbered_lines(stream: IO[bytes]) -> Iterator[Line]:
    """The lines of a stream; of an over-long one only the beginning."""
    passed = 0
    for block in blocks_of_lines(stream):
        hot = set(hot_lines(block, passed + 1))
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, data in enumerate(lines, passed + 1):
            yield Line(number, data[:LONGEST].rstrip(b"\r"), number in hot)
        passed += len(lines)


class Passed(NamedTuple):
    """A file in which nothing concerns groups: how many lines it has, and its end."""

    lines: int
    tail: bytes


def without_groups(path: Path) -> Passed | None:
    """What is known of a file in which nothing may concern groups; None if something may, or if it is damaged."""
    lines, data, tail = 0, b"", b""
    damaged: list[str] = []
    try:
        with open_log(path, None, damaged.append) as stream:
            while block := stream.read(_BLOCK):
                data = data[-2 * _AROUND :] + block
                if any(_active(data, word) for word in (*KEYWORDS, *REVOKED)):
                    return None
                if PARTITION in data and PARTITION_CHANGES.search(data) is not None:
                    return None
                if any(each.search(data) for each in _HIDDEN):
                    return None
                lines += block.count(b"\n")
                tail = (tail + block)[-_TAIL:]
    except OSError:
        return None
    return None if damaged else Passed(lines + (not tail.endswith(b"\n")), tail)


def _active(data: bytes, word: bytes) -> bool:
    """Whether the word is in a line with what group life is described by, not far from it."""
    at = data.find(word)
    while at >= 0:
        start = max(data.rfind(b"\n", max(0, at - _AROUND), at) + 1, at - _AROUND)
        end = data.find(b"\n", at, at + _AROUND)
        if GROUP_ACTIVITY.search(data, start, at + _AROUND if end < 0 else end) is not None:
            return True
        at = data.find(word, at + _AROUND // 2 if end < 0 else end)
    return False
