"""A group's start-up: what it waits for before it works for the first time, apart from what happens to it later.

A group first worked when each partition that it began with had been available once, or had an owner that died or froze:
from then on its unavailable time counts in every headline, and what came before stands beside it. Partitions that come
later, by growth of a topic or with another topic, are no start-up. The start-up of a group that never worked is what
nothing but its start explains: its time with the cause `start`. A recorded group that was founded before its logs begin
has no start-up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval, Label, Span, cut_to


class _Caused(Span, Protocol):
    @property
    def group(self) -> str: ...
    @property
    def cause(self) -> str | None: ...


_Piece = TypeVar("_Piece", bound=_Caused)
LOST = frozenset({Label.OWNER_DEAD, Label.OWNER_STALLED})
"""A partition that is lost before anybody saw it served has come that far: what it waits for now is no start-up."""
FirstWorked = Mapping[str, int | None]
"""By group that was founded in the run: when it first worked, ms of the run; None: never."""


def first_worked(intervals: Iterable[Interval], founded: Collection[str] | None = None) -> FirstWorked:
    """When each group first worked. `founded`: the groups that were founded in the run; None: all."""
    begins: dict[str, dict[tuple[str, int], int]] = {}
    first: dict[str, dict[tuple[str, int], int]] = {}
    for i in intervals:
        if founded is not None and i.group not in founded:
            continue
        partition = i.topic, i.partition
        counted = begins.setdefault(i.group, {})
        counted[partition] = min(i.from_ms, counted.get(partition, i.from_ms))
        if i.available or i.label in LOST:
            served = first.setdefault(i.group, {})
            served[partition] = min(i.from_ms, served.get(partition, i.from_ms))
    worked: dict[str, int | None] = {}
    for group, counted in begins.items():
        begin, served = min(counted.values()), first.get(group, {})
        founders = [partition for partition, from_ms in counted.items() if from_ms == begin]
        whole = all(partition in served for partition in founders)
        worked[group] = max(served[partition] for partition in founders) if whole else None
    return worked


def after_start(pieces: Iterable[_Piece], worked: FirstWorked) -> Iterator[_Piece]:
    """The intervals, or pieces of intervals, that are no start-up, and such parts of others, in order."""
    for piece in pieces:
        if piece.group not in worked:
            yield piece
            continue
        begin = worked[piece.group]
        if begin is None:
            if piece.cause != START:
                yield piece
        elif piece.from_ms >= begin:
            yield piece
        elif piece.to_ms > begin:
            yield cut_to(piece, from_ms=begin)
