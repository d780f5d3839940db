"""The reasons in a report: unavailable time by what the partitions waited for; each table adds up to the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from groupsim.analysis.blame.blame import Blame
from groupsim.analysis.blame.phases import PHASES
from groupsim.wording.names import shown

MOST = 200
"""Rows of a table; the rest is summed up in one row."""

_BY: dict[str, tuple[str, Callable[[Blame], str | None]]] = {
    "member": ("Which member was waited for", lambda b: b.member),
    "configuration": ("What decides how long", lambda b: b.configuration),
    "phase": ("Phase", lambda b: b.phase),
    "label": ("State of the partition", lambda b: b.label),
    "cause": ("First cause", lambda b: b.cause),
    "chain": ("The whole chain of causes", lambda b: b.chain),
    "topic": ("Topic", lambda b: b.topic),
}


@dataclass(slots=True)
class _Sum:
    """Unavailable time that has something in common."""

    partition_ms: int = 0
    longest_ms: int = 0
    partitions: set[tuple[str, str, int]] = field(default_factory=set)

    def add(self, piece: Blame) -> None:
        self.partition_ms += piece.duration_ms
        self.longest_ms = max(self.longest_ms, piece.duration_ms)
        self.partitions.add((piece.group, piece.topic, piece.partition))


def sums(pieces: Sequence[Blame], key: Callable[[Blame], str | None]) -> list[tuple[str | None, int, int, int]]:
    """`(value, partition_ms, partitions, longest_ms)`, largest first; None is what has no such value."""
    by_value: dict[str | None, _Sum] = {}
    for piece in pieces:
        by_value.setdefault(key(piece), _Sum()).add(piece)
    rows = [(value, s.partition_ms, len(s.partitions), s.longest_ms) for value, s in by_value.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0] or ""))


def reasons(pieces: Sequence[Blame]) -> list[dict[str, Any]]:
    """Per breakdown: `by`, `title`, `rows` of `[value, partition_ms, partitions, longest_ms, meaning]`."""
    return [{"by": by, "title": title, "rows": _rows(by, sums(pieces, key))} for by, (title, key) in _BY.items()]


def _rows(by: str, by_value: list[tuple[str | None, int, int, int]]) -> list[list[Any]]:
    rows = [[None if v is None else shown(v), *numbers, _meaning(by, v)] for v, *numbers in by_value[:MOST]]
    if rest := by_value[MOST:]:
        rows.append([f"{len(rest):,} more", sum(r[1] for r in rest), 0, max(r[3] for r in rest), ""])
    return rows


def _meaning(by: str, value: str | None) -> str:
    if by == "phase":
        return PHASES.get(value or "", "")
    if value is None and by == "member":
        return "no member, or unknown"
    if value is None and by == "configuration":
        return "no setting decides it, or unknown"
    return ""
