"""A simulated coordinator's facts as rows of a recording's `broker`, as if its log had been read."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.timelines.recorded_form import Record, member_fields
from groupsim.events import classic, consumer
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.types import MemberId, ProcessId

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
