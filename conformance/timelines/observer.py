"""Facts of a simulated run in the form of a recording: what members saw, what the broker did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.conformance.timelines.intervals import Intervals
from groupsim.conformance.timelines.progress import Progress
from groupsim.conformance.timelines.recorded_form import Libraries, Record, member_fields
from groupsim.conformance.timelines.simulated_logs import SimulatedBrokerLog, SimulatedClientLog
from groupsim.events import client
from groupsim.events.base import Recorded
from groupsim.events.group import CommitAccepted
from groupsim.events.network import MessageDelivered
from groupsim.events.types import NO_GENERATION, MemberId, Offsets, ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA

REBALANCING, KICKED_OUT = "RebalanceInProgressException", "CommitFailedException"
REFUSALS = {
    "REBALANCE_IN_PROGRESS": REBALANCING,
    "COMMIT_FAILED": KICKED_OUT,
    "UNKNOWN_MEMBER_ID": KICKED_OUT,
    "ILLEGAL_GENERATION": KICKED_OUT,
}
"""The exception of a refused commit in a Java program, by the error."""
RAISED: dict[str, str] = {LIBRDKAFKA: "KafkaException", KAFKA_PYTHON: "CommitFailedError"}
"""The exception in other programs, whatever the error."""


class RunObserver:
    """Folds facts into `events`, `broker`, `frozen` (by process) and `member_ids` of a recording.

    `heartbeats`: by process, when it sent each.
    """

    def __init__(self) -> None:
        self.events: list[Record] = []
        self.broker_log = SimulatedBrokerLog()
        self.client_log = SimulatedClientLog()
        self.frozen: dict[ProcessId, Intervals] = {}
        self.heartbeats: dict[ProcessId, list[int]] = {}
        self.read_twice = 0
        self.progress = Progress(self.see)
        self.libraries = Libraries()
        self._ids: dict[ProcessId, MemberId] = {}
        self._generations: dict[ProcessId, int] = {}
        self._callbacks: dict[ProcessId, Record] = {}
        self._revoking: dict[ProcessId, Record] = {}
        self._reached: dict[tuple[str, int], int] = {}

    def use(self, libraries: Libraries) -> None:
        """What a program reports depends on its library."""
        self.libraries = self.progress.libraries = self.client_log.libraries = libraries

    def fold(self, facts: Iterable[Recorded]) -> None:
        """Fold facts, in order."""
        for fact in facts:
            if isinstance(fact.event, MessageDelivered):
                self._message(fact.event)
            elif isinstance(fact.event, client.ClientEvent):
                self._client(fact.at_ms, fact.event)
            else:
                self.broker_log.observe(fact.at_ms, fact.event)
            if isinstance(fact.event, CommitAccepted) and fact.event.member in self.broker_log.member_ids:
                process, event = self.broker_log.member_ids[fact.event.member], fact.event
                self.progress.committed(fact.at_ms, process, event.generation, len(event.offsets))
        self.broker_log.finish()

    def _message(self, event: MessageDelivered) -> None:
        if event.api == "Heartbeat" and not event.response:
            self.heartbeats.setdefault(event.source, []).append(event.sent_ms)

    def see(self, at_ms: int, process: ProcessId, kind: str, **more: Any) -> None:
        """Note what a process saw or did."""
        self.events.append({"t_ms": at_ms, **member_fields(process), "kind": kind, **more})

    def _client(self, at: int, event: client.ClientEvent) -> None:
        process = event.process
        self.progress.observe(at, event)
        self.client_log.observe(at, event)
        match event:
            case client.ProcessStarted() if self.libraries.of(process) == JAVA:
                self.see(at, process, "subscribed")
            case client.JoinOk(member=member, generation=generation):
                self._ids[process], self._generations[process] = member, generation
            case client.EpochReceived(member=member, epoch=epoch):
                self._ids[process], self._generations[process] = member, epoch
            case client.CallbackStart(kind=kind, partitions=partitions):
                pairs = [[p.topic, p.partition] for p in partitions]
                self._callbacks[process] = {**self._who(process), "partitions": pairs}
                self.see(at, process, kind, **self._callbacks[process])
                if kind != "assigned":
                    self.events[-1]["next_offsets"] = []
                    self._revoking[process] = self.events[-1]
            case client.CallbackEnd(kind=kind):
                self.see(at, process, "callback_end", of=kind, **self._callbacks.pop(process, {}))
            case client.CloseStarted():
                self.see(at, process, "closing", **self._who(process))
            case client.Closed():
                self.see(at, process, "closed")
            case client.GenerationReset(member_id_too=forgets) if self.libraries.of(process) != JAVA:
                self._generations[process] = NO_GENERATION
                self._ids = {p: member for p, member in self._ids.items() if p != process or not forgets}
            case client.CommitFailed() if not self.progress.auto_commit:  # a program sees its own commits only
                self._refused(at, event)
            case client.Failed(error=error):
                self.see(at, process, "poll_error", error=error)
            case client.Frozen():
                self.frozen.setdefault(process, []).append([at, at])
            case client.Thawed():
                self.frozen[process][-1][1] = at
            case client.PositionReached(offsets=offsets):
                self._positions_of_revoked(process, offsets)
                self._reached.update({(t, p): max(o, self._reached.get((t, p), 0)) for t, p, o in offsets})
            case client.PositionReady(offsets=offsets):
                self.read_twice += sum(max(0, self._reached.get((t, p), 0) - o) for t, p, o in offsets)
            case _:
                pass

    def _refused(self, at: int, event: client.CommitFailed) -> None:
        """In Java the client's log shows a refusal by the broker before the program does."""
        process = event.process
        library = self.libraries.of(process)
        raised = RAISED.get(library) or REFUSALS.get(event.error, event.error)
        if library == JAVA and not event.local:
            self.see(at, process, "commit_refused", reason=event.error)
        refused = {"error": raised, "partitions": [[topic, partition] for topic, partition, _ in event.offsets]}
        self.see(at, process, "commit_refused", **refused, **(self._who(process) if library == JAVA else {}))

    def _positions_of_revoked(self, process: ProcessId, offsets: Offsets) -> None:
        """The positions of revoked partitions are known when the callback is over."""
        event = self._revoking.get(process)
        if event is not None:
            event["next_offsets"] += [list(o) for o in offsets if [o[0], o[1]] in event["partitions"]]

    def _who(self, process: ProcessId) -> Record:
        """The id and generation that a program can ask for. Java keeps the last ones after a reset."""
        known = {"member_id": self._ids[process]} if process in self._ids else {}
        library = self.libraries.of(process)
        if library == LIBRDKAFKA:
            return {**known, "generation": None}
        if library == JAVA:
            known.setdefault("member_id", "")
        return {**known, "generation": self._generations.get(process, NO_GENERATION)}
