"""What a consumer process is doing at every instant, as far as its own facts say. A rebalance waits for one of these.

`CONFIGURATION` says what the length of each activity depends on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from groupsim.events import client as c
from groupsim.events import network
from groupsim.events.base import Event
from groupsim.events.types import ProcessId


class Activity(StrEnum):
    """What a process is doing; the values are those of the column `step` of `run.critical_paths()`."""

    STARTING = "starting"
    AWAITING_HEARTBEAT = "awaiting-heartbeat"
    POLL = "poll"
    COMMIT = "commit"
    CALLBACK = "callback"
    JOIN = "join"
    ASSIGN = "assign"
    SYNC = "sync"
    RETRY = "retry"
    SEEKING = "seeking"
    FROZEN = "frozen"
    CUT = "cut"
    CLOSING = "closing"
    FAILED = "failed"
    DEAD = "dead"
    NOT_STARTED = "not-started"


CONFIGURATION: dict[Activity, str] = {
    Activity.STARTING: "network",
    Activity.AWAITING_HEARTBEAT: "heartbeat.interval.ms",
    Activity.POLL: "poll gap",
    Activity.COMMIT: "commit",
    Activity.CALLBACK: "callback",
    Activity.JOIN: "network",
    Activity.ASSIGN: "assignor",
    Activity.SYNC: "network",
    Activity.RETRY: "retry.backoff.ms",
    Activity.SEEKING: "network",
    Activity.FROZEN: "freeze",
    Activity.CUT: "network",
    Activity.DEAD: "session.timeout.ms",
}
"""What decides how long a process stays in each activity: a setting by Kafka's name, or a property of the application,
its machine or the network in plain words. Activities that nothing shortens are missing."""

BROKER = "broker"
_POLLS_NEXT = frozenset({c.MemberPhase.RECONCILING, c.MemberPhase.FENCED, c.MemberPhase.STALE})
"""A native member's application has to poll for its next step."""
_NATIVE = {
    Activity.AWAITING_HEARTBEAT: "group.consumer.heartbeat.interval.ms",
    Activity.DEAD: "group.consumer.session.timeout.ms",
}
"""What decides instead where a member speaks the consumer protocol."""


BY_THE_TOPIC = (c.ProcessStarted, c.SyncOk, c.ViewChanged)
"""All that an import of `__consumer_offsets` says of a process without a log."""


class ActivitySpan(NamedTuple):
    """A process does one thing from `from_ms` to `to_ms`; in a callback `callback_kind` is the listener's kind."""

    from_ms: int
    to_ms: int
    activity: Activity
    callback_kind: str | None = None


