"""Window: what is compared of a record and of its replays: from when the group was founded to the end of the record.

A group is founded by all members that join one after the other, each before the others can have noticed the one before
it: within a heartbeat interval. What that costs says nothing of what happened to the group later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groupsim.analysis.timelines.rebalance import FOLLOW_UP_CAUSES
from groupsim.replay.reconstruct.rebalances import Generation

_JOINED = "member-joined"
_FIRST_EPOCH = 2
"""The first epoch of a consumer group that has a target."""
_LATER = 1.5
"""By how many intervals the last founder may join later in a replay than in the record: it may wait for a rebalance."""


@dataclass(frozen=True, slots=True)
class Window:
    """What is compared, in ms of the record; `given`: by the user.

    Else it begins when the group was founded, in each run by itself. `to_the_end`: of the record, so that what goes on
    then counts to its end. `founders_ms`: when the last founder joined; None: the record begins later. `interval_ms`:
    heartbeat.interval.ms.
    """

    from_ms: int
    to_ms: int
    given: bool = False
    to_the_end: bool = True
    founders_ms: int | None = None
    interval_ms: int = 3_000


def last_founder_ms(generations: Sequence[Generation], interval_ms: int) -> int | None:
    """When the join phase of the last founder began in a record; None: it does not show how the group was founded."""
    known = _started(generations)
    if not known or not (known[0].initial or known[0].number <= _FIRST_EPOCH):
        return None
    joins = [each.started_ms or 0 for each in _founding(known, interval_ms) if each.cause == _JOINED]
    return max([known[0].started_ms or 0, *joins])


def founded_ms(generations: Sequence[Generation], window: Window, origin_ms: int) -> int:
    """When the founding rebalances of a run were over, with their follow-ups; 0 where it has none."""
    known = _started(generations)
    if window.founders_ms is None or not known:
        return 0
    return _over_ms(_founding(known, window.interval_ms, origin_ms + window.founders_ms)[-1])


def rebalanced_ms(generations: Sequence[Generation], at_ms: int, interval_ms: int) -> int:
    """When the rebalance that is in progress at an instant is over, with its follow-ups; the instant without one."""
    over_ms = at_ms
    for each in _started(generations):
        begun = (each.started_ms or 0) <= at_ms
        if not (begun or (each.cause in FOLLOW_UP_CAUSES and (each.started_ms or 0) <= over_ms + interval_ms)):
            break
        over_ms = max(over_ms, _over_ms(each))
    return over_ms


def _founding(known: Sequence[Generation], interval_ms: int, last_ms: int | None = None) -> list[Generation]:
    """The first of these, joins and follow-ups that follow within the interval.

    `last_ms`: all joins until then, because the last founder joined then in the record, and none much later.
    """
    founding = [known[0]]
    for generation in known[1:]:
        started_ms = generation.started_ms or 0
        near = started_ms <= _over_ms(founding[-1]) + interval_ms
        late = last_ms is not None and started_ms > last_ms + interval_ms * _LATER
        follows = near and (generation.cause in FOLLOW_UP_CAUSES or (generation.cause == _JOINED and not late))
        if not follows and (last_ms is None or started_ms > last_ms):
            break
        founding.append(generation)
    return founding


def _started(generations: Sequence[Generation]) -> list[Generation]:
    return [each for each in generations if each.started_ms is not None]


def _over_ms(generation: Generation) -> int:
    return generation.joined_ms if generation.synced_ms is None else generation.synced_ms
