"""What a broker's log and the clients of a recording say of generations, epochs, members, assignments: to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.typed_fields import partitions_in
from groupsim.incidents.offsets_topic.history import GroupHistory

_PRESENCE = frozenset(["member_gone", "member_joined"])
_CLOCKS_MS, _SOON_MS = 5, 1_500
_JOINED = frozenset(["member_joined", "static_joined", "static_rejoined"])


def differences(history: GroupHistory, record: Mapping[str, Any], began: int, until: int) -> Iterator[str]:
    """Sentences on where the topic and the recording differ; steps after `until` are not looked at."""
    said = [each for each in history.ledger.said if each.at_ms <= until]
    broker = record["broker"]
    led = {e["generation"]: e.get("member_id") for e in broker if e["kind"] == "assignment_received"}
    theirs = {e["generation"]: (e["n_members"], led[e["generation"]]) for e in broker if _complete(e, led)}
    sizes = {e.detail["generation"]: e.detail["members"] for e in said if e.kind == "stabilized"}
    leaders = {e.detail["generation"]: e.detail.get("leader") for e in said if e.kind == "assignment_received"}
    ours = {generation: (sizes[generation], leaders.get(generation)) for generation in sizes}
    if theirs != ours:
        yield f"generations, members and leaders: {theirs} in the log, {ours} here"
    for kind, here in (("epoch_bumped", "group_epoch_bumped"), ("target_computed", "target_assignment")):
        printed = {e["generation"] for e in broker if e["kind"] == kind}
        written = {e.detail["epoch"] for e in said if e.kind == here}
        if printed != written:
            yield f"{kind}: {printed} in the log, {written} here"
    joined = {e["member_id"] for e in broker if e["kind"] in _JOINED}
    memberships = {m for m, membership in history.ledger.memberships.items() if membership.since_ms <= until}
    if joined - memberships or memberships - set(record["member_ids"]):
        yield f"members {sorted(joined ^ memberships)} are only in one of them"
    yield from _assignments(history, record, began)


def table_differences(logs: Sequence[Rebalance], both: Sequence[Rebalance]) -> Iterator[str]:
    """Sentences on where the rebalances of logs and of the topic beside them differ, from their own runs' start.

    How long a rebalance of a consumer group takes is exact in the topic: logs show it only by the members' own words.
    """
    numbers, ours = ([(each.generation, each.by_epoch) for each in found] for found in (logs, both))
    if numbers != ours:
        yield f"rebalances: {numbers} by the logs, {ours} with the topic"
        return
    for one, other in zip(logs, both, strict=True):
        if one.cause != other.cause:
            yield f"cause of {one.generation}: {one.cause} by the logs, {other.cause} with the topic"
        if not one.by_epoch and (one.duration_ms, one.members) != (other.duration_ms, other.members):
            yield (
                f"length and members of {one.generation}: {one.duration_ms} ms, {one.members} by the logs,"
                f" {other.duration_ms} ms, {other.members} with the topic"
            )
        if one.duration_ms is not None and other.duration_ms is None:
            yield f"length of {one.generation}: {one.duration_ms} ms by the logs, unknown with the topic"


def _complete(event: Mapping[str, Any], led: Mapping[int, object]) -> bool:
    """A generation whose assignment was received: of others nothing is written."""
    return event["kind"] == "join_completed" and event["generation"] in led


def _assignments(history: GroupHistory, record: Mapping[str, Any], began: int) -> Iterator[str]:
    """What a member's own listener was given has to be what the topic says.

    In a classic generation exactly that; in a consumer group, where it follows its target in steps of its own, all that
    it has must have been given to it.
    """
    plans: dict[tuple[str, int], tuple[int, set[TopicPartition]]] = {}
    for said in history.ledger.said:
        assignment, generation = said.detail.get("assignment"), said.detail.get("generation")
        if said.kind == "stored_assignment" and isinstance(assignment, dict) and isinstance(generation, int):
            for member, names in assignment.items():
                plans[member, generation] = said.at_ms, set(partitions_in(names))
    had: dict[str, set[TopicPartition]] = {}
    for event in record["events"]:
        member, at_ms = event.get("member_id"), began + event["t_ms"]
        partitions = {TopicPartition(*each) for each in event.get("partitions") or ()}
        if member and event["kind"] in ("revoked", "lost"):
            had[member] = had.get(member, set()) - partitions
        if not member or event["kind"] != "assigned" or member not in history.ledger.memberships:
            continue
        had[member] = had.get(member, set()) | partitions
        steps = [s for s in history.ledger.said if s.at_ms <= at_ms + _CLOCKS_MS]
        own = [s.kind for s in steps if s.member == member and s.kind in _PRESENCE and s.at_ms <= at_ms]
        if own[-1:] == ["member_gone"]:
            continue  # it does not know yet
        bumped = max((s.at_ms for s in steps if s.kind == "group_epoch_bumped"), default=0)
        stored_ms, plan = plans.get((member, event.get("generation")), (0, set()))
        view = [v.partitions for v in history.ledger.memberships[member].views if v.at_ms <= at_ms + _CLOCKS_MS][-1:]
        if bumped < stored_ms > at_ms - _SOON_MS and had[member] != plan:
            yield f"{member}: {len(had[member])} partitions at {event['t_ms']} ms, {len(plan)} here"
        elif not view or had[member] - view[0]:
            yield f"{member}: {len(had[member])} partitions at {event['t_ms']} ms, of which it was not given all"
