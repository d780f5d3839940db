"""Records that their layout cut into several lines: container runtimes' parts, rows of CSV, JSON on many lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise, takewhile
from typing import NamedTuple

from groupsim.incidents.logs.boxed_tables import ends_table, may_open_table, opens_table
from groupsim.incidents.logs.formats import clean, parse, starts_record
from groupsim.incidents.logs.producers.brod import HEAD
from groupsim.incidents.logs.producers.exceptions import FRAME, THROWN
from groupsim.incidents.logs.producers.java_config import OPENERS, SETTING
from groupsim.incidents.logs.scan import Window
from groupsim.incidents.logs.word_wrapped import FRAMES, broken_at_spaces, is_full

_CRI = re.compile(r"(\S{1,40} (?:stdout|stderr) )([PF])(?: |$)")
_CSV = re.compile(r"\s{0,4}(?:[^\",\s][^\",]{0,100},){0,20}\"(?!\w{1,60}\":)(?:[^\"]|\"\"){0,200}(?:\",|$|[^\"]{60})")
_MEMBER = re.compile(r"\s{0,40}\"[\w@./-]{1,80}\"\s?:\s")
_OPENS = frozenset(["{", "[{", "},{", "}, {"])
_CLOSES = frozenset(["}", "},", "}]", "}],"])
_COMPOSE = re.compile(r"[\w.@-]{1,120}\s{0,60}\|\s")
_ENDED = re.compile(r"\.[\w$]{1,60}(?::\d{1,6})?\)$")
_CUT = 64
_NARROWEST = 60
_SHORT = 40
"""A line that is shorter is no part of a record that was cut, but its last."""
_CLOSES_WITHIN = 4
_WIDEST = 1000
_LONGEST = 5 * _WIDEST
_PARTS = 64
_ROW = 200
_OBJECT = 120
_BLOCK = 40
_SETTINGS = 250
_TABLE = 250
_FRAMES = 16
_NOT_CUT = re.compile(
    r"\t|\s\s|" + FRAMES + r"|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\s|[┌├│└]|\+(?:Topic|Requested|-)"
)
TRACE = re.compile(r"\s|" + FRAMES + r"|\)|\}")
"""How a line of a stack trace begins, or one that closes something."""
_LABEL = re.compile(
    r"(?:Member|Assigned partitions|Current owned partitions|Added partitions \(assigned - owned\)"
    r"|Revoked partitions \(owned - assigned\)|now assigned partitions|compare with previously owned partitions"
    r"|newly added partitions|revoked partitions):"
)


class JoinedRecord(NamedTuple):
    """A record as one text; `before` and `after`: how many lines around the current one are part of it."""

    text: str
    before: int
    after: int


def join_lines(window: Window, text: str) -> JoinedRecord | None:
    """The whole of a record of which `text` is one line, if it looks like one that was cut."""
    if " std" in text and _CRI.match(text) is not None:
        return _parts(window, text)
    if _is_head(text):
        return None
    quotes = text.count('"')
    if quotes and len(text) >= _NARROWEST and (cut := _cut_json(window, text)) is not None:
        return cut
    if quotes and _MEMBER.match(text) is not None:
        return _object(window, text)
    if quotes % 2 and _CSV.match(text) is not None:
        return _row(window, text)
    if not may_be_cut(window):
        return None
    if (cut := _cut(window, text)) is not None:
        return cut
    return None if (whole := broken_at_spaces(window, text)) is None else JoinedRecord(*whole)


def may_be_cut(window: Window) -> bool:
    """A quick look: the next line (or this one) does not begin as the record's first line does."""
    here = window.line
    if b" P " in here[:80]:
        return True
    begin = _begin(here)
    if len(here) >= _SHORT and (below := window.below) and _begin(below) != begin:
        return True
    return len(above := window.above) >= _SHORT and _begin(above) != begin


def _begin(raw: bytes) -> bytes:
    """The first two bytes behind a prefix of docker compose."""
    at = raw.find(b"| ", 0, 60) + 2
    return raw[at : at + 2] if at > 1 else raw[:2]


