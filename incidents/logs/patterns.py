"""Wording: how a program words one kind of line: fixed words, a bounded pattern around them, and the row it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import partitions
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

Detail = dict[str, object]

_INTS = frozenset(
    [
        "generation",
        "old_generation",
        "members",
        "statics",
        "epoch",
        "previous_epoch",
        "limit_ms",
        "exceeded_by_ms",
        "idle_ms",
        "after_ms",
        "partition_count",
        "offset",
        "protocol_version",
        "metadata_hash",
        "interval_ms",
        "records",
    ]
)
_TOKENS = {
    "group": r"(?P<group>.{1,300}?)",
    "member": r"(?P<member>.{1,400}?)",
}
_SHAPED = {"int": r"-?\d{1,12}", "word": r"\S{1,600}", "some": r".{0,400}?", "text": r".*"}
_TOKEN = re.compile(r"\{(?:(int|word|some|text):)?([a-z_][a-z_0-9]*)\}")

_SHORT = 4 << 10
_LONG = 1 << 20
_BEFORE = 1_000


_SETTINGS = {"session_ms": "session.timeout.ms", "rebalance_ms": "max.poll.interval.ms"}


def requested_settings(detail: Detail, record: Record) -> None:
    """The timeouts that a printed JoinGroup names, as settings of the consumer."""
    detail["settings"] = {name: int(str(detail.pop(key))) for key, name in _SETTINGS.items() if key in detail}


UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
JOIN_REQUEST = (
    r"Sending JoinGroup \(\w{1,60}\(group(?:_id|Id)?='(?P<group>[^']{1,300})', session_?[tT]imeout(?:_ms|Ms)?="
    r"(?P<session_ms>\d{1,9}), rebalance_?[tT]imeout(?:_ms|Ms)?=(?P<rebalance_ms>\d{1,9})"
)
"""A JoinGroup as Java and Python clients print it at level DEBUG."""


class Match(NamedTuple):
    """The row that a wording gives; `program` is set where the line itself shows what wrote it."""

    kind: RowKind
    group: str | None
    member: str | None
    client: str | None
    detail: Detail
    program: Program | None = None


Reader = Callable[[Record], tuple[Match, ...] | None]
"""The rows of a record; () for a line known to say nothing of a group, None if no wording fits."""


class Wording(NamedTuple):
    """`fixed` must be in the text before `pattern` is tried; each of `kinds` becomes a row; none: known noise."""

    kinds: tuple[RowKind, ...]
    fixed: str
    pattern: re.Pattern[str]
    finish: Callable[[Detail, Record], None] | None
    shown: frozenset[str] | None
    window: int | None
    fields: tuple[tuple[str, Callable[[str], object] | None], ...]

    def read(self, record: Record) -> tuple[Match, ...] | None:
        """The rows of a record, or None if it is not worded so."""
        text = record.text
        at = text.find(self.fixed)
        if at < 0:
            return None
        if self.window is not None and len(text) > self.window:
            # A pattern that may start anywhere sees only a part of a huge line, so that time per line stays bounded.
            text = text[max(0, at - _BEFORE) :][: self.window]
        found = self.pattern.search(text)
        if found is None:
            return None
        detail: Detail = {}
        for name, value_of in self.fields:
            said = found[name]
            if said is not None:
                detail[name] = said if value_of is None else value_of(said)
        if self.finish is not None:
            self.finish(detail, record)
        group, client = _text(detail.pop("group", None)), _text(detail.pop("client", None))
        member = _text(detail.get("member"))
        if self.shown is not None:
            detail = {name: value for name, value in detail.items() if name in self.shown}
        return tuple([Match(kind, group, member, client, detail.copy()) for kind in self.kinds])


def wording(
    kinds: str,
    fixed: str,
    pattern: str,
    finish: Callable[[Detail, Record], None] | None = None,
    *,
    show: str | None = None,
) -> Wording:
    """A wording. `{group}`, `{member}`, `{int:x}`, `{word:x}`, `{some:x}`, `{text:x}` in the pattern name its fields.

    `show` lists the detail keys to keep (default: all fields).
    """
    compiled = re.compile(_TOKEN.sub(_expand, pattern))
    shown = None if show is None else frozenset(show.split())
    fields = tuple((name, _value_of(name)) for name in compiled.groupindex)
    return Wording(tuple(map(RowKind, kinds.split())), fixed, compiled, finish, shown, _window(pattern), fields)


def _window(pattern: str) -> int | None:
    """How many characters a pattern may see: all if it is tied to the start, many if it scans once, else few."""
    if pattern.startswith("^"):
        return None
    scans = sum(pattern.count(token) for token in ("{group}", "{member}", "{some:", "}?"))
    return _LONG if scans <= 1 else _SHORT


def first_match(wordings: Iterable[Wording], record: Record) -> tuple[Match, ...] | None:
    """The rows by the first wording that fits; None if none fits."""
    text = record.text
    for candidate in wordings:
        if candidate.fixed in text:
            found = candidate.read(record)
            if found is not None:
                return found
    return None


def _expand(token: re.Match[str]) -> str:
    shape, name = token[1], token[2]
    return _TOKENS[name] if shape is None else f"(?P<{name}>{_SHAPED[shape]})"


def _value_of(name: str) -> Callable[[str], object] | None:
    """What makes the value of a field out of its text; None if that is its value."""
    if name in _INTS:
        return int
    if name in ("partitions", "assigned", "owned"):
        return partitions
    return str.strip if name in ("reason", "error", "what") else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
