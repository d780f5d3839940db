"""Simulated facts as rows of a recording's `broker` and `client_log`, as if the logs had been read."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.timelines.recorded_form import Libraries, Record, member_fields
from groupsim.events import classic, client, consumer
from groupsim.events.client import MemberPhase
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.types import MemberId, ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON

EMPTY, PREPARING, COMPLETING, STABLE = "Empty", "PreparingRebalance", "CompletingRebalance", "Stable"
REMOVED = {"session-expired": "session_expired", "left": "member_left"}
NO_REASON = "not provided"
"""The reason in the log where a LeaveGroup has none."""


class SimulatedBrokerLog:
    """Folds a group's facts into `broker` and `member_ids` of a recording."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self.member_ids: dict[MemberId, ProcessId] = {}
        self._phase = EMPTY
        self._leader: MemberId | None = None
        self._members: dict[MemberId, None] = {}
        self._replaced_ms: int | None = None

    def observe(self, at: int, event: object) -> None:
        """Fold one fact, in order."""
        self._settle(at, event)
        match event:
            case consumer.ConsumerMemberUpdated(member=member, client_host=host) if member not in self.member_ids:
                self._issued(member, host)
                self._note(at, "member_joined", member, reason="consumer")
            case consumer.ConsumerMemberRemoved(member=member, cause=cause):
                self._note(at, "member_left" if cause == "left" else "fenced", member, reason=cause)
            case consumer.GroupEpochBumped(epoch=epoch):
                self._note(at, "epoch_bumped", generation=epoch)
            case consumer.TargetComputed(epoch=epoch, assignor=assignor):
                self._note(at, "target_computed", generation=epoch, reason=assignor)
            case classic.MemberIdIssued(member=member, client_host=host):
                self._issued(member, host)
                self._note(at, "member_id_issued", member, state=self._phase)
            case classic.MemberAdded(member=member, client_host=host, instance_id=instance):
                self._issued(member, host)
                self._members[member] = None
                if instance is None:
                    self._note(at, "member_added", member, state=self._phase)
                else:
                    self._note(at, "static_added", member, state=self._phase, instance_id=instance)
            case classic.MemberReplaced(member=member, client_host=host, old=old, instance_id=instance) if member:
                self._issued(member, host)
                self._members.pop(old, None)
                self._members[member] = None
                self._note(at, "static_replaced", old, state=self._phase, instance_id=instance)
                self._replaced_ms = at
            case classic.MemberRemoved(member=member, cause=cause, reason=reason):
                self._members.pop(member, None)
                more = {"reason": reason or NO_REASON} if cause == "left" else {}
                self._note(at, REMOVED.get(cause, cause.replace("-", "_")), member, **more)
            case _:
                self._rebalance(at, event)

    def _rebalance(self, at: int, event: object) -> None:
        match event:
            case classic.RebalanceStarted(generation=generation, reason=reason):
                self._phase = PREPARING
                self._note(at, "rebalance_started", generation=generation, reason=reason, state=PREPARING)
            case classic.JoinPhaseCompleted(generation=generation, size=size, leader=leader):
                self._phase, self._leader = COMPLETING if size else EMPTY, leader
                self._note(at, "join_completed", generation=generation, n_members=size)
            case classic.AssignmentStored(generation=generation, assignment=plan):
                self._phase = STABLE
                self._note(at, "assignment_received", self._leader, generation=generation, n_members=len(plan or {}))
            case GroupEmptied(generation=generation):
                self._phase = EMPTY
                self._note(at, "group_empty", generation=generation)
            case CoordinatorUnloaded():
                self._note(at, "group_unloaded")
            case CoordinatorLoaded():
                self._note(at, "group_loaded", n_members=len(self._members))

    def finish(self) -> None:
        """The run is over."""
        if self._replaced_ms is not None:
            self._settle(self._replaced_ms + 1, None)

    def _settle(self, at: int, event: object) -> None:
        """Whether a static member's return began a rebalance shows in what comes next."""
        replaced, begun = self._replaced_ms, isinstance(event, classic.RebalanceStarted)
        if replaced is not None and (begun or at > replaced):
            self._replaced_ms = None
            if not (begun and at == replaced):
                self._note(replaced, "static_no_rebalance")

    def _issued(self, member: MemberId, process: ProcessId | None) -> None:
        if process is not None:
            self.member_ids[member] = process

    def _note(self, at: int, kind: str, member: MemberId | None = None, **more: Any) -> None:
        process = self.member_ids.get(member or "")
        if member is not None:
            more["member_id"] = member
        if process is not None:
            more |= member_fields(process)
        self.rows.append({"t_ms": at, "kind": kind, **more})


