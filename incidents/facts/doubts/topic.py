"""What `__consumer_offsets` leaves open: of members without a client log between their commits, of all after its end.

A copy may end before the clients' logs do: what was in force from there on is unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from groupsim.events import client as c
from groupsim.events.base import group_of
from groupsim.events.types import NO_GENERATION, GroupId, TopicPartition
from groupsim.incidents.facts.builder import FactBuilder, PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.offsets_members import Logged
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Ledger
from groupsim.incidents.offsets_topic.signs_of_life import Span, unsettled
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


def ended_early(
    facts: Sequence[PendingFact], clients: Sequence[ClientFacts], histories: Mapping[GroupId, GroupHistory], ended: int
) -> Iterator[Doubt]:
    """Doubts about the whole group from the topic's end on, where clients wrote later of what the topic lacks.

    That is a generation that it does not have, or partitions that it gave to nobody of that name. `ended`: when the
    last of all logs ends; times are UTC milliseconds since 1970.
    """
    for group, history in histories.items():
        own = {each.process.name: each.member for each in clients if each.process.group == group}
        last = _last_generation(history.ledger)
        for fact in facts:
            if fact.at <= history.ended_ms or group_of(fact.stream) != group:
                continue
            if (said := _unknown_to(history.ledger, last, fact.event, own)) is not None:
                why = (
                    f"the copy of `__consumer_offsets` ends at {iso(history.ended_ms)}, before the logs do: {said} at"
                    f" {iso(fact.at)}, which is not in it; copy the topic again, or choose a period with --until"
                )
                yield Doubt(group, history.ended_ms, ended, None, why, own_word=True)
                break


def _unknown_to(ledger: Ledger, last: int, event: object, members: Mapping[str, str]) -> str | None:
    """What a client wrote that the topic does not have, in words."""
    if isinstance(event, c.JoinOk) and event.generation > last:
        return f"{event.process} joined generation {event.generation}"
    if isinstance(event, c.ViewChanged) and event.partitions:
        known = ledger.memberships.get(members.get(event.process, ""))
        given = known.views[-1].partitions if known is not None and known.views else frozenset()
        if set(event.partitions) - given:
            return f"{event.process} was given partitions"
    return None


def _last_generation(ledger: Ledger) -> int:
    """The last generation (or epoch) in which the topic has a member."""
    return max((view.generation for each in ledger.memberships.values() for view in each.views), default=NO_GENERATION)
