"""Which field of a record numbers the records of a stream: records of one time stand in the order of these numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import tzinfo
from itertools import pairwise
from typing import NamedTuple

from groupsim.incidents.exports.find_records import Record
from groupsim.incidents.exports.moments import moment

_SAMPLE = 2_000
_NAMES = re.compile(
    r"offset|seq|cursor|event_?id|insert_?id|(?:^|\.)sort\.1|line_?number|(?:^|[._])number$|lineno", re.I
)
_AGREED = 0.95
"""So many of the neighbours with different times must have numbers that rise (or fall) with the times."""
_HEX = re.compile(r"(?:^|;)i=([0-9a-f]{1,16})(?:;|$)")


class Numbering(NamedTuple):
    """A field that numbers records; `sign` is -1 where the numbers fall as time goes on."""

    field: str
    sign: int = 1


def numbering(records: Sequence[Record], time: str | None, stream: str | None, zone: tzinfo | None) -> Numbering | None:
    """The field whose numbers go with the time in each stream; None if there is none.

    A number that only counts the records of the document says no more than their places there: an export that is newest
    first counts them, too.
    """
    sample = records[:_SAMPLE]
    if not sample or time is None:
        return None
    moments = [moment(record.get(time), zone) for record in sample]
    for name in sample[0]:
        if name == time or _NAMES.search(name) is None:
            continue
        numbers = [ordinal(record.get(name)) for record in sample]
        if any(number is None for number in numbers) or _counts_places([n for n in numbers if n is not None]):
            continue
        values = zip(sample, moments, numbers, strict=True)
        label = stream or ""
        sign = _sign([(str(r.get(label)), m.ns, n) for r, m, n in values if m is not None and n is not None])
        if sign:
            return Numbering(name, sign)
    return None


def _counts_places(numbers: Sequence[int]) -> bool:
    """Whether numbers are all the same, or rise by one step from each record of the document to the next."""
    steps = {b - a for a, b in pairwise(numbers)}
    return len(steps) < 2 and min(steps, default=0) >= 0


def _sign(numbered: Sequence[tuple[str, int, int]]) -> int:
    """1 if numbers rise with the times of their stream, -1 if they fall, 0 if they do neither."""
    streams: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for stream, ns, number in numbered:
        streams[stream].append((ns, number))
    rises = falls = 0
    for found in streams.values():
        for (ns, number), (later, following) in pairwise(sorted(found, key=lambda each: each[0])):
            rises += later > ns and following > number
            falls += later > ns and following < number
    if rises + falls == 0:
        return 1  # all of one time: only the numbers tell their order
    return 1 if rises >= _AGREED * (rises + falls) else -1 if falls >= _AGREED * (rises + falls) else 0


def ordinal(value: object) -> int | None:
    """A place in the order of records, out of a number, its digits, or a journal's cursor."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.isdecimal() and len(value) < 60:
            return int(value)
        found = _HEX.search(value)
        return int(found[1], 16) if found else None
    return None
