"""What simulated members did on the wire, told as the recorded clients' own logs tell it."""

from __future__ import annotations

from typing import Any

from groupsim.events import client
from groupsim.events.types import MemberId, ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON

Record = dict[str, Any]
LEAVING = "consumer pro-actively leaving the group"
UNTOLD = ("REBALANCE_IN_PROGRESS", "TIMEOUT", "DISCONNECTED")
"""Of heartbeats: answers that a log tells by other lines."""
TOLD: dict[str, tuple[str, ...] | None] = {
    JAVA: None,
    KAFKA_PYTHON: ("join_sent", "poll_expired", "commit_failed_locally"),
}
"""By library: the kinds that its log has lines for (None: all). librdkafka's has none that was read."""


class ClientLog:
    """Folds facts of processes into `client_log` of a recording."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self.library = JAVA
        self._asked: dict[ProcessId, MemberId] = {}

    def observe(self, at: int, event: client.ClientEvent) -> None:
        """Take one fact in, in order."""
        process = event.process
        match event:
            case client.CoordinatorFound():
                self._note(at, process, "coordinator_found")
            case client.CoordinatorLost(cause=cause):
                self._note(at, process, "coordinator_lost", reason=cause)
            case client.JoinSent(member=member):
                if member and self._asked.get(process) == "":
                    told = f"need to re-join with the given member-id: {member}"
                    self._note(at, process, "rejoin_requested", reason=told)
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

    def _trouble(self, at: int, event: client.ClientEvent) -> None:
        process = event.process
        match event:
            case client.RequestFailed(api="SyncGroup", error=error):
                self._note(at, process, "sync_failed", reason=error)
            case client.RequestFailed(api="Heartbeat", error=error) if error not in UNTOLD:
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
        kinds = TOLD.get(self.library, ())
        if kinds is None or kind in kinds:
            member, _, incarnation = process.rpartition(".")
            self.rows.append({"t_ms": at, "member": member, "incarnation": int(incarnation), "kind": kind, **more})
