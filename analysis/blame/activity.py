"""What a consumer process is doing at every instant, as far as its own facts tell: what a rebalance waits for.

One timeline a process, made of these words; `CONFIGURATION` says what each one's length depends on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from groupsim.events import client as c
from groupsim.events import network
from groupsim.events.base import Event
from groupsim.events.types import ProcessId

STARTING = "starting"
AWAITING_HEARTBEAT = "unaware"
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
NOT_STARTED = "unborn"

CONFIGURATION: dict[str, str] = {
    STARTING: "network",
    AWAITING_HEARTBEAT: "heartbeat.interval.ms",
    POLL: "poll gap",
    COMMIT: "commit",
    CALLBACK: "callback",
    JOIN: "network",
    ASSIGN: "assignor",
    SYNC: "network",
    RETRY: "retry.backoff.ms",
    SEEKING: "network",
    FROZEN: "freeze",
    CUT: "network",
    DEAD: "session.timeout.ms",
}
"""What decides how long a process stays in each condition: a setting by Kafka's name, or a property of the application,
its machine or the network in plain words. None for the others: nothing shortens them."""

BROKER = "broker"


@dataclass(slots=True)
class Activity:
    """One process's timeline: from `at_ms[i]` on it does `what[i]`; in callbacks `kinds[i]` is the listener's kind.

    `expired_ms`: when it passed max.poll.interval.ms. `cooperative`: it goes on with what it has during a rebalance.
    """

    process: ProcessId
    at_ms: list[int] = field(default_factory=list)
    what: list[str] = field(default_factory=list)
    kinds: list[str | None] = field(default_factory=list)
    tells_rejoins: bool = False
    cooperative: bool = False
    expired_ms: list[int] = field(default_factory=list)
    _now: str = STARTING
    _must_join: bool = False
    _granted: bool = False
    _seeking: bool = False
    _callback: str | None = None
    _frozen: bool = False
    _cut: bool = False
    _pending: bool = False
    _over: str | None = None

    def apply(self, event: Event, at_ms: int) -> None:
        """Take notice of one fact of the process, or of a link of its."""
        if isinstance(event, c.PollExpired):
            self.expired_ms.append(at_ms)
        self._hold(event)
        self._turn(event)
        what = self._condition()
        kind = self._callback if what == CALLBACK else None
        if self.at_ms and self.at_ms[-1] == at_ms:  # what lasted no time is not told
            self.at_ms.pop(), self.what.pop(), self.kinds.pop()
        if not self.what or (self.what[-1], self.kinds[-1]) != (what, kind):
            self.at_ms.append(at_ms)
            self.what.append(what)
            self.kinds.append(kind)

    @property
    def now(self) -> str:
        """What it is doing after the last fact."""
        return self.what[-1] if self.what else NOT_STARTED

    def _condition(self) -> str:
        if self._over is not None:
            return self._over
        if self._frozen:
            return FROZEN
        if self._callback is not None:
            return CALLBACK
        if self._pending:
            return COMMIT
        now = self._now
        if self._cut and now != ASSIGN and not (now == AWAITING_HEARTBEAT and self._must_join):
            return CUT
        if self._seeking and now in (AWAITING_HEARTBEAT, RETRY):
            return SEEKING
        if now == AWAITING_HEARTBEAT and (self._must_join or self._granted):
            return POLL
        return now

    def _hold(self, event: Event) -> None:
        match event:
            case c.ProcessStarted():
                self._over = None
            case c.Crashed() | c.Closed():
                self._over = DEAD
            case c.CloseStarted():
                self._over = CLOSING
            case c.Failed():
                self._over = FAILED
            case c.Frozen():
                self._frozen = True
            case c.Thawed():
                self._frozen = False
            case c.RevocationPending():
                self._pending = True
            case c.CallbackStart():
                self._callback, self._pending = event.kind, False
            case c.CallbackEnd():
                self._callback = None
            case network.LinkCut():
                self._cut = True
            case network.LinkHealed():
                self._cut = False

    def _turn(self, event: Event) -> None:
        match event:
            case c.ProcessStarted():
                self._now = STARTING
            case c.ProtocolSelected():
                self.cooperative = event.protocol == "COOPERATIVE"
            case c.RejoinRequested():
                self.tells_rejoins = self._must_join = True
                if self._now != RETRY:
                    self._now = AWAITING_HEARTBEAT
            case c.PollExpired():
                self._must_join, self._now = True, AWAITING_HEARTBEAT
            case c.RequestFailed() if event.api in ("JoinGroup", "SyncGroup", "assignor"):
                self._now = RETRY
            case c.CoordinatorLost():
                self._seeking = True
            case c.CoordinatorFound():
                self._seeking = False
            case c.JoinSent():
                self._now, self._must_join, self._granted, self._pending = JOIN, False, False, False
            case c.JoinOk():
                self._now = ASSIGN
            case c.SyncSent():
                self._now = SYNC
            case c.SyncOk():
                self._now, self._granted = AWAITING_HEARTBEAT, True
            case c.CallbackStart() if event.kind == "assigned":
                self._granted = False
            case c.ViewChanged() if event.partitions:
                self._granted = False

    def during(self, from_ms: int, to_ms: int) -> Iterator[tuple[int, int, str, str | None]]:
        """The stretches of [from_ms, to_ms) as (from, to, what, listener's kind), without gaps."""
        i = bisect_right(self.at_ms, from_ms) - 1
        at = from_ms
        while at < to_ms:
            until = self.at_ms[i + 1] if i + 1 < len(self.at_ms) else to_ms
            what, kind = (self.what[i], self.kinds[i]) if i >= 0 else (NOT_STARTED, None)
            yield at, min(until, to_ms), what, kind
            at, i = min(until, to_ms), i + 1

    def until(self, what: str, from_ms: int, to_ms: int) -> int:
        """Until when the process goes on with `what` from `from_ms` on; `from_ms` if it is doing something else."""
        _, end, doing, _ = next(self.during(from_ms, to_ms), (0, from_ms, "", None))
        return end if doing == what else from_ms
