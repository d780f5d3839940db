"""What topics had when a simulated leader noticed that they grew: a Java consumer prints it, no fact says it."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from groupsim.events.base import Event, Recorded
from groupsim.events.client import RejoinRequested
from groupsim.events.world import GroupDeclared, PartitionsAdded, TopicCreated

NOTICED_AFTER = "noticed_after_ms"
_CHANGED = "metadata has changed"
TOPICS = (TopicCreated, PartitionsAdded, GroupDeclared)


class _Growth(NamedTuple):
    at_ms: int
    topic: str
    before: int
    after: int


class TopicsInRun:
    """The growth of topics as a run goes on, and how much of it each group has noticed."""

    def __init__(self) -> None:
        self._now: dict[str, int] = {}
        self._read_by: dict[str, tuple[str, ...]] = {}
        self._growths: list[_Growth] = []
        self._noticed: defaultdict[str, int] = defaultdict(int)

    def see(self, fact: Recorded) -> None:
        """Take in the next fact."""
        event = fact.event
        if isinstance(event, GroupDeclared):
            self._read_by[event.group] = event.topics
        elif isinstance(event, PartitionsAdded):
            self._growths.append(_Growth(fact.at_ms, event.topic, self._now.get(event.topic, 0), event.partitions))
        if isinstance(event, TopicCreated | PartitionsAdded):
            self._now[event.topic] = event.partitions

    def noticed(self, group: str, event: Event, at_ms: int) -> dict[str, object]:
        """The reason as the leader of `group` prints it, and how late it noticed; empty if it says nothing of growth.

        A recorded leader printed its own, and when its topics grew is in no log.
        Kafka: ConsumerCoordinator.rejoinNeededOrPending, MetadataSnapshot.toString.
        """
        if (
            not isinstance(event, RejoinRequested)
            or event.cause is not None
            or "metadata has changed" not in event.reason
        ):
            return {}
        topics = self._read_by.get(group, ())
        new = [growth for growth in self._growths[self._noticed[group] :] if growth.topic in topics]
        self._noticed[group] = len(self._growths)
        if not new:
            return {}
        before = {growth.topic: growth.before for growth in reversed(new)}
        after = {growth.topic: growth.after for growth in new}
        snapshots = f"from ({_counts(before)}) at the beginning of the rebalance to ({_counts(after)})"
        return {"reason": f"{event.reason} {snapshots}", NOTICED_AFTER: at_ms - new[0].at_ms}


def _counts(topics: dict[str, int]) -> str:
    return ", ".join(f"{topic}={partitions}" for topic, partitions in sorted(topics.items()))
