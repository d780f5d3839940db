"""Times of a log in words, their shares of it, and how long one member was without partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groupsim.diagnosis.cause import span
from groupsim.diagnosis.finding import Bounds, Outage
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import ranged, short_percent
from groupsim.wording.times import duration

_LITTLE = 0.01
"""No share below this is said in figures."""


def between(lines: Iterable[Said]) -> str:
    """` in 30 s`, from the first of these lines to the last; nothing without times."""
    first, last = span(lines)
    return f" in {duration(last - first)}" if first is not None and last is not None and last > first else ""


def bounds(found: Bounds | None) -> str | None:
    """`4.2 s`, `3 to 4.2 s`, `at most 9 s`, `at least 3 s`; None where nothing is known."""
    if found is None:
        return None
    low, high = found
    if high is None:
        return f"at least {duration(floor(low))}" if low else None
    if not low:
        return f"at most {duration(_ceiling(high))}" if high else None
    if duration(low) == duration(high):
        return duration(low)
    return f"{duration(floor(low))} to {duration(_ceiling(high))}"


def lasted(ms: int, *, ended: bool) -> str:
    """How long something took, or at least took by the end of the lines."""
    return duration(ms) if ended else bounds((ms, None)) or duration(ms)


def outage_in_words(outage: Outage) -> str:
    """`7.2 s`, `about 7.2 s`, `4.2 s to 12.2 s`."""
    return bounds(outage.ms) or "" if outage.near_ms is None else f"about {duration(outage.near_ms)}"


def _step(ms: int) -> int:
    """What `duration` shows of a time, in ms."""
    return 1 if ms < 1_000 else 100 if ms < 100_000 else 1_000 if ms < 3_600_000 else 60_000


def floor(ms: int) -> int:
    """A lower bound is not rounded up."""
    return ms - ms % _step(ms)


def _ceiling(ms: int) -> int:
    """An upper bound is not rounded down."""
    return ms + -ms % _step(ms)


def shares(found: Bounds | None, lasted_ms: int) -> tuple[float | None, float | None] | None:
    """The same bounds as shares (0 to 1) of the time that a log lasted; None where nothing is known, or no time."""
    if found is None or lasted_ms <= 0:
        return None
    low, high = (None if ms is None else min(1.0, ms / lasted_ms) for ms in found)
    return low, high


def share(found: Bounds | None, lasted_ms: int) -> str | None:
    """`13 %`, `9.1 to 13 %`, `less than 1 %`, of a time in bounds; None where nothing is known that matters."""
    low, high = shares(found, lasted_ms) or (None, None)
    if high is None:
        return short_percent(low) if low is not None and low >= _LITTLE else None
    if high < _LITTLE:
        return f"less than {short_percent(_LITTLE)}" if high else None
    if not low:
        return short_percent(high)
    if low < _LITTLE:
        return f"at most {short_percent(high)}"
    return ranged(short_percent(low).removesuffix(" %"), short_percent(high).removesuffix(" %")) + " %"


def without_partitions(log: GroupLog, who: Sequence[str]) -> Bounds | None:
    """How long one member had no partitions, by its own log; None for several members, or without times."""
    if len(who) != 1 or who[0] not in log.incarnations:
        return None
    total = 0
    since: int | None = None
    joined: int | None = None
    for line in log.clients[who[0]]:
        if line.at is None:
            return None
        kind = line.row.kind
        if kind in (RowKind.LOST, RowKind.REVOKED, RowKind.POLL_TIMEOUT) and since is None:
            since = line.at
        elif kind is RowKind.JOINED and since is not None:
            joined = joined or line.at
        elif kind is RowKind.ASSIGNED and since is not None:
            total += max(0, line.at - since)
            since = joined = None
    if since is not None and joined is not None:  # what it was given then is not in these lines
        return total + max(0, joined - since), None
    if since is not None:
        ends = max((log.ends.get(line.row.file, since) for line in log.clients[who[0]]), default=since)
        return total + max(0, ends - since), None
    return (total, total) if total else None
