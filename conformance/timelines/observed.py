"""Facts of a simulated run, told as a recording tells them: what members saw, what the broker did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.conformance.timelines.broker_log import BrokerLog
from groupsim.conformance.timelines.client_log import ClientLog
from groupsim.conformance.timelines.intervals import Spans
from groupsim.conformance.timelines.progress import Progress
from groupsim.events import client
from groupsim.events.base import Recorded
from groupsim.events.group import CommitAccepted
from groupsim.events.types import NO_GENERATION, MemberId, Offsets, Partitions, ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA

Record = dict[str, Any]
REBALANCING, KICKED_OUT = "RebalanceInProgressException", "CommitFailedException"
REFUSALS = {
    "REBALANCE_IN_PROGRESS": REBALANCING,
    "COMMIT_FAILED": KICKED_OUT,
    "UNKNOWN_MEMBER_ID": KICKED_OUT,
    "ILLEGAL_GENERATION": KICKED_OUT,
}
"""What a refused commit raises in a Java program, by what was wrong."""
RAISED = {LIBRDKAFKA: "KafkaException", KAFKA_PYTHON: "CommitFailedError"}
"""What it raises in others, whatever was wrong."""


def listed(partitions: Partitions) -> list[list[Any]]:
    """Partitions as a recording writes them."""
    return [[p.topic, p.partition] for p in partitions]


class Observed:
    """Folds facts into `events`, `broker`, `frozen` (by process) and `member_ids` of a recording."""

    def __init__(self) -> None:
        self.events: list[Record] = []
        self.log = BrokerLog()
        self.wire = ClientLog()
        self.frozen: dict[ProcessId, Spans] = {}
        self.read_twice = 0
        self.progress = Progress(self.see)
        self._ids: dict[ProcessId, MemberId] = {}
        self._generations: dict[ProcessId, int] = {}
        self._listening: dict[ProcessId, Record] = {}
        self._giving: dict[ProcessId, Record] = {}
        self._reached: dict[tuple[str, int], int] = {}

    def fold(self, facts: Iterable[Recorded]) -> None:
        """Take facts in, in order."""
        for fact in facts:
            if isinstance(fact.event, client.ClientEvent):
                self._client(fact.at_ms, fact.event)
            else:
                self.log.observe(fact.at_ms, fact.event)
            if isinstance(fact.event, CommitAccepted) and fact.event.member in self.log.member_ids:
                process, event = self.log.member_ids[fact.event.member], fact.event
                self.progress.committed(fact.at_ms, process, event.generation, len(event.offsets))
        self.log.finish()

    def see(self, at_ms: int, process: ProcessId, kind: str, **more: Any) -> None:
        """Note what a process saw or did."""
        member, _, incarnation = process.rpartition(".")
        self.events.append({"t_ms": at_ms, "member": member, "incarnation": int(incarnation), "kind": kind, **more})

    def _client(self, at: int, event: client.ClientEvent) -> None:
        process = event.process
        self.progress.observe(at, event)
        self.wire.observe(at, event)
        match event:
            case client.ProcessStarted() if self.progress.library == JAVA:
                self.see(at, process, "subscribed")
            case client.JoinOk(member=member, generation=generation):
                self._ids[process], self._generations[process] = member, generation
            case client.CallbackStart(kind=kind, partitions=partitions):
                self._listening[process] = {**self._who(process), "partitions": listed(partitions)}
                self.see(at, process, kind, **self._listening[process])
                if kind != "assigned":
                    self.events[-1]["next_offsets"] = []
                    self._giving[process] = self.events[-1]
            case client.CallbackEnd(kind=kind):
                self.see(at, process, "callback_end", of=kind, **self._listening.pop(process, {}))
            case client.CloseStarted():
                self.see(at, process, "closing", **self._who(process))
            case client.Closed():
                self.see(at, process, "closed")
            case client.GenerationReset(member_id_too=forgets) if self.progress.library != JAVA:
                self._generations[process] = NO_GENERATION
                self._ids = {p: member for p, member in self._ids.items() if p != process or not forgets}
            case client.CommitFailed() if not self.progress.auto_commit:  # a program hears of its own commits only
                self._refused(at, event)
            case client.Failed(error=error):
                self.see(at, process, "poll_error", error=error)
            case client.Frozen():
                self.frozen.setdefault(process, []).append([at, at])
            case client.Thawed():
                self.frozen[process][-1][1] = at
            case client.PositionReached(offsets=offsets):
                self._give_up(process, offsets)
                self._reached.update({(t, p): max(o, self._reached.get((t, p), 0)) for t, p, o in offsets})
            case client.PositionReady(offsets=offsets):
                self.read_twice += sum(max(0, self._reached.get((t, p), 0) - o) for t, p, o in offsets)
            case _:
                pass

    def _refused(self, at: int, event: client.CommitFailed) -> None:
        """Java's log tells of what the broker refused before the program does."""
        library, process = self.progress.library, event.process
        raised = RAISED.get(library) or REFUSALS.get(event.error, event.error)
        if library == JAVA and not event.local:
            self.see(at, process, "commit_refused", reason=event.error)
        told = {"error": raised, "partitions": [[topic, partition] for topic, partition, _ in event.offsets]}
        self.see(at, process, "commit_refused", **told, **(self._who(process) if library == JAVA else {}))

    def _give_up(self, process: ProcessId, offsets: Offsets) -> None:
        """The positions of what a callback has given up are known when it is over."""
        event = self._giving.get(process)
        if event is not None:
            event["next_offsets"] += [list(o) for o in offsets if [o[0], o[1]] in event["partitions"]]

    def _who(self, process: ProcessId) -> Record:
        """The id and generation a program is told when it asks. Java's are still the last ones after a reset."""
        known = {"member_id": self._ids[process]} if process in self._ids else {}
        if self.progress.library == LIBRDKAFKA:
            return {**known, "generation": None}
        if self.progress.library == JAVA:
            known.setdefault("member_id", "")
        return {**known, "generation": self._generations.get(process, NO_GENERATION)}
