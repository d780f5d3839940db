"""How far a client's clock is from its broker's, from the order in which joins and generations must have happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groupsim.incidents.facts.clock_bounds import Bounds, member_bounds
from groupsim.incidents.facts.typed_fields import client_id_in, int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Reading, is_broker
from groupsim.incidents.logs.times import instant
from groupsim.incidents.tolerances import HOUR_MS, NEVER_MS, ONE_STEP_MS, THREADS_MS
from groupsim.wording.numbers import counted

_QUARTER_MS, _LAST_ZONE_MS = HOUR_MS // 4, 14 * HOUR_MS
"""Time zones are whole quarters of an hour apart from UTC, up to 14 hours."""


class Skew(NamedTuple):
    """`ms` to add to a file's times so that they fit the broker's; 0 where they do, or where no single number would.

    `support` events (generations, joins, ends, epochs) say that it is no less than `low` and no more than `high`.
    `fits`: there is such a number; else what is to be added was between `low` and `high`, more or less at times.
    `zone_ms`: to be added before all of this, because the times are those of another time zone.
    """

    file: str
    ms: int
    low: int
    high: int
    support: int
    fits: bool = True
    zone_ms: int = 0

    def __str__(self) -> str:
        support = f"{counted(self.support, 'event')} that both log"
        if not self.fits:
            return (
                f"{self.file}: no single skew makes its joins fit the broker's generations; its times are not corrected"
            )
        if self.ms:
            off = f"{-self.ms:,} ms ahead of" if self.ms < 0 else f"{self.ms:,} ms behind"
            return f"{self.file}: its clock is {'' if self.bounded else 'at least '}{off} the broker's, by {support}"
        if not self.bounded:
            which = "behind" if self.low == -NEVER_MS else "ahead"
            return f"{self.file}: its clock fits the broker's, by {support}, but none would show that it is {which}"
        return f"{self.file}: its clock fits the broker's; {support} would allow {self.low:+,} to {self.high:+,} ms"

    @property
    def off(self) -> bool:
        """Whether the clock is known to be off."""
        return bool(self.ms) or not self.fits

    @property
    def bounded(self) -> bool:
        """Whether the logs bound on both sides how far it may be off."""
        return Bounds(self.low, self.high).both

    def left_ms(self) -> int:
        """How far the times may be from the broker's when `ms` is added; only for one that is bounded.

        The clocks of logs are in whole milliseconds.
        """
        return 1 + (abs(self.high - self.low) if self.ms else max(abs(self.low), abs(self.high)))


def estimate_skews(reading: Reading) -> list[Skew]:
    """The skews of files that can be compared with their broker's clock.

    A member sends JoinGroup before the broker completes the generation and gets the answer after it: each generation
    bounds the skew from both sides, and so do members' joins and ends. All bounds together leave an interval. A file
    whose interval has 0 in it fits.
    """
    if not any(map(is_broker, reading.rows)):
        return []
    bounds: dict[str, list[Bounds]] = defaultdict(list)
    for of_some in (member_bounds(reading), _by_generations(reading)):
        for file, bound in of_some:
            bounds[file].append(bound)
    groups = {row.group for row in reading.rows if row.program is Program.BROKER}
    for row in reading.rows:
        if not is_broker(row) and row.group in groups and row.file not in bounds:
            bounds[row.file] = []  # nothing that both log: it may be off as others are
    tolerance_ms = max(THREADS_MS, reading.resolution_ms + reading.placed_ms)
    zones = {file: _zone_ms(of_file, tolerance_ms) for file, of_file in bounds.items()}
    if len(common := {zones[file] for file, of_file in bounds.items() if of_file}) == 1:
        zones = dict.fromkeys(zones, common.pop())  # also of those that say nothing of their own
    return [
        _skew(file, [bound.moved(zones[file]) for bound in of_file], tolerance_ms)._replace(zone_ms=zones[file])
        for file, of_file in bounds.items()
    ]


def _zone_ms(bounds: Sequence[Bounds], tolerance_ms: int) -> int:
    """The whole quarters of an hour, up to 14 hours, that make a file's times fit; 0 where they fit, or none does."""
    low, high = _together(bounds)
    if not 0 <= high - low + tolerance_ms <= ONE_STEP_MS or low - tolerance_ms <= 0 <= high + tolerance_ms:
        return 0
    zone_ms = round((low + high) / 2 / _QUARTER_MS) * _QUARTER_MS
    return zone_ms if low - tolerance_ms <= zone_ms <= high + tolerance_ms and abs(zone_ms) <= _LAST_ZONE_MS else 0


