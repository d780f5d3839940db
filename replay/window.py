"""Window: what is compared of a record and of its replays: from when the group first worked to the end of the record.

It is the window of every headline (`analysis.availability.start_up`): start-up stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groupsim.analysis.timelines.rebalance import FOLLOW_UP_CAUSES
from groupsim.replay.reconstruct.rebalances import Generation


@dataclass(frozen=True, slots=True)
class Window:
    """What is compared, in ms of the record; `given`: by the user.

    Else it begins when the group first worked, in each run by itself, or, with `no_earlier`, in a replay not before the
    record: one instance of Kafka Streams works before the next ones have joined, or not. `to_the_end`: of the record,
    so that what goes on then counts to its end. `interval_ms`: heartbeat.interval.ms.
    """

    from_ms: int
    to_ms: int
    given: bool = False
    to_the_end: bool = True
    no_earlier: bool = False
    interval_ms: int = 3_000


def rebalanced_ms(generations: Sequence[Generation], at_ms: int, interval_ms: int) -> int:
    """When the rebalance that is in progress at an instant is over, with its follow-ups; the instant without one."""
    over_ms = at_ms
    for each in _started(generations):
        begun = (each.started_ms or 0) <= at_ms
        if not (begun or (each.cause in FOLLOW_UP_CAUSES and (each.started_ms or 0) <= over_ms + interval_ms)):
            break
        over_ms = max(over_ms, _over_ms(each))
    return over_ms


def _started(generations: Sequence[Generation]) -> list[Generation]:
    return [each for each in generations if each.started_ms is not None]


def _over_ms(generation: Generation) -> int:
    return generation.joined_ms if generation.synced_ms is None else generation.synced_ms
