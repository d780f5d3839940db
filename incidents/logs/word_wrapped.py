"""Records whose lines a mail, a ticket or a terminal broke at spaces, to fit into so many columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, pairwise, takewhile

from groupsim.incidents.logs.formats import clean, starts_record
from groupsim.incidents.logs.scan import Window

_NARROWEST, _WIDEST = 40, 300
"""Columns. Narrower than any record is; wider than what people read a text in."""
_AROUND = 64
"""Lines above and below in which the longest one is looked for."""
_PARTS = 24
_LONGEST = 4_096
FRAMES = (
    r"at |Caused by|\.\.\. |Traceback|panic: |(?:\*\*\* |[\w.-]{1,100}: )\S{0,200}rdkafka_\w{1,60}\.[ch]:\d"
    r"|(?:[\w$]{1,60}\.){1,12}[\w$]{0,60}(?:Exception|Error)\b"
)
"""How lines of a stack trace begin, and the last words of Go and librdkafka, in whatever column the line above ends."""
_OTHER = re.compile(
    FRAMES + r"|File \"|goroutine |(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\s|[┌├│└|+]|[\w.]{1,60} = "
)
"""How lines begin that belong to a record and are no rest of its first line: settings and tables, too."""


def broken_at_spaces(window: Window, text: str) -> tuple[str, int, int] | None:
    """The whole record, and how many lines above and below are part of it; None if the line is no part of one.

    Each line but the last is full: the next word had no more room. How many columns there are is the length of the
    longest line nearby, but for those that are one word.
    """
    if len(text) > _WIDEST:
        return None
    above, lines = _above(window, text), [text]
    if above is None:
        return None
    for raw in window.following(_PARTS):
        line = clean(raw[:_LONGEST])
        if not _goes_on(line):
            break
        lines.append(line)
    if len(above) + len(lines) < 2:
        return None
    columns = _columns(chain([text.encode()], window.preceding(_AROUND), window.following(_AROUND)))
    if not _NARROWEST <= columns <= _WIDEST or not all(is_full(*two, columns) for two in pairwise([*above, text])):
        return None
    after = len(list(takewhile(lambda two: is_full(*two, columns), pairwise(lines))))
    if not above and not after:
        return None
    whole = [*above, *lines[: after + 1]]
    return " ".join([whole[0], *(line.strip() for line in whole[1:])]), len(above), after


def _above(window: Window, text: str) -> list[str] | None:
    """The lines from the record's first one to the one before this; None if no record begins above."""
    if starts_record(text):
        return []
    if not _goes_on(text):
        return None
    found: list[str] = []
    for raw in window.preceding(_PARTS):
        line = clean(raw[:_LONGEST])
        found.insert(0, line)
        if starts_record(line):
            return found
        if not _goes_on(line):
            return None
    return None


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and _OTHER.match(line.lstrip()) is None and not starts_record(line)


def _columns(lines: Iterable[bytes]) -> int:
    found = (clean(raw[:_LONGEST]).rstrip() for raw in lines)
    return max((len(line) for line in found if " " in line.strip()), default=0)


def is_full(line: str, following: str, columns: int) -> bool:
    """Whether the first word of the following line had no more room in this one."""
    return len(line.rstrip()) + 1 + len(following.split(maxsplit=1)[0]) > columns
