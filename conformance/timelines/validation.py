"""Whether recorded actions can have happened: only a running member is closed, no topic shrinks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from groupsim.conformance.timelines.recording import (
    ADD_PARTITIONS,
    CREATE_TOPIC,
    ON_MEMBERS,
    Action,
    MemberAction,
    Recording,
)
from groupsim.events.errors import GroupSimError


class ProcessState(StrEnum):
    """The state of a member's process."""

    RUNNING = "running"
    FROZEN = "stopped"
    ENDED = "ended"


RUNNING, FROZEN, ENDED = ProcessState
NEEDS: dict[str, tuple[tuple[ProcessState | None, ...], str]] = {
    MemberAction.START: ((None, ENDED), "runs already"),
    MemberAction.CLOSE: ((RUNNING, FROZEN), "does not run"),
    MemberAction.KILL: ((RUNNING, FROZEN, ENDED), "was never started"),  # it may still be closing
    MemberAction.STOP: ((RUNNING,), "does not run"),
    MemberAction.CONT: ((FROZEN,), "is not stopped"),
    MemberAction.SLOW_BATCH: ((RUNNING, FROZEN), "does not run"),
    MemberAction.SUBSCRIBE: ((RUNNING, FROZEN), "does not run"),
}
"""By action: the states that a process may be in, and what is wrong in any other state."""
AFTER: dict[str, ProcessState] = {
    MemberAction.START: RUNNING,
    MemberAction.CLOSE: ENDED,
    MemberAction.KILL: ENDED,
    MemberAction.STOP: FROZEN,
    MemberAction.CONT: RUNNING,
}


class Contradiction(GroupSimError):
    """Actions that contradict each other."""


def check(recorded: Recording) -> None:
    """Raises Contradiction, naming the action and its time."""
    ordered = sorted(recorded.actions, key=lambda a: a.at_ms)
    for action in ordered:
        if action.at_ms > recorded.end_ms:
            raise Contradiction(
                f"action {action.kind!r} at {action.at_ms} ms comes after the run's end ({recorded.end_ms} ms)"
            )
    _check_members(a for a in ordered if a.kind in ON_MEMBERS)
    for action in ordered:
        if action.kind == CREATE_TOPIC and action.what["topic"] in recorded.topics:
            raise Contradiction(f"action {action.kind!r} at {action.at_ms} ms: {action.what['topic']} exists already")
    _check_topics((a for a in ordered if a.kind == ADD_PARTITIONS), recorded.topics)


def _check_members(actions: Iterable[Action]) -> None:
    states: dict[str, ProcessState] = {}
    for action in actions:
        member = action.member or ""
        allowed, wrong = NEEDS[action.kind]
        if states.get(member) not in allowed:
            raise Contradiction(f"action {action.kind!r} at {action.at_ms} ms: {member} {wrong}")
        states[member] = AFTER.get(action.kind, states.get(member, ENDED))


def _check_topics(actions: Iterable[Action], counts: Mapping[str, int]) -> None:
    known = dict(counts)
    for action in actions:
        topic, partitions = action.what["topic"], action.what.get("partitions")
        if not isinstance(partitions, int) or partitions <= known[topic]:
            raise Contradiction(
                f"action {action.kind!r} at {action.at_ms} ms: {topic} has {known[topic]} partitions and "
                f"can only grow, not to {partitions!r}"
            )
        known[topic] = partitions
