"""A copy of `__consumer_offsets` that ends before the clients' logs do: what was in force from there on is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from groupsim.events import client as c
from groupsim.events.base import group_of
from groupsim.events.types import NO_GENERATION, GroupId
from groupsim.incidents.facts.builder import PendingFact
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Ledger
from groupsim.storage.log_gaps import Doubt


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
