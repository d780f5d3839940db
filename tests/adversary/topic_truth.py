"""What the topic says of a group beside the facts of its run: generations, members, who has what, committed offsets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Event, Recorded, group_stream
from groupsim.events.group import CommitAccepted
from groupsim.events.types import Held, Partitions
from groupsim.incidents.offsets_topic.history import GroupHistory
from tests.incidents.drawn_groups import GROUP
from tests.incidents.written_logs import BEGINS_MS

Timed = tuple[int, Event]
Compared = tuple[str, list[Any], list[Any]]
"""What is compared, as it was, as it was read."""


def said_differs(facts: Sequence[Recorded], history: GroupHistory, names: Mapping[str, str]) -> Iterator[str]:
    """Sentences. `names` are those of the topics by the ids that were written."""
    own = [(BEGINS_MS + fact.at_ms, fact.event) for fact in facts if fact.stream == group_stream(GROUP)]
    for name, true, read in (*_of_any_group(own, history), *_of_consumer_group(own, history, names)):
        if true != read:
            only = [each for each in true if each not in read] or [each for each in read if each not in true]
            yield f"{name}: {len(true)} in truth, {len(read)} read; first that differs: {only[:1]}"
    yield from _owners_differ(own, history)


def _of_any_group(own: Sequence[Timed], history: GroupHistory) -> Iterator[Compared]:
    said = history.ledger.said
    stored = [(at_ms, event) for at_ms, event in own if isinstance(event, c.AssignmentStored)]
    members = {each.member for _, event in stored for each in event.members}
    for _, event in own:
        if isinstance(event, k.ConsumerMemberUpdated | k.StaticMemberReplaced) or (
            isinstance(event, c.MemberReplaced) and event.request is None
        ):
            members.add(str(event.member))
    yield "members", sorted(members), sorted(history.ledger.memberships)
    yield (
        "commits",
        [(at_ms, *each) for at_ms, event in own if isinstance(event, CommitAccepted) for each in event.offsets],
        [(each.at_ms, *each.partition, each.committed) for each in history.commits],
    )
    yield (
        "generations",
        [(at_ms, event.generation, _printed(event.assignment or {})) for at_ms, event in stored],
        [(e.at_ms, e.detail["generation"], e.detail["assignment"]) for e in said if e.kind == "stored_assignment"],
    )
    yield (
        "leaders",
        [(event.generation, event.leader) for _, event in stored],
        [(e.detail["generation"], e.detail["leader"]) for e in said if e.kind == "assignment_received"],
    )


def _of_consumer_group(own: Sequence[Timed], history: GroupHistory, names: Mapping[str, str]) -> Iterator[Compared]:
    said = history.ledger.said
    epochs, taken, gone = list[Any](), list[Any](), list[Any]()
    for at_ms, event in own:
        match event:
            case k.GroupEpochBumped():
                epochs.append((at_ms, event.epoch))
            case k.MemberReconciled():
                state, held = str(event.state), (_held(event.assigned), _held(event.pending))
                taken.append((at_ms, event.member, event.epoch, event.previous_epoch, state, *held))
            case k.ConsumerMemberRemoved():
                gone.append((at_ms, event.member))
            case k.StaticMemberReplaced():
                known = [each for each in taken if each[1] == event.old][-1:]
                for _, _, _, _, state, assigned, pending in known:
                    taken.append((at_ms, event.member, 0, 0, state, assigned, pending))
    yield "epochs", epochs, [(e.at_ms, e.detail["epoch"]) for e in said if e.kind == "group_epoch_bumped"]
    yield (
        "targets",
        list(_targets(own)),
        [
            (e.at_ms, e.detail["epoch"], {m: _named(t, names) for m, t in e.detail["targets"].items() if t})  # type: ignore[attr-defined]
            for e in said
            if e.kind == "target_assignment"
        ],
    )
    yield (
        "steps of members",
        taken,
        [
            (
                e.at_ms,
                e.member,
                *(e.detail[name] for name in ("epoch", "previous", "state")),
                *(_named(e.detail[name], names) for name in ("assigned", "pending")),
            )
            for e in said
            if e.kind == "member_reconciled"
        ],
    )
    if taken:
        yield "members that are gone", gone, [(e.at_ms, e.member) for e in said if e.kind == "member_gone"]


def _targets(own: Sequence[Timed]) -> Iterator[tuple[int, int, dict[str, list[str]]]]:
    targets = dict[str, list[str]]()
    for at_ms, event in own:
        match event:
            case k.TargetComputed():
                targets |= {member: sorted(map(str, found)) for member, found in event.changed.items()}
                yield at_ms, event.epoch, {member: found for member, found in sorted(targets.items()) if found}
            case k.ConsumerMemberRemoved():
                targets.pop(event.member, None)
            case k.StaticMemberReplaced() if event.old in targets:
                targets[event.member] = targets.pop(event.old)


def _owners_differ(own: Sequence[Timed], history: GroupHistory) -> Iterator[str]:
    """Each member of a generation has what it was given, and of the rest only what nobody was."""
    for at_ms, event in own:
        plan = event.assignment or {} if isinstance(event, c.AssignmentStored) else {}
        given = {partition for partitions in plan.values() for partition in partitions}
        for member, partitions in plan.items():
            views = [each for each in history.ledger.memberships[member].views if each.at_ms <= at_ms]
            had = views[-1].partitions if views else frozenset()
            if had & given != {*partitions}:
                yield f"at {at_ms}: {member} has {sorted(had)}, was given {sorted(partitions)}"


def _held(held: Held) -> list[str]:
    return sorted(f"{topic}-{number}" for topic, number, _ in held)


def _named(found: object, names: Mapping[str, str]) -> list[str]:
    """Printed partitions, ids of topics that nothing names in the records being names, in order."""
    partitions = [str(each).rpartition("-") for each in found] if isinstance(found, list) else []
    return sorted(f"{names.get(topic, topic)}-{number}" for topic, _, number in partitions)


def _printed(plan: dict[str, Partitions]) -> dict[str, list[str]]:
    return {member: [str(partition) for partition in sorted(plan[member])] for member in sorted(plan)}
