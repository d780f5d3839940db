"""Latencies put on a simulated network: each message of a member waits as long as real ones were seen to take."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

from groupsim.coordinator.classic.commands import REVOKED, HeartbeatAnswer, Join, JoinAnswer, Sync, SyncAnswer
from groupsim.coordinator.outcome import Error
from groupsim.simulation.latencies import EVENLY, NONE, Drawn, Latencies
from groupsim.simulation.network import PASS, Deliver, Handled, Message
from groupsim.simulation.requests import ToGroup

AT_ONCE_MS = 1
"""A follower's SyncGroup answered within so long has waited for nobody; a leader's always waits for the write."""
POLLS_TOGETHER = 0.5
"""The share of members that poll at the same instants: records that reach all at once cause it (kafka-python)."""
AT_WORK = NormalDist(8.6, 5.7)
"""By how much a heartbeat is later where the application is at work (1,700 of recorded groups, less idle ones)."""
LATE_MS = 500
"""A SyncGroup sent so long after the JoinGroup's answer comes from an application that was at work meanwhile."""
Draw = Callable[[Drawn, str], float]
"""A value of a distribution, from the stream of this name."""


class Delays:
    """A rule for `Network.add_rule`. Each process has its own random streams; its first steps take longer.

    `latencies`: those of a process, which its library decides.
    """

    def __init__(
        self,
        latencies: Callable[[str], Latencies],
        draw: Draw,
        broker: str,
        now: Callable[[], int],
    ) -> None:
        self._latencies = latencies
        self._draw = draw
        self._broker = broker
        self._now = now
        self._joined_ms: dict[str, float] = {}
        self._rounds: dict[str, int] = {}
        self._late: dict[str, bool] = {}
        self._synced_ms: dict[int, float] = {}
        self._done: set[tuple[str, str]] = set()
        self._rejoins: set[str] = set()
        self._constants: dict[tuple[str, str, Drawn], float] = {}

    def __call__(self, message: Message) -> Handled:
        """How much later than at once the message arrives."""
        wait = self.wait_ms(message)
        return Deliver(wait) if wait else PASS

    def wait_ms(self, message: Message) -> int:
        """The same, for `Network.delay`."""
        return round(self._request_delay(message) if message.target == self._broker else self._response_delay(message))

    def heartbeat_late_ms(self, process: str) -> float:
        """How late the next heartbeat of a process is (for `HeartbeatTimers`): mostly what all on a machine share."""
        seen = self._latencies(process)
        return self._steady_ms(process, seen) + self._drawn(seen.hiccup, process, "hiccup")

    def nap_late_ms(self, process: str) -> float:
        """How much longer each nap of its heartbeat thread is until the next heartbeat (for `HeartbeatTimers`)."""
        return self._drawn(self._latencies(process).napping, process, "napping")

    def late_in_all_ms(self, process: str, beats: float, at_work: bool = False) -> float:
        """How late so many heartbeats are, all together: what is steady adds up, the rest is a random walk."""
        seen = self._latencies(process)
        steady = self._steady_ms(process, seen) + seen.hiccup.mean_ms + AT_WORK.mean * at_work
        at = min(max(self._drawn(EVENLY, process, "quiet"), 1e-6), 1 - 1e-6)
        variance = seen.hiccup.variance + AT_WORK.variance * at_work
        return beats * steady + sqrt(beats * variance) * NormalDist().inv_cdf(at)

    def _steady_ms(self, process: str, seen: Latencies) -> float:
        """How late each heartbeat of a process is, mostly as all of its machine."""
        shared, own = self._constant(seen.drift, "machine", "drift"), self._constant(seen.drift, process, "drift")
        return seen.drift_shared * shared + (1 - seen.drift_shared) * own

    def _drawn(self, distribution: Drawn, process: str, what: str) -> float:
        return self._draw(distribution, f"{process}/{what}")

    def _first_or_later(self, first: Drawn, later: Drawn, process: str, what: str) -> float:
        known = (process, what) in self._done
        self._done.add((process, what))
        return self._drawn(later if known else first, process, what)

    def _constant(self, distribution: Drawn, process: str, what: str) -> float:
        """Drawn once for a process."""
        key = (process, what, distribution)
        if key not in self._constants:
            self._constants[key] = self._drawn(distribution, process, what)
        return self._constants[key]

    def _request_delay(self, message: Message) -> float:
        process, seen = message.source, self._latencies(message.source)
        match message.api:
            case "JoinGroup":
                return self._drawn(seen.rejoined if _has_revoked(message) else seen.sent, process, "sent")
            case "LeaveGroup":
                return self._drawn(seen.sent, process, "sent")
            case "SyncGroup":
                wait = self._before_sync(message)
                self._late[process] = self._now() - self._joined_ms.get(process, 0) > LATE_MS
                if not _leads(message):
                    self._synced_ms[message.number] = self._now() + wait
                return wait
        return 0

    def _before_sync(self, message: Message) -> float:
        seen = self._latencies(message.source)
        if _leads(message):
            return self._first_or_later(seen.first_assignor, seen.assignor, message.source, "assignor")
        return self._first_or_later(seen.first_synced, NONE, message.source, "synced")

    def _before_assigned(self, message: Message) -> float:
        """A process's first assignment takes longer, whether it had to wait for it or not; an error is not one."""
        process, seen = message.target, self._latencies(message.target)
        synced_ms = self._synced_ms.pop(message.number, None)
        if not isinstance(message.body, SyncAnswer) or message.body.error is not Error.NONE:
            return self._drawn(seen.joined, process, "refused")
        at_once = synced_ms is not None and self._now() - synced_ms <= AT_ONCE_MS
        if at_once and (process, "told") in self._done:
            return self._drawn(seen.late if self._late.get(process) else seen.at_once, process, "at-once")
        return self._first_or_later(seen.first_assigned, seen.assigned, process, "told")

    def _response_delay(self, message: Message) -> float:
        process, seen = message.target, self._latencies(message.target)
        match message.api:
            case "JoinGroup":
                if not isinstance(message.body, JoinAnswer) or message.body.error is not Error.NONE:
                    return self._drawn(seen.joined, process, "refused")
                self._rounds[process] = self._now()  # the coordinator answers all members of a round at once
                wait = self._first_or_later(seen.first_joined, seen.joined, process, "joined")
                self._joined_ms[process] = self._now() + wait
                return wait
            case "SyncGroup":
                return self._before_assigned(message)
            case "FindCoordinator":
                again = (process, "found") in self._done  # the first time it is a part of the start
                self._done.add((process, "found"))
                return self._drawn(seen.first_joined, process, "found") if again else 0
            case "OffsetFetch":
                return self._first_or_later(seen.first_fetched, seen.fetched, process, "fetched")
            case "ConsumerGroupHeartbeat":
                return self._first_or_later(seen.first_beat, seen.beat, process, "beat")
            case "OffsetCommit":
                return self._committed(process)
            case "Heartbeat" if isinstance(message.body, HeartbeatAnswer):
                return self._notice_delay(process, message.body.error)
        return 0

    def _committed(self, process: str) -> float:
        """The first time that a process commits because it has to rejoin takes longer."""
        seen = self._latencies(process)
        if process not in self._rejoins:
            return self._drawn(seen.committed, process, "committed")
        self._rejoins.discard(process)
        return self._first_or_later(seen.first_committed, seen.committed, process, "committed")

    def _notice_delay(self, process: str, error: Error) -> float:
        every = self._latencies(process).polls_every_ms
        if error is Error.REBALANCE_IN_PROGRESS:
            self._rejoins.add(process)
        if not every or error is not Error.REBALANCE_IN_PROGRESS:
            return 0
        # A join ends within a poll(), and the next one begins then: each round leaves the polls at other instants.
        shares = self._constant(EVENLY, process, "shares") < POLLS_TOGETHER
        who = f"{'machine' if shares else process}@{self._rounds.get(process, 0)}"
        return (self._constant(EVENLY, who, "poll") * every - self._now()) % every


def _has_revoked(message: Message) -> bool:
    """Whether a JoinGroup comes from a cooperative member after its revoked callback."""
    command = message.body.command if isinstance(message.body, ToGroup) else None
    return isinstance(command, Join) and command.reason == REVOKED


def _leads(message: Message) -> bool:
    """Whether a SyncGroup brings the leader's assignment."""
    command = message.body.command if isinstance(message.body, ToGroup) else None
    return isinstance(command, Sync) and bool(command.assignment)
