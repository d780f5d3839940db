"""When members that missed max.poll.interval.ms did not poll: they served their partitions, and took no record.

That a member was late is a fact (`PollExpired`); its last poll was max.poll.interval.ms before, and its next one begins
what it does in the group then (Java: ConsumerCoordinator.poll, onJoinPrepare).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from groupsim.analysis.availability.outages import Span
from groupsim.events import client
from groupsim.events.base import Recorded

_ENDS = (
    client.CallbackStart,
    client.CallbackEnd,
    client.JoinSent,
    client.PollStart,
    client.CloseStarted,
    client.Closed,
    client.Crashed,
)
"""What a process does when it polls again, or ends."""
_LIMIT = "max.poll.interval.ms"


class LatePolls(NamedTuple):
    """By process when it surely did not poll, and when it may not have: where its limit is not known, from the last
    that it did before.
    """

    surely: Mapping[str, Sequence[Span]]
    perhaps: Mapping[str, Sequence[Span]]


def late_polls(facts: Iterable[Recorded]) -> LatePolls:
    """All of a run."""
    surely: dict[str, list[Span]] = defaultdict(list)
    perhaps: dict[str, list[Span]] = defaultdict(list)
    limits: dict[str, int] = {}
    polled: dict[str, int] = {}
    late: dict[str, tuple[int, int]] = {}
    last_ms = 0
    for fact in facts:
        event, last_ms = fact.event, fact.at_ms
        if isinstance(event, client.ProcessStarted):
            limit = event.config.get(_LIMIT)
            if isinstance(limit, int):
                limits[event.process] = limit
            polled[event.process] = fact.at_ms
        elif isinstance(event, client.PollExpired):
            begun = polled.get(event.process, fact.at_ms)
            limit_ms = limits.get(event.process)
            exact = None if limit_ms is None else max(begun, fact.at_ms - limit_ms)
            late[event.process] = (fact.at_ms if exact is None else exact, begun if exact is None else exact)
        elif isinstance(event, _ENDS):
            if event.process in late:
                _end(surely, perhaps, event.process, late.pop(event.process), fact.at_ms)
            polled[event.process] = fact.at_ms
    for process, begins in late.items():
        _end(surely, perhaps, process, begins, last_ms)
    return LatePolls(surely, perhaps)


def _end(
    surely: dict[str, list[Span]], perhaps: dict[str, list[Span]], process: str, begins: tuple[int, int], at_ms: int
) -> None:
    for spans, begin in zip((surely, perhaps), begins, strict=True):
        spans[process].append((begin, at_ms))
