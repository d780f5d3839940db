"""How far a client's clock is from its broker's, from the order in which joins and generations must have happened."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from groupsim.incidents.facts.consumer_skew import Bounds, consumer_bounds
from groupsim.incidents.facts.detail import int_in
from groupsim.incidents.logs.rows import Reading, is_broker
from groupsim.incidents.logs.times import instant
from groupsim.incidents.sentences import plural

_TOLERANCE_MS = 5


class Skew(NamedTuple):
    """`ms` to add to a file's times so that they fit the broker's; 0 where they do.

    `support` events (generations, or what both sides say of a consumer group) say that it is no less than `low` and no
    more than `high`.
    """

    file: str
    ms: int
    low: int
    high: int
    support: int
    of: str = "generation"

    def __str__(self) -> str:
        support = plural(self.support, self.of)
        if self.ms:
            off = f"{-self.ms} ms ahead of" if self.ms < 0 else f"{self.ms} ms behind"
            return f"{self.file}: its clock is {off} the broker's, by {support}"
        return f"{self.file}: its clock fits the broker's; {support} would allow {self.low:+} to {self.high:+} ms"


def estimate_skews(reading: Reading) -> tuple[list[Skew], list[str]]:
    """The skews of files that can be compared with their broker's clock, and notes on files that fit no skew.

    A member sends JoinGroup before the broker completes the generation and gets the answer after it: each generation
    bounds the skew from both sides, and all bounds together leave an interval. A file whose interval has 0 in it fits.
    """
    completed = _completed(reading)
    tolerance_ms = max(_TOLERANCE_MS, reading.resolution_ms)
    bounds: dict[str, list[Bounds]] = defaultdict(list)
    for file, each in consumer_bounds(reading):
        bounds[file].append(each)
    of_consumer_groups = frozenset(bounds)
    joined: set[tuple[object, ...]] = set()
    asked: dict[tuple[str, str | None, str | None], int] = {}
    for row in reading.rows:
        client = (row.file, row.client, row.group)
        if row.at is None or is_broker(row):
            continue
        if row.kind == "joined" and "instance" in row.detail:  # when it returns it gets the answer for an old one
            at = completed.get((row.group, int_in(row.detail.get("generation"))))
            if at is not None:
                bounds[row.file].append(Bounds(low=at - instant(row.at)))
        elif row.kind == "joining":
            asked[client] = instant(row.at)
        elif row.kind == "joined" and client in asked:
            generation = int_in(row.detail.get("generation"))
            at = completed.get((row.group, generation))
            if at is not None and (*client, generation) not in joined:
                joined.add((*client, generation))
                bounds[row.file].append(Bounds(at - instant(row.at), at - asked[client]))
            del asked[client]
    skews, misfits = [], []
    for file, pairs in bounds.items():
        counted = "event" if file in of_consumer_groups else "generation"
        low, high = max(pair.low for pair in pairs), min(pair.high for pair in pairs)
        if low > high + tolerance_ms:
            misfits.append(
                f"{file}: no single skew makes its joins fit the broker's generations; its times are not corrected"
            )
        else:
            fits = low - _TOLERANCE_MS <= 0 <= high + _TOLERANCE_MS
            if Bounds(low, high).both:
                skews.append(Skew(file, 0 if fits else low, low, high, len(pairs), counted))
            elif not fits:
                skews.append(Skew(file, low if low > 0 else high, low, high, len(pairs), counted))
    return skews, misfits


def _completed(reading: Reading) -> dict[tuple[str | None, int | None], int]:
    """When a broker completed each generation; a number that occurs twice (numbers start over) is left out.

    A conversion gives a classic group a generation in which nobody joined.
    """
    found: dict[tuple[str | None, int | None], list[int]] = defaultdict(list)
    for row in reading.rows:
        if row.kind == "stabilized" and row.at is not None:
            found[row.group, int_in(row.detail.get("generation"))].append(instant(row.at))
    return {key: times[0] for key, times in found.items() if len(times) == 1}