def _bare(line: str) -> str:
    """The line without the prefix of a container's runtime or of docker compose."""
    found = _CRI.match(line) or _COMPOSE.match(line)
    return line if found is None else line[found.end() :]


def _cut(window: Window, text: str) -> JoinedRecord | None:
    """A record cut hard at so many columns: all of its lines but the last are as long as its first."""
    prefix = found[0] if (found := _COMPOSE.match(text)) is not None else ""
    if len(text) > _WIDEST:
        return None
    begins = starts_record(text)
    if (begins and _ENDED.search(text, max(0, len(text) - _NARROWEST))) or _NOT_CUT.match(text[len(prefix) :]):
        return None
    width = len(text)
    lines, before = [text[len(prefix) :]], 0
    if not begins:
        for raw in window.preceding(_CUT):
            line = clean(raw[:_LONGEST])
            lines.insert(0, line.removeprefix(prefix))
            before += 1
            if starts_record(line):
                width = len(line)
                break
        else:
            return None
        if (
            any(len(prefix) + len(line) != width for line in lines[:-1])
            or len(text) > width
            or _NOT_CUT.match(lines[1])
        ):
            return None
    after = 0
    if len(text) == width >= _NARROWEST:
        for raw in window.following(_CUT):
            line = clean(raw[:_LONGEST])
            if not line.startswith(prefix) or len(line) > width or starts_record(line):
                break
            if not after and _NOT_CUT.match(line[len(prefix) :]):
                break
            lines.append(line.removeprefix(prefix))
            after += 1
            if len(line) < width:
                break
    if not (before or after) or _some_longer(window, width) or not _cut_hard(window, width):
        return None
    return JoinedRecord(prefix + "".join(lines), before, after)


def _cut_json(window: Window, text: str) -> JoinedRecord | None:
    """A JSON object that was cut hard at so many columns, if it is whole again without the line ends."""
    lines, before, after = [text], 0, 0
    if text.startswith('{"'):
        if "}" in text[-_CLOSES_WITHIN:]:
            return None
    else:
        for raw in window.preceding(_CUT):
            lines.insert(0, line := clean(raw[:_LONGEST]))
            before += 1
            if line.startswith('{"') or len(line) < len(text) or (before > 1 and len(line) != len(lines[1])):
                break
    width = len(lines[0])
    if not lines[0].startswith('{"') or any(len(line) != width for line in lines[:-1]) or len(text) > width:
        return None
    for raw in window.following(_CUT) if len(text) == width else ():
        lines.append(line := clean(raw[:_LONGEST]))
        after += 1
        if len(line) != width:
            break
    whole = "".join(lines)
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(whole)
    except (ValueError, RecursionError):
        return None
    needed = end > len(whole) - len(lines[-1]) and len(lines[-1]) <= width
    return JoinedRecord(whole[:end], before, after) if needed and len(lines) > 1 else None


def _some_longer(window: Window, width: int) -> bool:
    """Whether a line nearby is longer: nothing was cut at so many columns, the lines below are others."""
    around = chain(window.preceding(_CUT), window.following(_CUT))
    return any(len(raw) > width and len(clean(raw[:_LONGEST])) > width for raw in around)


def _cut_hard(window: Window, width: int) -> bool:
    """Whether more lines nearby go on below because they are as wide as all may be than because a word had no room."""
    around = (*reversed([*window.preceding(_CUT)]), window.line, *window.following(_CUT))
    hard = words = 0
    for line, below in pairwise(clean(raw[:_LONGEST]) for raw in around):
        if below.strip() and not starts_record(below) and not _NOT_CUT.match(below):
            hard += len(line) == width
            words += len(line) < width and is_full(line, below, width)
    return hard > words


