"""How far a client's clock can be from its broker's, from a consumer group's (KIP-848) joins, epochs and ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groupsim.incidents.facts.clocks import rows_by_file
from groupsim.incidents.facts.detail import int_in
from groupsim.incidents.logs.rows import Reading, Row, is_broker
from groupsim.incidents.logs.times import instant

_Key = tuple[str | None, str, str | int | None]
_JOINED, _LEFT, _TARGET = "member_joined", "member_left", "target_assignment"
_GIVEN, _ANSWERS = "given", ("state_change", "consumer_heartbeat_answered")
_NEVER = 10**15


class Bounds(NamedTuple):
    """What is to be added to a client's time is at least `low` and at most `high`, milliseconds."""

    low: int = -_NEVER
    high: int = _NEVER

    @property
    def both(self) -> bool:
        """Whether it is bounded on both sides."""
        return self.low > -_NEVER and self.high < _NEVER


def consumer_bounds(reading: Reading) -> Iterator[tuple[str, Bounds]]:
    """(file, bounds), for each event that a client and the broker both log.

    A member asks to join, and says that it leaves, before the broker writes so. It is given an epoch after the broker
    computed that epoch's target, and its first one after it joined. What either side names twice is left out.
    """
    said = _said_by_brokers(reading)
    asked: Counter[_Key] = Counter()
    events: list[tuple[Row, str, _Key]] = []
    for rows in rows_by_file(reading).values():
        known: set[tuple[_Key, str | None]] = set()
        for row, kind, key in _said_by_clients(rows):
            asked[key] += kind != _GIVEN
            if kind != _GIVEN or (key, _member(row)) not in known:
                events.append((row, kind, key))
            known.add((key, _member(row)))
    waiting: set[_Key] = set()
    for row, kind, key in events:
        at, broker = instant(row.at or ""), said.get(key)
        if kind != _GIVEN:
            if asked[key] == 1 and broker is not None:
                yield row.file, Bounds(high=broker - at)
                if kind == _JOINED:
                    waiting.add(key)
            continue
        if broker is not None:
            yield row.file, Bounds(low=broker - at)
        joined = (row.group, _JOINED, _member(row))
        if joined in waiting:
            waiting.remove(joined)
            yield row.file, Bounds(low=said[joined] - at)


def _said_by_brokers(reading: Reading) -> dict[_Key, int]:
    """When a broker wrote each of these, UTC ms; without what is there twice."""
    found: dict[_Key, list[int]] = defaultdict(list)
    for row in reading.rows:
        if row.at is not None and is_broker(row) and row.kind in (_JOINED, _LEFT, _TARGET):
            what = int_in(row.detail.get("epoch")) if row.kind == _TARGET else _member(row)
            found[row.group, row.kind, what].append(instant(row.at))
    return {key: times[0] for key, times in found.items() if len(times) == 1}


def _said_by_clients(rows: Iterable[Row]) -> Iterator[tuple[Row, str, _Key]]:
    """(row, which of the events, its key): of Java's states of a member and of librdkafka's heartbeats.

    Java's member may get its id after it began to join.
    """
    unnamed: dict[tuple[str | None, str | None], Row] = {}
    for row in rows:
        epoch, member = int_in(row.detail.get("epoch")), _member(row)
        if row.at is None or is_broker(row) or epoch is None:
            continue
        state, sent = row.detail.get("to"), row.kind == "consumer_heartbeat"
        joins = state == "JOINING" or (sent and epoch == 0)
        if member is None:
            if joins:
                unnamed.setdefault((row.client, row.group), row)
            continue
        if (begun := unnamed.pop((row.client, row.group), None)) is not None:
            yield begun, _JOINED, (row.group, _JOINED, member)
        if joins:
            yield row, _JOINED, (row.group, _JOINED, member)
        elif state == "LEAVING" or (sent and epoch < 0):
            yield row, _LEFT, (row.group, _LEFT, member)
        elif row.kind in _ANSWERS and epoch > 0:
            yield row, _GIVEN, (row.group, _TARGET, epoch)


def _member(row: Row) -> str | None:
    named = row.member or row.detail.get("member")
    return named if isinstance(named, str) else None
