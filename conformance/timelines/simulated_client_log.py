"""Simulated members' facts as rows of a recording's `client_log`, as if their logs had been read."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.timelines.libraries import Libraries
from groupsim.conformance.timelines.recorded_form import Record, member_fields
from groupsim.events import client
from groupsim.events.client import MemberPhase
from groupsim.events.types import MemberId, ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON

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
