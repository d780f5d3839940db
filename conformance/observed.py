"""Facts of a simulated run, told as a recording tells them: what members saw, what the broker did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.progress import Progress
from conformance.spans import Spans
from events import classic, client
from events.base import Recorded
from events.types import NO_GENERATION, MemberId, Partitions, ProcessId
from simulation.clients.config import JAVA

Record = dict[str, Any]
REFUSALS = {"REBALANCE_IN_PROGRESS": "RebalanceInProgressException", "COMMIT_FAILED": "CommitFailedException"}
"""A commit's local refusals by the names the Java client gives them."""
REMOVED = {"session-expired": "session_expired", "left": "member_left"}


def listed(partitions: Partitions) -> list[list[Any]]:
    """Partitions as a recording writes them."""
    return [[p.topic, p.partition] for p in partitions]


class Observed:
    """Folds facts into `events`, `broker`, `frozen` (by process) and `member_ids` of a recording."""

    def __init__(self) -> None:
        self.events: list[Record] = []
        self.broker: list[Record] = []
        self.frozen: dict[ProcessId, Spans] = {}
        self.member_ids: dict[MemberId, ProcessId] = {}
        self.read_twice = 0
        self.progress = Progress(self.see)
        self._ids: dict[ProcessId, MemberId] = {}
        self._generations: dict[ProcessId, int] = {}
        self._listening: dict[ProcessId, Record] = {}
        self._reached: dict[tuple[str, int], int] = {}

    def fold(self, facts: Iterable[Recorded]) -> None:
        """Take facts in, in order."""
        for fact in facts:
            if isinstance(fact.event, client.ClientEvent):
                self._client(fact.at_ms, fact.event)
            else:
                self._broker(fact.at_ms, fact.event)

    def see(self, at_ms: int, process: ProcessId, kind: str, **more: Any) -> None:
        """Note what a process saw or did."""
        member, _, incarnation = process.rpartition(".")
        self.events.append({"t_ms": at_ms, "member": member, "incarnation": int(incarnation), "kind": kind, **more})

    def _client(self, at: int, event: client.ClientEvent) -> None:
        process = event.process
        self.progress.observe(at, event)
        match event:
            case client.ProcessStarted() if self.progress.library == JAVA:
                self.see(at, process, "subscribed")
            case client.JoinOk(member=member, generation=generation):
                self._ids[process], self._generations[process] = member, generation
            case client.CallbackStart(kind=kind, partitions=partitions):
                self._listening[process] = {**self._who(process), "partitions": listed(partitions)}
                self.see(at, process, kind, **self._listening[process])
            case client.CallbackEnd(kind=kind):
                self.see(at, process, "callback_end", of=kind, **self._listening.pop(process, {}))
            case client.CloseStarted():
                self.see(at, process, "closing", **self._who(process))
            case client.Closed():
                self.see(at, process, "closed")
            case client.CommitFailed(error=error):
                self.see(at, process, "commit_refused", error=REFUSALS.get(error, error), **self._who(process))
            case client.Failed(error=error):
                self.see(at, process, "poll_error", error=error)
            case client.Frozen():
                self.frozen.setdefault(process, []).append([at, at])
            case client.Thawed():
                self.frozen[process][-1][1] = at
            case client.PositionReached(offsets=offsets):
                self._reached.update({(t, p): max(o, self._reached.get((t, p), 0)) for t, p, o in offsets})
            case client.PositionReady(offsets=offsets):
                self.read_twice += sum(max(0, self._reached.get((t, p), 0) - o) for t, p, o in offsets)
            case _:
                pass

    def _who(self, process: ProcessId) -> Record:
        """The id and generation a program is told when it asks; after a reset still the last ones it had."""
        return {"member_id": self._ids.get(process, ""), "generation": self._generations.get(process, NO_GENERATION)}

    def _broker(self, at: int, event: object) -> None:
        match event:
            case classic.MemberIdIssued(member=member, client_host=host):
                self._issued(member, host)
                self._note(at, "member_id_issued", member)
            case classic.MemberAdded(member=member, client_host=host, instance_id=instance):
                self._issued(member, host)
                self._note(at, "member_added" if instance is None else "static_added", member)
            case classic.MemberReplaced(member=member, client_host=host, old=old) if member is not None:
                self._issued(member, host)
                self._note(at, "static_replaced", member, old_member_id=old)
            case classic.MemberRemoved(member=member, cause=cause):
                self._note(at, REMOVED.get(cause, cause.replace("-", "_")), member)
            case classic.RebalanceStarted(generation=generation, reason=reason):
                self._note(at, "rebalance_started", generation=generation, reason=reason)
            case classic.JoinPhaseCompleted(generation=generation, size=size):
                self._note(at, "join_completed", generation=generation, n_members=size)
            case classic.AssignmentStored(generation=generation, assignment=plan):
                self._note(at, "assignment_received", generation=generation, n_members=len(plan or {}))
            case classic.CommitAccepted(member=member, generation=generation, offsets=offsets):
                if member in self.member_ids:
                    self.progress.committed(at, self.member_ids[member], generation, len(offsets))
            case classic.GroupEmptied(generation=generation):
                self._note(at, "group_empty", generation=generation)
            case _:
                pass

    def _issued(self, member: MemberId, process: ProcessId | None) -> None:
        if process is not None:
            self.member_ids[member] = process

    def _note(self, at: int, kind: str, member: MemberId | None = None, **more: Any) -> None:
        process = self.member_ids.get(member or "")
        if member is not None:
            more["member_id"] = member
        if process is not None:
            label, _, incarnation = process.rpartition(".")
            more |= {"member": label, "incarnation": int(incarnation)}
        self.broker.append({"t_ms": at, "kind": kind, **more})
