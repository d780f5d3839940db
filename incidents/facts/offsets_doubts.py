"""Doubtful time of members without a client log: what `__consumer_offsets` leaves open, between commits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from groupsim.events.types import GroupId, TopicPartition
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.log_ends import Logged
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.ledger import Ledger
from groupsim.incidents.offsets_topic.unsettled import Span, unsettled
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted, partition_seconds, seconds

_NAMED = 2
_WHY = (
    "`__consumer_offsets` shows who was given a partition and when it was committed, not when a member began and"
    " stopped serving it"
)


def topic_doubts(reading: Reading, logged: Logged, since_ms: int, end_ms: int, builder: FactBuilder) -> list[Doubt]:
    """The doubts about all groups, and a note on their largest part; times in UTC milliseconds since 1970."""
    doubts: list[Doubt] = []
    for group, history in reading.topic.items():
        others = Ledger()
        others.holdings = list(logged.unlogged(history.ledger.holdings))
        found = unsettled(others, history.commits, end_ms)
        doubts += _of_group(
            group, found, since_ms, f"{_WHY}; {_needed(group, history.ledger, logged, cut_off=bool(reading.cut_off))}"
        )
        all_ms = _length(found, since_ms)
        kept_ms = all_ms - _length(unsettled(others, history.commits, end_ms, callbacks=False), since_ms)
        if kept_ms:
            builder.note(
                f"of the {partition_seconds(all_ms)} in doubt, {seconds(kept_ms)} are of members that"
                " kept their partitions in a rebalance: whether callbacks stopped them meanwhile is not in the topic",
                group,
            )
    return doubts


def _needed(group: GroupId, ledger: Ledger, logged: Logged, *, cut_off: bool) -> str:
    """Which logs are missing; `cut_off`: some were given, and the period leaves nothing of them."""
    missing = [member for member in ledger.memberships if member not in logged.members]
    early = sorted((end.at_ms, end.process) for end in logged.ends.values() if end.group == group)
    if cut_off:
        return "the logs given have no line in the period asked for: choose another one with --since and --until"
    if len(missing) == len(ledger.memberships):
        return "export the logs of the clients too"
    needed = []
    if early:
        ends = [f"{process} at {iso(at_ms)}" for at_ms, process in early]
        what = "the log of a client ends" if len(early) == 1 else f"the logs of {len(early)} clients end"
        needed.append(f"{what} before the topic does ({listed(ends, _NAMED)}): export to the end of the incident")
    if missing:
        needed.append(
            f"export the logs of {counted(len(missing), 'member')} without one too ({listed(missing, _NAMED)})"
        )
    return "; ".join(needed)


def _length(found: Mapping[TopicPartition, Sequence[Span]], since_ms: int) -> int:
    return sum(max(0, span.to_ms - max(span.from_ms, since_ms)) for spans in found.values() for span in spans)


def _of_group(
    group: GroupId, unproved: Mapping[TopicPartition, Sequence[Span]], since_ms: int, why: str
) -> Iterator[Doubt]:
    spans: dict[Span, list[tuple[str, int]]] = defaultdict(list)
    for partition, found in unproved.items():
        for span in found:
            if span.to_ms > since_ms:
                spans[Span(max(span.from_ms, since_ms), span.to_ms)].append((partition.topic, partition.partition))
    for span in sorted(spans):
        yield Doubt(group, span.from_ms, span.to_ms, tuple(spans[span]), why)
