"""When an application was late to poll: how long it did not notice what its heartbeat thread knew, or what waited.

The heartbeat thread of a consumer hears that the group rebalances; the application takes part at its next poll. In a
cooperative rebalance it works on while JoinGroup is in flight, and reads the answer at its next poll, too. With the
consumer protocol each step of a reconciliation waits for a poll: to begin it, and to call the listener.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.client import MemberPhase
from groupsim.events.types import ProcessId, RejoinCause
from groupsim.simulation.clients.config import LIBRDKAFKA

_FIRST_RECORDS_MS = 150
"""After an assignment a poll waits about so long for the first records, and notices a rebalance at once."""


_STEP_MS = 500
"""With the consumer protocol (Java), a poll that waits for records, and the library's thread, delay a step so long."""


class PollWait(NamedTuple):
    """The application could have noticed something from `heard_ms` on, and did at `noticed_ms`.

    `polled_ms`: when it was last seen inside poll() before, with partitions; None: not known. `answered`: it could have
    read the answer to its JoinGroup; else it could have taken part in a rebalance that its heartbeat thread heard of.
    `heard_within_ms`: that was up to so much later, which no log shows. `commits`: before it joins it may commit, and
    work on one more batch until it reads the answer.
    """

    polled_ms: int | None
    heard_ms: int
    noticed_ms: int
    answered: bool = False
    heard_within_ms: int = 0
    commits: bool = False

    @property
    def wait_ms(self) -> int:
        """How long it did not notice."""
        return max(0, self.noticed_ms - self.heard_ms)


class Polls(NamedTuple):
    """What the record shows of one process's polls.

    `waits`, in order. `commits_sync`: whether it waits for a commit after each batch, so that the answer to JoinGroup
    is read there and SyncGroup's before the next poll; None: not known. `commits_first`: a library's automatic commit
    comes before it takes part in a rebalance.
    """

    waits: tuple[PollWait, ...] = ()
    commits_sync: bool | None = None
    commits_first: bool = True


def polls_of(facts: Iterable[Recorded], group: str) -> dict[ProcessId, Polls]:
    """What a record shows of the polls of each process of a group that has a log."""
    folds: dict[ProcessId, _PollFold] = {}
    completed: dict[int, int] = {}
    for fact in facts:
        event = fact.event
        if isinstance(event, c.JoinPhaseCompleted) and fact.stream == group_stream(group):
            completed[event.generation] = fact.at_ms
        elif isinstance(event, p.ClientEvent) and group_of(fact.stream) == group:
            folds.setdefault(event.process, _PollFold(completed)).apply(event, fact.at_ms)
    return {process: fold.polls for process, fold in folds.items()}


class _PollFold:
    """Folds the facts of one process.

    `_polled_ms`: when it was last inside poll(); `_heard_ms`: since when it could notice something that it has not
    noticed yet; `_joining_ms`: when it sent a JoinGroup whose answer it has not read; `_late_answer`: when it read an
    answer late, and how late.
    """

    def __init__(self, completed: Mapping[int, int]) -> None:
        self._completed = completed
        self._waits: list[PollWait] = []
        self._holds = self._native = False
        self._by_library = False
        self._polled_ms: int | None = None
        self._assigned_ms: int | None = None
        self._heard_ms: int | None = None
        self._joining_ms: int | None = None
        self._callback_ms: int | None = None
        self._late_answer: tuple[int, int] | None = None
        self._sync_commits: list[bool] = []
        self._auto_commit: bool | None = None

    @property
    def polls(self) -> Polls:
        """What was seen of it."""
        votes = self._sync_commits
        seen = 2 * sum(votes) > len(votes) if votes else None
        sync = seen if self._auto_commit is None else not self._auto_commit
        waits = [wait._replace(commits=wait.commits and not sync) for wait in self._waits]
        return Polls(tuple(waits), sync, not (self._by_library or self._native))

    def apply(self, event: p.ClientEvent, at: int) -> None:
        """Fold one fact."""
        match event:
            case p.ProcessStarted():
                self._by_library = event.library == LIBRDKAFKA
                auto = event.config.get("enable.auto.commit")
                self._auto_commit = auto if isinstance(auto, bool) else None
            case p.ViewChanged(partitions=partitions):
                self._holds = bool(partitions)
            case p.RejoinRequested(cause=RejoinCause.GROUP_REBALANCING) if self._holds and self._joining_ms is None:
                self._heard_ms = at if self._heard_ms is None else self._heard_ms
            case p.StateChanged(state=MemberPhase.RECONCILING | MemberPhase.FENCED) if self._holds:
                self._native, self._heard_ms = True, at
            case p.TargetReceived() if self._native and self._heard_ms is not None:
                if at - self._heard_ms > _STEP_MS:  # else the library may have begun without a poll, as in Kafka 4.0
                    self._notice(at, keeps=True)
                self._heard_ms = at
            case p.CallbackStart():
                self._notice(at)
                self._callback_ms = at
            case p.CallbackEnd():
                self._returned(at)
            case p.PositionReady() if self._assigned_ms is not None:
                self._polled_ms = self._assigned_ms = at
            case p.JoinSent() if not self._by_library:
                self._notice(at, keeps=self._holds)
                self._joining_ms = at
            case p.JoinSent():  # by librdkafka's own thread: a cooperative member needs no poll to take part
                self._heard_ms = None
            case p.JoinOk(generation=generation) if not self._by_library:
                self._joined(generation, at)
            case p.PollExpired() | p.GenerationReset() | p.CoordinatorLost() | p.Frozen() | p.Thawed() | p.Closed():
                self._forget()
            case _:
                pass

    def _notice(self, at: int, keeps: bool = False) -> None:
        """The application thread is inside poll() now. `keeps`: it joins with its partitions."""
        heard, polled = self._heard_ms, self._polled_ms
        if heard is not None and not self._just_assigned(heard):
            self._waits.append(PollWait(polled, heard, at, False, _STEP_MS * self._native, commits=keeps))
        if self._late_answer is not None:
            answered, late = self._late_answer
            self._late_answer = None
            self._sync_commits.append(at - answered < late / 2)
        self._polled_ms, self._assigned_ms, self._heard_ms = at, None, None

    def _just_assigned(self, heard: int) -> bool:
        """Whether the first poll after an assignment had perhaps not returned yet."""
        return self._assigned_ms is not None and heard - self._assigned_ms < _FIRST_RECORDS_MS

    def _returned(self, at: int) -> None:
        """A callback is over; what was heard meanwhile is noticed in the same poll."""
        if self._heard_ms is not None and self._callback_ms is not None and self._heard_ms >= self._callback_ms:
            self._heard_ms = None
        self._polled_ms = self._assigned_ms = at
        self._callback_ms = None

    def _joined(self, generation: int, at: int) -> None:
        """It has read the answer to JoinGroup: late, if it held partitions and worked on."""
        sent, self._joining_ms = self._joining_ms, None
        if sent is None or not self._holds:
            return
        answered = max(sent, self._completed.get(generation, at))
        if answered <= at:
            wait = PollWait(sent, answered, at, answered=True)
            self._waits.append(wait)
            if wait.wait_ms > _FIRST_RECORDS_MS:
                self._late_answer = at, wait.wait_ms
        self._polled_ms, self._assigned_ms = at, None

    def _forget(self) -> None:
        self._polled_ms = self._assigned_ms = self._heard_ms = self._joining_ms = None
        self._callback_ms = self._late_answer = None
