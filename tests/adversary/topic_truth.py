"""What the topic says of a group beside the facts of its run: generations, members, who has what, committed offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from groupsim.events import classic as c
from groupsim.events.base import Recorded, group_stream
from groupsim.events.group import CommitAccepted
from groupsim.events.types import Partitions
from groupsim.incidents.offsets_topic.history import GroupHistory
from tests.incidents.drawn_groups import GROUP
from tests.incidents.written_logs import BEGINS_MS


def said_differs(facts: Sequence[Recorded], history: GroupHistory) -> Iterator[str]:
    """Sentences."""
    own = [(BEGINS_MS + fact.at_ms, fact.event) for fact in facts if fact.stream == group_stream(GROUP)]
    stored = [(at_ms, event) for at_ms, event in own if isinstance(event, c.AssignmentStored)]
    said = history.ledger.said
    pairs: dict[str, tuple[list[Any], list[Any]]] = {
        "commits": (
            [(at_ms, *each) for at_ms, event in own if isinstance(event, CommitAccepted) for each in event.offsets],
            [(each.at_ms, *each.partition, each.committed) for each in history.commits],
        ),
        "generations": (
            [(at_ms, event.generation, _printed(event.assignment or {})) for at_ms, event in stored],
            [
                (each.at_ms, each.detail["generation"], each.detail["assignment"])
                for each in said
                if each.kind == "stored_assignment"
            ],
        ),
        "leaders": (
            [(event.generation, event.leader) for _, event in stored],
            [(each.detail["generation"], each.detail["leader"]) for each in said if each.kind == "assignment_received"],
        ),
        "members": (
            sorted(
                {each.member for _, event in stored for each in event.members}
                | {
                    str(event.member)
                    for _, event in own
                    if isinstance(event, c.MemberReplaced) and event.request is None
                }
            ),
            sorted(history.ledger.memberships),
        ),
    }
    for name, (true, read) in pairs.items():
        if true != read:
            only = [each for each in true if each not in read] or [each for each in read if each not in true]
            yield f"{name}: {len(true)} in truth, {len(read)} read; first that differs: {only[:1]}"
    yield from _owners_differ(stored, history)


def _owners_differ(stored: Sequence[tuple[int, c.AssignmentStored]], history: GroupHistory) -> Iterator[str]:
    """Each member has what it was given, and of the rest only what nobody was."""
    for at_ms, event in stored:
        plan = event.assignment or {}
        given = {partition for partitions in plan.values() for partition in partitions}
        for member, partitions in plan.items():
            views = [each for each in history.ledger.memberships[member].views if each.at_ms <= at_ms]
            had = views[-1].partitions if views else frozenset()
            if had & given != {*partitions}:
                yield f"generation {event.generation}: {member} has {sorted(had)}, was given {sorted(partitions)}"


def _printed(plan: dict[str, Partitions]) -> dict[str, list[str]]:
    return {member: [str(partition) for partition in sorted(plan[member])] for member in sorted(plan)}
