"""The settings of a process: what it prints of them, what its heartbeats show, and how long its session is.

The session is known by the logs or the user, else it is at least what brokers allow by default. A classic member has
its own (`session.timeout.ms`, within the broker's `group.min.session.timeout.ms` and `group.max.session.timeout.ms`). A
member of the consumer protocol has that of its group (KIP-848: `consumer.session.timeout.ms`, else the broker's
`group.consumer.session.timeout.ms`, within the broker's `group.consumer.min.session.timeout.ms` and
`group.consumer.max.session.timeout.ms`), which no log shows; what a consumer prints of `session.timeout.ms` does not
count then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from groupsim.incidents.default_settings import (
    CONSUMER_HEARTBEAT_MS,
    HEARTBEAT_MS,
    LEAST_CONSUMER_SESSION_MS,
    LEAST_SESSION_MS,
    STEP_MS,
)
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind

_HEARTBEAT, _MAX_POLL = "heartbeat.interval.ms", "max.poll.interval.ms"
_WITH_SETTINGS = (RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SETTING, RowKind.CLIENT_SUBSCRIBED)
_LEAST_BEATS = 3
"""So many intervals of one generation tell the timer; a busy program may send some late, never early."""
_SAME = 0.01


def settings_of(rows: Sequence[PlacedRow]) -> dict[str, int | bool | str]:
    """By Kafka's names; what is printed counts before what its heartbeats show."""
    found: dict[str, int | bool | str] = {}
    interval_ms = _between_heartbeats(rows)
    if interval_ms is not None:
        found[_HEARTBEAT] = interval_ms
    for _, timed in rows:
        detail = timed.row.detail
        limit_ms = int_in(detail.get("limit_ms")) if timed.row.kind == RowKind.POLL_TIMEOUT else None
        if limit_ms:
            found[_MAX_POLL] = limit_ms
        settings = detail.get("settings")
        if timed.row.kind in _WITH_SETTINGS and isinstance(settings, dict):
            found |= {str(name): value for name, value in settings.items() if isinstance(value, int | bool | str)}
    return found