def _parts(window: Window, text: str) -> JoinedRecord | None:
    """CRI marks each part of a long line with P, the last with F."""
    before = []
    for raw in window.preceding(_PARTS):
        found = _CRI.match(line := clean(raw))
        if found is None or found[2] != "P":
            break
        before.append(line[found.end() :])
    found = _CRI.match(text)
    assert found is not None
    if found[2] == "F" and not before:
        return None
    pieces, after = [*reversed(before), text[found.end() :]], 0
    if found[2] == "P":
        for raw in window.following(_PARTS):
            part = _CRI.match(line := clean(raw))
            if part is None:
                break
            pieces.append(line[part.end() :])
            after += 1
            if part[2] == "F":
                break
    return JoinedRecord(f"{found[1]}F {''.join(pieces)}", len(before), after)


def _object(window: Window, text: str) -> JoinedRecord | None:
    """A JSON object with each of its keys on a line of its own."""
    lines = [text]
    for raw in window.preceding(_OBJECT):
        lines.insert(0, line := clean(raw))
        if line.strip() in _OPENS:
            break
    else:
        return None
    before, after = len(lines) - 1, 0
    lines[0] = "{"
    for raw in window.following(_OBJECT):
        lines.append(clean(raw))
        after += 1
        if lines[-1].strip() in _CLOSES:
            whole = " ".join(lines)
            try:
                _, end = json.JSONDecoder(strict=False).raw_decode(whole)
            except (ValueError, RecursionError):
                continue
            return JoinedRecord(whole[:end], before, after)
    return None


def _row(window: Window, text: str) -> JoinedRecord | None:
    """A row of CSV whose message has line ends in it: until its quotes are even."""
    pieces, quotes = [text], text.count('"')
    for after, raw in enumerate(window.following(_ROW), 1):
        pieces.append(line := clean(raw))
        quotes += line.count('"')
        if quotes % 2 == 0:
            return JoinedRecord("\n".join(pieces), 0, after)
    return None


def block(window: Window, skip: int) -> Iterator[str]:
    """The lines of a multi-line record of a Java client (`Updating assignment with`), under whatever prefixes.

    `skip` lines behind the current one belong to its first line.
    """
    labelled = ""
    for raw in islice(window.following(_BLOCK + skip), skip, None):
        line = clean(raw)
        found = _LABEL.search(line)
        if found is not None:
            if labelled:
                yield labelled
            labelled = line[found.start() :]
            continue
        if labelled.count("[") > labelled.count("]"):
            labelled += _bare(line)  # a long list, cut hard
        elif parse(0, line).text.strip(" \t)"):
            break
    if labelled:
        yield labelled


def lines_below(window: Window, text: str, skip: int) -> list[str]:
    """The lines below a head that tells that they belong to it: settings and frames (Java), what
    happened (brod), the frames of a panic (Go)."""
    if may_open_table(text) and (table := _table(window, text, skip)):
        return table
    if text.startswith("panic: "):
        below = (_bare(clean(raw[:_LONGEST])) for raw in islice(window.following(_FRAMES + skip), skip, None))
        return list(takewhile(lambda line: not starts_record(line), below))
    if "xception" in text and THROWN.search(text) is not None:
        below = (_bare(clean(raw[:_LONGEST])) for raw in islice(window.following(_FRAMES + skip), skip, None))
        return list(takewhile(lambda line: FRAME.match(line) is not None, below))
    settings = text.rstrip().endswith(OPENERS)
    if not settings and not _is_head(text):
        return []
    found: list[str] = []
    for raw in islice(window.following(_SETTINGS + skip), skip, None):
        line = _bare(clean(raw[:_LONGEST]))
        if starts_record(line) or (settings and SETTING.search(line) is None and line.strip()):
            break
        found.append(line)
    return found


def _table(window: Window, text: str, skip: int) -> list[str]:
    """The lines of a table with a frame; none if no table opens below the line."""
    found: list[str] = []
    for raw in islice(window.following(_TABLE + skip), skip, None):
        line = _bare(clean(raw[:_LONGEST]))
        if not found and not opens_table(text, line):
            break
        found.append(line)
        if ends_table(line, len(found)):
            return found
    return []


def _is_head(text: str) -> bool:
    """Whether it is the first line of a record of brod."""
    return text.endswith("):") and HEAD.search(text) is not None