LEAVING = "consumer pro-actively leaving the group"
CONSUMER = "CONSUMER"
"""The protocol that members of the consumer protocol name."""
NOT_LOGGED = ("REBALANCE_IN_PROGRESS", "TIMEOUT", "DISCONNECTED")
"""Errors of heartbeats that a log shows by other lines."""
LOGGED: dict[str, tuple[str, ...] | None] = {
    JAVA: None,
    KAFKA_PYTHON: ("join_sent", "poll_expired", "commit_failed_locally"),
}
"""By library: the kinds its log has lines for (None: all). librdkafka's log was not recorded."""


class SimulatedClientLog:
    """Folds facts of processes into `client_log` of a recording."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self.libraries = Libraries()
        self._asked: dict[ProcessId, MemberId] = {}
        self._states: dict[ProcessId, str] = {}
        self._epochs: dict[ProcessId, int] = {}

    def observe(self, at: int, event: client.ClientEvent) -> None:
        """Fold one fact, in order."""
        process = event.process
        match event:
            case client.CoordinatorFound():
                self._note(at, process, "coordinator_found")
            case client.CoordinatorLost(cause=cause):
                self._note(at, process, "coordinator_lost", reason=cause)
            case client.ProtocolSelected(protocol=protocol) if protocol == CONSUMER:
                self._states[process], self._epochs[process] = MemberPhase.UNSUBSCRIBED.value, 0
            case client.EpochReceived(epoch=epoch):
                self._epochs[process] = epoch
            case client.StateChanged(state=state) if process in self._states:
                self._changed(at, process, state)
            case client.JoinSent() if process in self._states:
                pass
            case client.JoinSent(member=member):
                if member and self._asked.get(process) == "":
                    reason = f"need to re-join with the given member-id: {member}"
                    self._note(at, process, "rejoin_requested", reason=reason)
                self._asked[process] = member
                self._note(at, process, "join_sent")
            case client.JoinOk(generation=generation):
                self._asked.pop(process, None)
                self._note(at, process, "join_ok", generation=generation)
            case client.AssignorRan(generation=generation):
                self._note(at, process, "leader_assigned", generation=generation)
            case client.SyncOk(generation=generation):
                self._note(at, process, "sync_ok", generation=generation)
            case client.RejoinRequested(reason=reason):
                self._note(at, process, "rejoin_requested", reason=reason)
            case _:
                self._trouble(at, event)

    def _changed(self, at: int, process: ProcessId, state: str) -> None:
        """A member of the consumer protocol has another state."""
        before, self._states[process] = self._states[process], state
        if state == MemberPhase.JOINING:
            self._epochs[process] = 0
        self._note(at, process, "member_state", generation=self._epochs[process], reason=f"{before} to {state}")

    def _trouble(self, at: int, event: client.ClientEvent) -> None:
        process = event.process
        match event:
            case client.RequestFailed(api="SyncGroup", error=error):
                self._note(at, process, "sync_failed", reason=error)
            case client.RequestFailed(api="Heartbeat", error=error) if error not in NOT_LOGGED:
                self._note(at, process, "heartbeat_refused", reason=error)
            case client.GenerationReset(reason=reason):
                self._note(at, process, "reset", reason=reason)
            case client.PollExpired():
                self._note(at, process, "poll_expired")
            case client.CommitFailed(local=True):
                self._note(at, process, "commit_failed_locally")
            case client.LeaveSent(reason=reason):
                self._note(at, process, "leave_sent", reason=reason)
            case client.Closed():
                self._note(at, process, "reset", reason=LEAVING)
                self._note(at, process, "rejoin_requested", reason=LEAVING)

    def _note(self, at: int, process: ProcessId, kind: str, **more: Any) -> None:
        kinds = LOGGED.get(self.libraries.of(process), ())
        if kinds is None or kind in kinds:
            self.rows.append({"t_ms": at, **member_fields(process), "kind": kind, **more})
