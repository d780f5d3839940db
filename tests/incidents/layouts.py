"""The same records as other layouts would have printed them: each layout turns a record into lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

PLAIN = Path(__file__).parent / "data" / "plain.log"
_HEAD = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] ([A-Z]+) (.*)$")
_TAIL = re.compile(r"(?s)^(.*?)\n? \(([\w.$]+)\)$")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905


class PlainRecord(NamedTuple):
    """One record of the plain log: its UTC instant and what it says; `more` are the lines that continue it."""

    at: datetime
    level: str
    text: str
    logger: str
    more: tuple[str, ...]

    @property
    def whole(self) -> str:
        """The message with all its lines."""
        return "\n".join((self.text, *self.more))

    @property
    def ms(self) -> int:
        """Milliseconds since 1970."""
        return round(self.at.timestamp() * 1000)

    def log4j(self) -> list[str]:
        """As the plain log has it."""
        at = self.at.strftime("%Y-%m-%d %H:%M:%S,") + f"{self.at.microsecond // 1000:03d}"
        if self.more and not self.more[-1].startswith("\tat "):
            return [f"[{at}] {self.level} {self.text}", *self.more, f" ({self.logger})"]
        return [f"[{at}] {self.level} {self.text} ({self.logger})", *self.more]


Layout = Callable[[PlainRecord], list[str]]


def plain() -> list[PlainRecord]:
    """The records of the plain log."""
    found: list[list[str]] = []
    for line in PLAIN.read_text(encoding="utf-8").splitlines():
        if _HEAD.match(line):
            found.append([line])
        else:
            found[-1].append(line)
    return [_said(lines) for lines in found]


def _said(lines: list[str]) -> PlainRecord:
    head = _HEAD.match(lines[0])
    assert head is not None
    at = datetime.strptime(head[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
    trace = [line for line in lines[1:] if line.startswith(("\tat ", "org."))]
    body = "\n".join([head[3], *(line for line in lines[1:] if line not in trace)])
    tail = _TAIL.match(body)
    assert tail is not None, body
    text, *more = tail[1].split("\n")
    return PlainRecord(at, head[2], text, tail[2], (*more, *trace))


def when(shape: str, digits: int = 3, hours: int = 0) -> Callable[[PlainRecord], str]:
    """A time by strftime, where %f is the fraction with so many digits; in a zone so many hours east of UTC."""

    def printed(said: PlainRecord) -> str:
        at = said.at.astimezone(timezone(timedelta(hours=hours)))
        fraction = f"{said.at.microsecond:06d}000"[:digits]
        shape_ = shape.replace("%f", fraction).replace("%b", _MONTHS[at.month - 1])
        return at.strftime(shape_)

    return printed


_ISO = when("%Y-%m-%dT%H:%M:%S.%fZ")


def lines(pattern: str, time: Callable[[PlainRecord], str] = _ISO) -> Layout:
    """A text layout: {t} time, {level}, {lev} in small letters, {logger}, {short} class, {msg}; the rest bare."""

    def dress(said: PlainRecord) -> list[str]:
        head = pattern.format(
            t=time(said),
            level=said.level,
            lev=said.level.lower(),
            logger=said.logger,
            short=said.logger.rpartition(".")[2],
            msg=said.text,
        )
        return [*head.split("\n"), *said.more]

    return dress


def record(
    make: Callable[[PlainRecord], object], indent: int | None = None, before: str = "", after: str = ""
) -> Layout:
    """A JSON layout: the whole message, with all its lines, in one object."""
    return lambda said: (before + json.dumps(make(said), indent=indent) + after).split("\n")


def each(make: Callable[[PlainRecord, str], str], inner: Layout = PlainRecord.log4j) -> Layout:
    """A prefix or a wrapper that comes to every line of an inner layout, also to those that continue a record."""
    return lambda said: [make(said, line) for line in inner(said)]


def wrapped(width: int, inner: Layout = PlainRecord.log4j) -> Layout:
    """Cut hard at so many columns."""
    return lambda said: [
        line[start : start + width] for line in inner(said) for start in range(0, max(len(line), 1), width)
    ]


def logfmt(pattern: str, time: Callable[[PlainRecord], str] = _ISO) -> Layout:
    """`key=value` with the whole message as one quoted value."""

    def dress(said: PlainRecord) -> list[str]:
        quoted = said.whole.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return [pattern.format(t=time(said), lev=said.level.lower(), logger=said.logger, msg=f'"{quoted}"')]

    return dress


def csv(*fields: Callable[[PlainRecord], str]) -> Layout:
    """A row of a CSV export: every field in quotes, quotes doubled."""
    return lambda said: ",".join('"' + field(said).replace('"', '""') + '"' for field in fields).split("\n")


def whole(said: PlainRecord) -> str:
    """The message, all lines."""
    return said.whole


def raw(said: PlainRecord) -> str:
    """The record as log4j would print it, all lines in one text."""
    return "\n".join(said.log4j())
