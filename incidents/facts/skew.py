"""How far a client's clock is from its broker's, by what must have happened between what (spec: 9.7)."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from groupsim.incidents.facts.builder import number
from groupsim.incidents.facts.clocks import is_broker
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant

_TOLERANCE_MS = 5


class Skew(NamedTuple):
    """`ms` to add to a file's times so that they fit the broker's; 0 where they do.

    `support` generations say that it is no less than `low` and no more than `high`.
    """

    file: str
    ms: int
    low: int
    high: int
    support: int

    def __str__(self) -> str:
        generations = f"{self.support} generation{'s' if self.support > 1 else ''}"
        if self.ms:
            return f"{self.file}: its clock is taken to be {-self.ms} ms ahead of the broker's, by {generations}"
        return f"{self.file}: its clock fits the broker's; {generations} would allow {self.low:+} to {self.high:+} ms"


def estimate(reading: Reading) -> tuple[list[Skew], list[str]]:
    """The skews of files that can be held against their broker's clock, and sentences about files that fit in no way.

    A member asks to join before the broker completes the generation and is told after it: each generation bounds the
    skew from both sides, and all bounds together leave an interval. A file whose interval has 0 in it fits.
    """
    completed = _completed(reading)
    bounds: dict[str, list[tuple[int, int]]] = defaultdict(list)
    told: set[tuple[object, ...]] = set()
    asked: dict[tuple[str, str | None, str | None], int] = {}
    for row in reading.rows:
        who = (row.file, row.client, row.group)
        if row.at is None or is_broker(row) or "instance" in row.detail:
            continue  # a static member is told its generation again long after it was completed
        if row.kind == "joining":
            asked[who] = instant(row.at)
        elif row.kind == "joined" and who in asked:
            generation = int_in(row.detail.get("generation"))
            at = completed.get((row.group, generation))
            if at is not None and (*who, generation) not in told:
                told.add((*who, generation))
                bounds[row.file].append((at - instant(row.at), at - asked[who]))
            del asked[who]
    skews, troubles = [], []
    for file, pairs in bounds.items():
        low, high = max(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        if low > high + _TOLERANCE_MS:
            troubles.append(
                f"{file}: no single skew makes its joins fit the broker's generations; its times stay as they are"
            )
        else:
            fits = low - _TOLERANCE_MS <= 0 <= high + _TOLERANCE_MS
            skews.append(Skew(file, 0 if fits else low, low, high, len(pairs)))
    return skews, troubles


def _completed(reading: Reading) -> dict[tuple[str | None, int | None], int]:
    """When a broker completed each generation; those that a log names twice (numbers start over) are left out."""
    found: dict[tuple[str | None, int | None], list[int]] = defaultdict(list)
    for row in reading.rows:
        if row.kind == "stabilized" and row.at is not None:
            found[row.group, int_in(row.detail.get("generation"))].append(instant(row.at))
    return {key: times[0] for key, times in found.items() if len(times) == 1}
