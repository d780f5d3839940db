"""Whether a recorded story can have happened: nobody is closed who does not run, no topic shrinks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.conformance.timelines.recording import ADD_PARTITIONS, ON_MEMBERS, Action, Recording
from groupsim.events.errors import GroupSimError

RUNNING, FROZEN, ENDED = "running", "stopped", "ended"
NEEDS: dict[str, tuple[tuple[str | None, ...], str]] = {
    "start": ((None, ENDED), "runs already"),
    "close": ((RUNNING, FROZEN), "does not run"),
    "kill": ((RUNNING, FROZEN, ENDED), "was never started"),  # it may still be closing
    "stop": ((RUNNING,), "does not run"),
    "cont": ((FROZEN,), "is not stopped"),
    "slow_batch": ((RUNNING, FROZEN), "does not run"),
    "subscribe": ((RUNNING, FROZEN), "does not run"),
}
"""By action: the states a process may be in, and what is wrong where it is in another."""
AFTER = {"start": RUNNING, "close": ENDED, "kill": ENDED, "stop": FROZEN, "cont": RUNNING}


class Implausible(GroupSimError):
    """Actions that contradict each other."""


def check(recorded: Recording) -> None:
    """Raises Implausible, naming the action and its time."""
    ordered = sorted(recorded.actions, key=lambda a: a.at_ms)
    for action in ordered:
        if action.at_ms > recorded.end_ms:
            raise Implausible(
                f"action {action.kind!r} at {action.at_ms} ms comes after the run's end ({recorded.end_ms} ms)"
            )
    _check_members(a for a in ordered if a.kind in ON_MEMBERS)
    _check_topics((a for a in ordered if a.kind == ADD_PARTITIONS), recorded.topics)


def _check_members(actions: Iterable[Action]) -> None:
    states: dict[str, str] = {}
    for action in actions:
        member = action.member or ""
        allowed, wrong = NEEDS[action.kind]
        if states.get(member) not in allowed:
            raise Implausible(f"action {action.kind!r} at {action.at_ms} ms: {member} {wrong}")
        states[member] = AFTER.get(action.kind, states.get(member, ENDED))


def _check_topics(actions: Iterable[Action], counts: Mapping[str, int]) -> None:
    known = dict(counts)
    for action in actions:
        topic, partitions = action.what["topic"], action.what.get("partitions")
        if not isinstance(partitions, int) or partitions <= known[topic]:
            raise Implausible(
                f"action {action.kind!r} at {action.at_ms} ms: {topic} has {known[topic]} partitions and "
                f"can only grow, not to {partitions!r}"
            )
        known[topic] = partitions
