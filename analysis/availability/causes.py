"""Why a partition is unavailable, in a word or a short chain: `start`, `member-joined`, `crash m2.0 > session-expired`.

A cause is what the group last met: the rebalance that runs or ran last, led by what happened to the member that
started it. It is `start` until the group first worked, or something follows the first assignment: a rebalance, or a
static member's return. It is `group-empty` where a log says of a group first that its last member is gone. After that
come `topics-changed` from the moment at which there are new partitions, and `member-revoked` where a member gives up
partitions before the coordinator hears why. A cooperative follow-up rebalance keeps the cause of the one it completes.
What concerns one owner alone (dead, stalled, a zombie) names that owner's trouble.
"""

from __future__ import annotations

from groupsim.analysis.epoch_causes import EpochCause, EpochCauses
from groupsim.analysis.process_state import Process, Processes
from groupsim.analysis.timelines.rebalance import FOLLOW_UP_CAUSES
from groupsim.events import classic as c
from groupsim.events import consumer
from groupsim.events.base import Event
from groupsim.events.consumer import BumpCause
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied

START = "start"
REVOKED = "member-revoked"
FAILOVER = "coordinator-failover"
NO_BROKER = "no-broker"
EMPTIED = "group-empty"


def of_process(process: Process) -> str | None:
    """The process's own trouble, such as `freeze m2.0`; None if it is in good health."""
    return f"{process.trouble} {process.id}" if process.trouble else None


class Causes:
    """The cause that holds for a whole group; fed with its coordinator's facts."""

    __slots__ = ("_epochs", "_founded", "_removed", "_started", "now")

    def __init__(self) -> None:
        self.now = START
        self._epochs = EpochCauses()
        self._started = False
        self._founded = False
        self._removed: str | None = None

    def apply(self, event: Event, processes: Processes, owed: bool) -> None:
        """Take notice of one fact, before the group's state does. `owed`: a follow-up rebalance is due."""
        grown = self._epochs.apply(event)
        if grown is not None:
            self._epoch_grew(grown, processes)
        match event:
            case GroupCreated():
                self._founded = True
            case c.AssignmentStored():
                self._started = True
            case c.MemberReplaced():  # a static member is back, without a rebalance
                process = processes.of(event.member)
                self._set(f"restart {process.id if process else event.client_host or event.member}")
            case c.MemberRemoved():
                process = processes.of(event.member)
                self._removed = of_process(process) if process else None
            case CoordinatorUnloaded() | CoordinatorLoaded():
                self._set(FAILOVER)
            case c.RebalanceStarted():
                if not self._founded and event.generation > 0:
                    self._started = True  # a log that begins in the middle of the group's life
                if not (owed and event.cause in FOLLOW_UP_CAUSES):
                    self._set(self._chain(event, processes))
                self._removed = None
            case c.JoinPhaseCompleted():
                self._removed = None
            case GroupEmptied():
                self._removed = None
                if not (self._founded or self._started):
                    self._started, self.now = True, EMPTIED
            case consumer.TargetComputed():
                self._started = True
            case consumer.ConsumerMemberRemoved():
                process = processes.of(event.member)
                self._removed = of_process(process) if process else None
            case consumer.StaticMemberReplaced():
                process = processes.of(event.old)
                self._set(f"restart {process.name if process else event.member}")

    def worked(self) -> None:
        """The group works for the first time: what comes next is not its start."""
        self._started = True
        if self.now == START:
            self.now = REVOKED

    def grew(self) -> None:
        """It has partitions from now on that it did not have; no rebalance runs."""
        self._set(BumpCause.TOPICS_CHANGED.value)

    def _chain(self, event: c.RebalanceStarted, processes: Processes) -> str:
        process = processes.of(event.member)
        trouble = self._removed if process is None else of_process(process)
        return _linked(trouble, event.cause, process)

    def _epoch_grew(self, grown: EpochCause, processes: Processes) -> None:
        """A member that is removed, or another reason, makes the epoch of a consumer group grow (KIP-848)."""
        trouble = self._removed if grown.removed else None
        self._set(_linked(trouble, grown.word, processes.of(grown.member)))
        self._removed = None

    def _set(self, cause: str) -> None:
        if self._started:
            self.now = cause


def _linked(trouble: str | None, word: str, process: Process | None) -> str:
    """What happened to a member, and what came of it; `gone m2.0` where nobody says what happened to it."""
    if trouble:
        return f"{trouble} > {word}"
    return f"gone {process.id}" if word == c.RebalanceCause.MEMBER_GONE and process is not None else word