@dataclass(slots=True)
class ProcessTimeline:
    """The activities of one process: from `at_ms[i]` on it does `activities[i]` (in a callback of `callback_kinds[i]`).

    `poll_expired_ms`: when it passed max.poll.interval.ms. `cooperative`: it keeps its partitions during a rebalance.
    `native`: it speaks the consumer protocol, or `streams`, that of streams groups. `logs_rejoins`: its log says when
    it learns that it must rejoin. `has_log`: it says something that `__consumer_offsets` does not.
    """

    process: ProcessId
    at_ms: list[int] = field(default_factory=list)
    activities: list[Activity] = field(default_factory=list)
    callback_kinds: list[str | None] = field(default_factory=list)
    logs_rejoins: bool = False
    has_log: bool = False
    cooperative: bool = False
    native: bool = False
    streams: bool = False
    poll_expired_ms: list[int] = field(default_factory=list)
    _step: Activity = Activity.STARTING
    _must_join: bool = False
    _assigned: bool = False
    _seeking: bool = False
    _callback: str | None = None
    _frozen: bool = False
    _cut: bool = False
    _commits_before_revoking: bool = False
    _ended: Activity | None = None

    def apply(self, event: Event, at_ms: int) -> None:
        """Fold one fact of the process, or of its link to the coordinator."""
        self.has_log |= not isinstance(event, BY_THE_TOPIC)
        if isinstance(event, c.PollExpired):
            self.poll_expired_ms.append(at_ms)
        self._apply_interruption(event)
        self._apply_membership(event)
        activity = self._activity()
        kind = self._callback if activity == Activity.CALLBACK else None
        if self.at_ms and self.at_ms[-1] == at_ms:  # an activity of 0 ms is left out
            for column in (self.at_ms, self.activities, self.callback_kinds):
                column.pop()
        if not self.activities or (self.activities[-1], self.callback_kinds[-1]) != (activity, kind):
            self.at_ms.append(at_ms)
            self.activities.append(activity)
            self.callback_kinds.append(kind)

    def configuration(self, activity: Activity) -> str | None:
        """What decides how long the process stays in this activity; None where nothing shortens it."""
        return (self.native and _NATIVE.get(activity)) or CONFIGURATION.get(activity)

    def at(self, at_ms: int) -> Activity:
        """What it is doing at an instant."""
        place = bisect_right(self.at_ms, at_ms) - 1
        return self.activities[place] if place >= 0 else Activity.NOT_STARTED

    @property
    def now(self) -> Activity:
        """What it is doing after the last fact."""
        return self.activities[-1] if self.activities else Activity.NOT_STARTED

    def _activity(self) -> Activity:
        if self._ended is not None:
            return self._ended
        if self._frozen:
            return Activity.FROZEN
        if self._callback is not None:
            return Activity.CALLBACK
        if self._commits_before_revoking:
            return Activity.COMMIT
        step = self._step
        if self._cut and step != Activity.ASSIGN and not (step == Activity.AWAITING_HEARTBEAT and self._must_join):
            return Activity.CUT
        if self._seeking and step in (Activity.AWAITING_HEARTBEAT, Activity.RETRY):
            return Activity.SEEKING
        if step == Activity.AWAITING_HEARTBEAT and (self._must_join or self._assigned):
            return Activity.POLL
        return step

    def _apply_interruption(self, event: Event) -> None:
        """Facts of what goes before every step of the membership."""
        match event:
            case c.ProcessStarted():
                self._ended = None
            case c.Crashed() | c.Closed():
                self._ended = Activity.DEAD
            case c.CloseStarted():
                self._ended = Activity.CLOSING
            case c.Failed():
                self._ended = Activity.FAILED
            case c.Frozen():
                self._frozen = True
            case c.Thawed():
                self._frozen = False
            case c.RevocationPending():
                self._commits_before_revoking = not self.native  # a native member has committed before
            case c.CallbackStart():
                self._callback, self._commits_before_revoking = event.kind, False
            case c.CallbackEnd():
                self._callback = None
            case network.LinkCut():
                self._cut = True
            case network.LinkHealed():
                self._cut = False

    def _apply_membership(self, event: Event) -> None:
        match event:
            case c.ProcessStarted():
                self._step = Activity.STARTING
                self.streams = event.config.get("group.protocol") == "streams"
            case c.ProtocolSelected():
                self.cooperative, self.native = event.protocol == "COOPERATIVE", event.protocol == "CONSUMER"
            case c.EpochReceived():
                self._step, self.native = Activity.AWAITING_HEARTBEAT, True
            case c.TargetReceived():  # logs of members do not name their protocol
                self.native = True
            case c.StateChanged() if self.native:
                self._assigned = event.state in _POLLS_NEXT
            case c.RejoinRequested():
                self.logs_rejoins = self._must_join = True
                if self._step != Activity.RETRY:
                    self._step = Activity.AWAITING_HEARTBEAT
            case c.PollExpired():
                self._must_join, self._step = True, Activity.AWAITING_HEARTBEAT
            case c.RequestFailed() if event.api in ("JoinGroup", "SyncGroup", "assignor"):
                self._step = Activity.RETRY
            case c.CoordinatorLost():
                self._seeking = True
            case c.CoordinatorFound():
                self._seeking = False
            case c.JoinSent():
                self._step = Activity.JOIN
                self._must_join = self._assigned = self._commits_before_revoking = False
            case c.JoinOk():
                self._step = Activity.ASSIGN
            case c.SyncSent():
                self._step = Activity.SYNC
            case c.SyncOk():
                self._step, self._assigned = Activity.AWAITING_HEARTBEAT, True
            case c.CallbackStart() if event.kind == c.CallbackKind.ASSIGNED and not self.native:
                self._assigned = False
            case c.ViewChanged() if event.partitions and not self.native:
                self._assigned = False

    def during(self, from_ms: int, to_ms: int) -> Iterator[ActivitySpan]:
        """The activities of [from_ms, to_ms), without gaps."""
        i = bisect_right(self.at_ms, from_ms) - 1
        at = from_ms
        while at < to_ms:
            until = min(self.at_ms[i + 1], to_ms) if i + 1 < len(self.at_ms) else to_ms
            if i >= 0:
                yield ActivitySpan(at, until, self.activities[i], self.callback_kinds[i])
            else:
                yield ActivitySpan(at, until, Activity.NOT_STARTED)
            at, i = until, i + 1

    def end_of(self, activity: Activity, from_ms: int, to_ms: int) -> int:
        """When the `activity` of `from_ms` ends; `from_ms` if the process is doing something else then."""
        first = next(self.during(from_ms, to_ms), None)
        return first.to_ms if first is not None and first.activity == activity else from_ms