def _between_heartbeats(rows: Sequence[PlacedRow]) -> int | None:
    """The shortest usual time between two heartbeats of one generation, as a round number if it is nearly one."""
    beats = [timed for _, timed in rows if timed.row.kind == RowKind.HEARTBEAT_SENT]
    gaps = sorted(
        later.at - each.at
        for each, later in pairwise(beats)
        if each.row.detail.get("generation") == later.row.detail.get("generation") and later.at > each.at
    )
    if len(gaps) < _LEAST_BEATS:
        return None
    usual = gaps[len(gaps) // 4]
    whole = usual // STEP_MS * STEP_MS
    return whole if whole and usual - whole <= _SAME * usual else usual


_CLASSIC, _CONSUMER = "group.min.session.timeout.ms", "group.consumer.min.session.timeout.ms"
_OF_A_SESSION = 3
"""An interval of heartbeats is at most a third of a session, as Kafka advises (ConsumerConfig); nothing enforces it."""


HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
"""How a group's own setting is called (`kafka-configs --group`)."""


_SPEAKS = frozenset([RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT])
_LEAST_INTERVALS = 3


def consumer_settings(process: ProcessLog) -> dict[str, int | str]:
    """What a log shows of settings that no member of the consumer protocol has itself; empty for a classic one.

    The heartbeat interval, as the coordinator gave it (Java), or as most heartbeats followed each other (librdkafka).
    It is asked for at each removal, and worked out once.
    """
    if process.shown_settings is None:
        process.shown_settings = _consumer_settings(process)
    return process.shown_settings


def _consumer_settings(process: ProcessLog) -> dict[str, int | str]:
    rows = [timed for _, timed in process.rows]
    if not any(timed.row.kind in _SPEAKS for timed in rows):
        return {}
    streams = any("stream_tasks" in timed.row.detail for timed in rows)
    found: dict[str, int | str] = {"group.protocol": "streams" if streams else "consumer"}
    given = [int_in(t.row.detail.get("interval_ms")) for t in rows if t.row.kind == RowKind.CONSUMER_HEARTBEAT_INTERVAL]
    sent = [timed.at for timed in rows if timed.row.kind == RowKind.CONSUMER_HEARTBEAT]
    steps = Counter(round((after - before) / STEP_MS) * STEP_MS for before, after in pairwise(sent))
    usual, times = max(steps.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    named = [interval for interval in given if interval]  # 0 is the answer to its leaving
    if named:
        found[HEARTBEAT_INTERVAL] = named[-1]
    elif usual and times >= _LEAST_INTERVALS:
        found[HEARTBEAT_INTERVAL] = usual
    return found


class Session(NamedTuple):
    """`ms`: the session, if `known`; else the shortest by default, or what is assumed where it is `shortened`.

    `shortened`: a member wrote so late that its session is shorter than brokers allow by default.
    `limit`: the setting that allows the shortest one, `least_ms` by default. `heartbeat_ms`: how far apart its
    heartbeats are, if that is known (`beats_known`); else the longest that is assumed.
    """

    ms: int
    known: bool
    limit: str
    least_ms: int
    heartbeat_ms: int
    beats_known: bool
    shortened: bool = False

    @property
    def known_ms(self) -> int | None:
        """The session, if it is known."""
        return self.ms if self.known else None

    def said(self) -> str:
        """What is known of it, to begin a sentence on a last heartbeat with."""
        if self.known:
            return f"with a session of {self.ms} ms"
        if self.shortened:
            return (
                f"its session is shorter than the {self.least_ms} ms that brokers allow by default ({self.limit}), and"
                f" no log shows it (--session-timeout tells it); with an assumed one of {self.ms} ms"
            )
        return f"a session lasts at least {self.ms} ms ({self.limit}, by default), so"

    def next_heartbeat(self) -> str:
        """What is known of when its next heartbeat was due, after a number of milliseconds."""
        if self.beats_known:
            return "before its next heartbeat"
        return (
            "before its next heartbeat (an assumption: no log shows the interval of its heartbeats; that is Kafka's"
            " default, or a third of its session if that is more)"
        )


def session_of(process: ProcessLog, index: Index, given_ms: int | None, silent_ms: int | None = None) -> Session:
    """The session of a process; `given_ms` is the user's.

    `silent_ms`: a member of the group wrote for the last time so long before it was removed because its session ended.
    """
    settings = consumer_settings(process)
    if not settings:
        known_ms = given_ms or index.session_timeouts.get(process.group)
        return _session(
            known_ms, LEAST_SESSION_MS, _CLASSIC, index.heartbeat_ms(process.group), silent_ms, HEARTBEAT_MS
        )
    interval = settings.get(HEARTBEAT_INTERVAL)
    own_ms = interval if isinstance(interval, int) else None
    return _session(given_ms, LEAST_CONSUMER_SESSION_MS, _CONSUMER, own_ms, silent_ms, CONSUMER_HEARTBEAT_MS)


def _session(
    known_ms: int | None, least_ms: int, limit: str, own_ms: int | None, silent_ms: int | None, default_ms: int
) -> Session:
    """`known_ms` and `own_ms`: the session and the interval of the heartbeats, if they are known."""
    shortened = known_ms is None and silent_ms is not None and silent_ms + (own_ms or default_ms) < least_ms
    ms = known_ms or (LEAST_SESSION_MS if shortened else least_ms)
    heartbeat_ms = own_ms or max(default_ms, ms // _OF_A_SESSION)
    return Session(ms, known_ms is not None, limit, least_ms, heartbeat_ms, own_ms is not None, shortened)


def member_session_ms(index: Index, group: str, member: str, given_ms: int | None) -> int | None:
    """The session of a member without a log of its own, if it is known."""
    own, _ = index.timeouts(group, member)
    other = None if group in index.consumer_groups else index.session_timeouts.get(group)
    return given_ms or own or other
