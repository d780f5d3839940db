"""What a run's log says for certain, and what is concluded where it is silent: one strategy for each kind of run.

Nothing is guessed silently. A broker's log does not have assignments, a client's log nothing about other clients.

- A process whose assignment the coordinator's log does not have may commit by its own report, unless the coordinator
  has removed it.
- What a process gave up in order (revoked, not lost) nobody can have before its next sync: WITHHELD.
- A member without a log, in a Stable group, is taken as serving what it is assigned: `OK`, sub-label `by the books`; so
  are all partitions of a Stable group of which there are broker logs only. During a rebalance its partitions are
  UNKNOWN: the log does not say whether it goes on meanwhile, as cooperative members do.
- An Empty group serves nothing (UNOWNED). Where every member has a log, labels are those of a simulated run.
- Where there are client logs only (no coordinator fact at all): what is assigned to a process and not yet in its view
  is GRANT_IN_FLIGHT; all else may be in the hands of clients whose log is missing.
"""

from __future__ import annotations

from typing import Protocol

from groupsim.analysis.availability.current_group import CurrentGroup
from groupsim.analysis.availability.labels import SubLabel
from groupsim.analysis.group_state import ReportedGroupState
from groupsim.analysis.process_state import Process
from groupsim.events import client
from groupsim.events.types import TopicPartition


class Knowledge(Protocol):
    """The questions whose answers depend on how much the log says."""

    decides_all: bool
    """What one process reports can decide what was unknown of any partition."""

    served: SubLabel | None
    """The sub-label of a partition that its owner serves."""

    def in_callback(self, process: Process) -> bool:
        """Its application thread is in a rebalance callback."""
        ...

    def has_position(self, process: Process, tp: TopicPartition) -> bool:
        """It knows from where to fetch."""
        ...

    def entitled(self, process: Process, tp: TopicPartition) -> bool:
        """It was assigned the partition, and its commit would be accepted."""
        ...

    def revokes(self, process: Process, tp: TopicPartition) -> bool:
        """It stands for the owner of a partition that the coordinator assigned to nobody."""
        ...

    def learn(self, process: Process, event: client.ClientEvent) -> None:
        """Take the process's own report of its assignment where the coordinator's log has none."""
        ...


class SimulatedKnowledge:
    """A simulated run's log has everything."""

    decides_all = False
    served: SubLabel | None = None

    def __init__(self, group: CurrentGroup) -> None:
        self._group = group

    def in_callback(self, process: Process) -> bool:
        """See Knowledge."""
        return process.callback is not None

    def has_position(self, process: Process, tp: TopicPartition) -> bool:
        """See Knowledge."""
        return tp in process.positioned

    def entitled(self, process: Process, tp: TopicPartition) -> bool:
        """See Knowledge. What Connect's leader revoked its worker may run until it has stopped it (KIP-415)."""
        state = self._group.state
        if process.fenced:
            return False
        return state.entitled(process.member, tp) or (
            tp in self._group.owed and state.of_connect and state.may_commit(process.member)
        )

    def revokes(self, process: Process, tp: TopicPartition) -> bool:
        """At the end of a cooperative rebalance it runs the revoked callback of what nobody was assigned yet."""
        in_time = not process.fenced and self._group.state.may_commit(process.member)
        return in_time and process.callback == "revoked" and self.in_callback(process)

    def learn(self, process: Process, event: client.ClientEvent) -> None:
        """See Knowledge: there is nothing to add."""


class RecordedKnowledge(SimulatedKnowledge):
    """A recorded log has gaps: what a process never reports is taken as given."""

    decides_all = True

    def __init__(self, group: CurrentGroup) -> None:
        super().__init__(group)
        self._coverage = group.coverage
        self.served = None if self._coverage.broker else SubLabel.CLIENT_ONLY

    @property
    def _state(self) -> ReportedGroupState:
        return self._group.reported

    def in_callback(self, process: Process) -> bool:
        """See Knowledge; not asked of a log that never says when a callback ends."""
        return process.callback is not None and process.id in self._coverage.callback_ends

    def has_position(self, process: Process, tp: TopicPartition) -> bool:
        """See Knowledge; taken as given of a log that never has positions."""
        return tp in process.positioned or process.id not in self._coverage.positions

    def entitled(self, process: Process, tp: TopicPartition) -> bool:
        """See Knowledge."""
        if process.fenced or not self._by_its_own_report(process):
            return super().entitled(process, tp)
        return self._not_removed(process)

    def revokes(self, process: Process, tp: TopicPartition) -> bool:
        """See Knowledge; it may be the owner, too, if the coordinator's log does not have the assignment."""
        if self._by_its_own_report(process):
            return self.entitled(process, tp)
        return super().revokes(process, tp)

    def _by_its_own_report(self, process: Process) -> bool:
        """No broker log, or one that does not have its assignment."""
        return not self._coverage.broker or not (process.member and self._state.assignment_known)

    def _not_removed(self, process: Process) -> bool:
        """It may commit by its own report, unless the coordinator has removed its member id from the group."""
        if not self._state.has_coordinator_facts:
            return True
        if not process.member:
            return not self._group.state.empty
        if process.member in self._state.members:
            return self._group.state.may_commit(process.member)
        return process.member not in self._state.removed

    def learn(self, process: Process, event: client.ClientEvent) -> None:
        """See Knowledge."""
        state = self._state
        if not process.member or state.assignment_known:
            return
        if isinstance(event, client.SyncOk) and event.assignment is not None:
            state.learn(process.member, event.generation, event.assignment)
        elif isinstance(event, client.TargetReceived):
            state.learn(process.member, event.epoch, event.partitions)
        elif isinstance(event, client.ViewChanged) and state.stable:
            shown = set(event.partitions)
            if state.self_reported_generation.get(process.member) == state.generation:
                # What it gives up later was assigned all the same.
                shown |= set(self._group.state.assigned(process.member))
            state.learn(process.member, state.generation, tuple(sorted(shown)))
