"""The records of a file with a JSON document on each line, and the lines of programs between them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

import msgspec

from groupsim.incidents.exports.find_records import ORIGINAL, PLAIN, Record, records
from groupsim.incidents.exports.relevant import numbered_lines, relevant
from groupsim.wording.numbers import counted

_OPENERS, _CLOSERS = "\ufeff \t[,", " \t\r\n,;]})"
"""What may stand before an object on its line, and behind it: parts of a list, or of what was around it."""
_DECODE = json.JSONDecoder(strict=False).raw_decode
_BEGINS_DOCUMENT = re.compile(rb"[ \t,\[]{0,20}\{[ \t]{0,20}\"")
"""A line that begins like this is a JSON object, or was one; other lines between JSON lines are a program's text."""


def json_lines(stream: IO[bytes], trouble: Callable[[str], None]) -> Iterator[tuple[int, Record]]:
    """The records of a file with a document on each line; of lines that break off only a note."""
    broken: list[int] = []
    last = 0
    for last, line, _ in relevant(numbered_lines(stream), lambda line: line.hot):
        found = list(_of_line(line))
        if len(found) == 1 and PLAIN in found[0] and _BEGINS_DOCUMENT.match(line):
            broken.append(last)
            continue
        if len(found) == 1:
            found[0][ORIGINAL] = line.decode("utf-8", "replace")
        for record in found:
            yield last, record
    if broken and broken[-1] == last:
        trouble("the last line is cut off and left out")
        broken.pop()
    if broken:
        trouble(
            f"{counted(len(broken), 'line')} that {'is' if len(broken) == 1 else 'are'} no whole JSON left out, the"
            f" first of them line {broken[0]}"
        )


def object_of(line: bytes) -> dict[str, Any] | None:
    """The JSON object that a line is, perhaps with the brackets or commas of a list around it; None if it is none."""
    text = line.decode("utf-8", "replace").lstrip(_OPENERS)
    try:
        value, end = _DECODE(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and not text[end:].strip(_CLOSERS) else None


def _of_line(line: bytes) -> Iterator[Record]:
    """The records of one line; a line that is no JSON is a record of its own."""
    text = line.strip().strip(b",")
    if text in (b"", b"[", b"]"):
        return
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = object_of(line)
    if value is None:
        yield {PLAIN: line.decode("utf-8", "replace")}
    else:
        yield from records(value)