def left_ms(skews: Sequence[Skew], reading: Reading) -> int:
    """How far the times of two logs may still be apart when the skews are corrected; 0 if no clock is known to be off.

    If none is, those that seem to fit are taken as right; else they may be off, too, by no more than those that are.
    Without those of `unbounded_clocks`.
    """
    off = [skew for skew in skews if skew.off]
    if not off:
        return 0
    known = [skew.left_ms() for skew in off if skew.bounded]
    most = max([abs(skew.ms) for skew in off] + known)
    known += [min(most, skew.left_ms() if skew.bounded else most) for skew in skews if not skew.off]
    return max(known, default=0) + reading.resolution_ms + reading.placed_ms


def unbounded_clocks(skews: Sequence[Skew]) -> list[str]:
    """A sentence for each clock of which the logs do not tell how far it may be off: no total has bounds then."""
    return [
        f"{skew.file}: its clock is off, and the logs do not show by how much; name it with --skew"
        for skew in skews
        if skew.off and not skew.bounded
    ]


def _skew(file: str, bounds: Sequence[Bounds], tolerance_ms: int) -> Skew:
    """An answer comes at once, so what bounds both sides is near its lower bound; an epoch may be given much later."""
    low, high = _together(bounds)
    if not low - tolerance_ms <= 0 <= high + tolerance_ms:
        bounds = [bound for bound in bounds if bound.sure]
        low, high = _together(bounds)
    answered = [bound for bound in bounds if bound.both]
    if low > high + tolerance_ms:
        whole = answered or [Bounds()]
        low, high = min(bound.low for bound in whole), max(bound.high for bound in whole)
        return Skew(file, 0, low, high, len(bounds), fits=False)
    if low - tolerance_ms <= 0 <= high + tolerance_ms:
        return Skew(file, 0, low, high, len(bounds))
    near = low if answered or high == NEVER_MS else high
    return Skew(file, near, low, high, len(bounds))


def _together(bounds: Sequence[Bounds]) -> tuple[int, int]:
    low = max((bound.low for bound in bounds), default=-NEVER_MS)
    return low, min((bound.high for bound in bounds), default=NEVER_MS)


def _by_generations(reading: Reading) -> Iterator[tuple[str, Bounds]]:
    """(file, bounds) for each generation that a client of a classic group joined and the broker completed."""
    completed, instances = _completed(reading), _instances(reading)
    joined: set[tuple[object, ...]] = set()
    asked: dict[tuple[str, str | None, str | None], int] = {}
    for row in reading.rows:
        client = (row.file, row.client, row.group)
        if row.at is None or is_broker(row):
            continue
        at = completed.get((row.group, int_in(row.detail.get("generation"))))
        static = "instance" in row.detail or (row.group, client_id_in(row.member or "")) in instances
        if row.kind == RowKind.JOINED and static:  # when it returns it gets the answer for an old one
            if at is not None:
                yield row.file, Bounds(low=at - instant(row.at))
        elif row.kind == RowKind.JOINING:
            asked[client] = instant(row.at)
        elif row.kind == RowKind.JOINED and client in asked:
            generation = int_in(row.detail.get("generation"))
            if at is not None and (*client, generation) not in joined:
                joined.add((*client, generation))
                yield row.file, Bounds(at - instant(row.at), at - asked[client])
            del asked[client]


def _instances(reading: Reading) -> set[tuple[str | None, object]]:
    """Group and group.instance.id of each static member that a broker names: its member ids begin with that."""
    return {(row.group, row.detail["instance"]) for row in reading.rows if is_broker(row) and "instance" in row.detail}


def _completed(reading: Reading) -> dict[tuple[str | None, int | None], int]:
    """When a broker completed each generation; a number that occurs twice (numbers start over) is left out.

    A conversion gives a classic group a generation in which nobody joined.
    """
    found: dict[tuple[str | None, int | None], list[int]] = defaultdict(list)
    for row in reading.rows:
        if row.kind == RowKind.STABILIZED and row.at is not None:
            found[row.group, int_in(row.detail.get("generation"))].append(instant(row.at))
    return {key: times[0] for key, times in found.items() if len(times) == 1}
