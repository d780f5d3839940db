"""The topics of a replayed incident: when records arrive, how topics grow or come later, who subscribes to what."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.incident import Incident
from groupsim.simulation.clients.config import CONSUMER
from groupsim.simulation.topics import Topic
from groupsim.simulation.world import World

_RECORD_INTERVAL_MS = 20
_MOST_RECORDS = 10_000


class ReplayedTopics:
    """Those of the incident, by name. `times`: when records arrive in each partition (ms of the simulation)."""

    def __init__(self, world: World, incident: Incident, times: Sequence[int]) -> None:
        self._world = world
        self._times = times
        most = {growth.topic: growth.partitions for growth in incident.growths}
        self._topics = {
            name: world.topic(name, count, times=dict.fromkeys(range(most.get(name, count)), times))
            for name, count in incident.topics.items()
        }

    def subscribed(self, names: Iterable[str]) -> list[Topic]:
        """Those of these topics that are known; all if none is."""
        return [self._topics[name] for name in names if name in self._topics] or list(self._topics.values())

    def grow(self, name: str, partitions: int) -> None:
        """A topic grows, or is created."""
        topic = self._topics.get(name)
        if topic is None:
            times = dict.fromkeys(range(partitions), self._times)
            self._topics[name] = self._world.topic(name, partitions, times=times)
        elif partitions > topic.partitions:
            self._world.add_partitions(topic, partitions)


def expression(incarnation: Incarnation) -> str | None:
    """What a process subscribes to by name that may come later: an expression of exactly these names, or none."""
    return "|".join(map(re.escape, incarnation.matched)) or None


def record_times(incident: Incident, lasts_ms: int, batches: Iterable[int], first: float | None) -> list[int]:
    """When records arrive in a partition: at a constant rate, and one wherever a slow batch begins (`batches`).

    So often that a poll always finds some. As often as they did, from the instant on that is drawn as `first` (a share
    of the interval; None: exactly as recorded), where something waited for them: a leader that assigns topics of others
    waits for metadata until its fetch is answered; a member of a consumer group takes the next step of a reconciliation
    when a poll ends. Of a classic record that is played with the consumer protocol this is not done: the one recorded
    roll was further off with it (23.1 partition-seconds, really 16.9) than without it.
    """
    step, first_ms = float(max(_RECORD_INTERVAL_MS, lasts_ms // _MOST_RECORDS)), 0.0
    native = all(i.protocol == CONSUMER for i in incident.incarnations)
    differ = len({i.topics for i in incident.incarnations if i.topics}) > 1
    if (differ or native) and first is not None and incident.record_interval_ms is not None:
        step = max(step, incident.record_interval_ms)
        first_ms = first * step
    return sorted({*(round(first_ms + n * step) for n in range(round(lasts_ms / step))), *batches})


def with_burst(times: Sequence[int], at_ms: int, records: int) -> list[int]:
    """The same times, and so many records at once: what tasks write to their changelogs is what they have read."""
    place = bisect_right(times, at_ms)
    return [*times[:place], *[at_ms] * records, *times[place:]]
