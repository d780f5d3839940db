"""Doubtful time of members without a client log: what `__consumer_offsets` leaves open, between commits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from groupsim.events.types import GroupId, MemberId
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Ledger
from groupsim.incidents.offsets_topic.unsettled import Span, unsettled
from groupsim.storage.log_gaps import Doubt

_WHY = (
    "`__consumer_offsets` shows who was given a partition and when it was committed, not when a member began and"
    " stopped to serve it; export the logs of the clients too"
)


def topic_doubts(
    histories: Mapping[GroupId, GroupHistory], logged: Collection[MemberId], since_ms: int, end_ms: int
) -> Iterator[Doubt]:
    """The doubts about all groups; times in UTC milliseconds since 1970."""
    for group, history in histories.items():
        yield from _of_group(group, history, logged, since_ms, end_ms)


def _of_group(
    group: GroupId, history: GroupHistory, logged: Collection[MemberId], since_ms: int, end_ms: int
) -> Iterator[Doubt]:
    others = Ledger()
    others.holdings = [each for each in history.ledger.holdings if each.member not in logged]
    spans: dict[Span, list[tuple[str, int]]] = defaultdict(list)
    for partition, found in unsettled(others, history.commits, end_ms).items():
        for span in found:
            if span.to_ms > since_ms:
                spans[Span(max(span.from_ms, since_ms), span.to_ms)].append((partition.topic, partition.partition))
    for span in sorted(spans):
        yield Doubt(group, span.from_ms, span.to_ms, tuple(spans[span]), _WHY)
