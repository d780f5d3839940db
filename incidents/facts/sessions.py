"""How long the session of a process is: by the logs or the user, else at least what brokers allow by default.

A classic member has its own session (`session.timeout.ms`, within the broker's `group.min.session.timeout.ms` and
`group.max.session.timeout.ms`). A member of the consumer protocol has that of its group (KIP-848:
`consumer.session.timeout.ms`, else the broker's `group.consumer.session.timeout.ms`, within the broker's
`group.consumer.min.session.timeout.ms` and `group.consumer.max.session.timeout.ms`), which no log shows; what a
consumer prints of `session.timeout.ms` does not count then.
"""

from __future__ import annotations

from typing import NamedTuple

from groupsim.incidents.facts.consumer_client import HEARTBEAT_INTERVAL, consumer_settings
from groupsim.incidents.facts.index import Index
from groupsim.incidents.facts.processes import ProcessLog

_CLASSIC_MS, _CLASSIC = 6_000, "group.min.session.timeout.ms"
_CONSUMER_MS, _CONSUMER = 45_000, "group.consumer.min.session.timeout.ms"
"""The shortest sessions that brokers allow by default (Kafka: GroupCoordinatorConfig)."""
CONSUMER_HEARTBEAT_MS = 5_000
"""group.consumer.heartbeat.interval.ms, by default."""


class Session(NamedTuple):
    """`ms`: the session, if `known`; else the shortest by default, or what is assumed where it is `shortened`.

    `shortened`: a member of the consumer protocol wrote so late that its session is shorter than brokers allow by
    default. `limit`: the setting that allows the shortest one. `heartbeat_ms`: how far apart its heartbeats are.
    """

    ms: int
    known: bool
    limit: str
    heartbeat_ms: int
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
                f"its session is shorter than the {_CONSUMER_MS} ms that brokers allow by default ({self.limit}), and"
                f" no log shows it (--session-timeout tells it); with an assumed one of {self.ms} ms"
            )
        return f"a session lasts at least {self.ms} ms ({self.limit}, by default), so"


def session_of(process: ProcessLog, index: Index, given_ms: int | None, silent_ms: int | None = None) -> Session:
    """The session of a process that wrote nothing for `silent_ms` before it was removed; `given_ms` is the user's."""
    settings = consumer_settings(process)
    if not settings:
        known_ms = given_ms or index.session_timeouts.get(process.group)
        heartbeat_ms = index.heartbeat_ms(process.group)
        return Session(known_ms or _CLASSIC_MS, known_ms is not None, _CLASSIC, heartbeat_ms)
    interval = settings.get(HEARTBEAT_INTERVAL)
    heartbeat_ms = interval if isinstance(interval, int) else CONSUMER_HEARTBEAT_MS
    if given_ms is not None:
        return Session(given_ms, True, _CONSUMER, heartbeat_ms)
    shortened = silent_ms is not None and silent_ms + heartbeat_ms < _CONSUMER_MS
    return Session(_CLASSIC_MS if shortened else _CONSUMER_MS, False, _CONSUMER, heartbeat_ms, shortened)


def member_session_ms(index: Index, group: str, member: str, given_ms: int | None) -> int | None:
    """The session of a member without a log of its own, if it is known."""
    own, _ = index.timeouts(group, member)
    other = None if group in index.consumer_groups else index.session_timeouts.get(group)
    return given_ms or own or other
