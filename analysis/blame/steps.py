"""One step of a member in a rebalance, and what the values of the column `step` of `run.critical_paths()` mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from groupsim.analysis.timelines.process_timeline import Activity


class Wait(StrEnum):
    """Steps that are no activity of the member: it waits for the coordinator, or nothing is known of it."""

    DELAY = "delay"
    WAIT = "wait"
    ANSWERED = "answered"
    TARGET = "target"
    HEARTBEAT = "heartbeat"
    UNKNOWN = "unknown"


STEPS: dict[str, str] = {
    Activity.STARTING: "the process starts and looks for the coordinator",
    Activity.AWAITING_HEARTBEAT: "it does not know of the rebalance, or of what it gets: it learns that at a heartbeat",
    Activity.POLL: "it knows of the rebalance, and its application has not polled yet",
    Activity.COMMIT: "it commits before it revokes",
    Activity.CALLBACK: "a rebalance listener runs",
    Activity.JOIN: "its JoinGroup is on its way",
    Wait.WAIT: "its JoinGroup has arrived; it waits for the others",
    Wait.ANSWERED: "its JoinGroup is answered: the answer is on its way, or waits for the application to poll",
    Activity.ASSIGN: "it has received the answer; a leader computes the assignment",
    Activity.SYNC: "its SyncGroup is on its way, or waits for the leader's",
    Activity.RETRY: "its request failed; it waits before it retries",
    Activity.SEEKING: "it looks for the coordinator",
    Activity.FROZEN: "the process is frozen",
    Activity.CUT: "it is cut off from the coordinator",
    Activity.CLOSING: "it is closing",
    Activity.FAILED: "a fatal error was raised",
    Activity.DEAD: "the process is dead",
    Activity.NOT_STARTED: "the process has not started yet",
    Wait.DELAY: "the initial rebalance delay (no member is waited for)",
    Wait.TARGET: "the target is computed at the next heartbeat of any member, after the assignment interval",
    Wait.HEARTBEAT: "its heartbeat is on its way, or the answer to it",
    Wait.UNKNOWN: "its log does not say, or there is none",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One action of one member in one rebalance; `analysis.tables.columns.CRITICAL_PATHS` documents the fields."""

    group: str
    generation: int | None
    round: int
    member: str | None
    step: Activity | Wait
    kind: str | None
    from_ms: int
    to_ms: int
    critical: bool = False
    saved_ms: int | None = None

    @property
    def duration_ms(self) -> int:
        """Length in milliseconds."""
        return self.to_ms - self.from_ms


def with_saving(steps: list[Step], saved_ms: int | None) -> Iterator[Step]:
    """The last critical step gets what would have been saved."""
    last = max((n for n, step in enumerate(steps) if step.critical), default=None)
    for n, step in enumerate(steps):
        yield replace(step, saved_ms=saved_ms) if n == last else step
