"""The progress that a program sees: first records, commits, batches and polls that take long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

from groupsim.conformance.timelines.recorded_form import Libraries, Record
from groupsim.events import client
from groupsim.events.types import ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON

LONG_MS = 500
"""Batches and polls from this length on are noted."""
EVERY = 25
"""Of a program's commits the first is noted, then every 25th."""
See = Callable[..., None]
"""`see(at_ms, process, kind, **more)`: note an event."""
Arrival = Callable[[str, int, int], int | None]
"""When the record of this topic, partition and offset is there; None if none ever comes."""
Position = tuple[str, int]


class Progress:
    """Folds facts of programs into `first_records, commit_ok, processing, processing_end, poll_long, …`.

    A record that is waiting is returned as soon as its position is known; a program that works gets it when it polls
    next. Java's recordings also have how a commit was made and how late a poll began; the others do not.
    """

    def __init__(self, see: See) -> None:
        self._see = see
        self.libraries = Libraries()
        self.auto_commit = True
        self.arrival: Arrival = lambda topic, partition, offset: None
        self._expected: dict[ProcessId, dict[Position, tuple[int, int]]] = {}
        self._works: set[ProcessId] = set()
        self._commits: Counter[ProcessId] = Counter()
        self._generations: dict[ProcessId, int] = {}
        self._batch: dict[ProcessId, tuple[int, int]] = {}
        self._calling: dict[ProcessId, int] = {}
        self._called: dict[ProcessId, tuple[int, int]] = {}
        self._frozen: dict[ProcessId, int] = {}

    def observe(self, at: int, event: client.ClientEvent) -> None:
        """Fold one fact, in order."""
        process = event.process
        if process not in self._frozen:
            self._returned(at, process)
        match event:
            case client.PositionReady(offsets=offsets):
                for topic, partition, offset in offsets:
                    there = self.arrival(topic, partition, offset)
                    if there is not None:
                        self._expected.setdefault(process, {})[topic, partition] = (max(at, there), offset)
            case client.ViewChanged(partitions=partitions):
                kept = {(p.topic, p.partition) for p in partitions}
                waiting = self._expected.get(process, {})
                self._expected[process] = {p: due for p, due in waiting.items() if p in kept}
            case client.PollEnd(process_ms=ms):
                self._polled(at, process, ms)
            case client.PollStart():
                self._worked(at, process)
            case client.CallbackStart():
                self._calling[process] = self._called_back(at, process)
            case client.CallbackEnd():
                self._called[process] = (self._calling.pop(process, at), at)
            case client.Frozen():
                self._frozen[process] = at
            case client.Thawed():
                self._thawed(at, process)
            case client.CloseStarted() | client.Crashed():
                self._poll_ended(process)
                for kept_of in (self._expected, self._batch):
                    kept_of.pop(process, None)
            case _:
                pass

    def committed(self, at: int, process: ProcessId, generation: int, partitions: int) -> None:
        """A commit was accepted. Java's programs note each twice if they make it themselves.

        They also note the first of a generation, without counting it; of automatic ones kafka-python's note none.
        """
        library = self.libraries.of(process)
        java = library == JAVA
        if self.auto_commit and library == KAFKA_PYTHON:
            return
        for how in ("auto",) if self.auto_commit or not java else ("auto", "sync"):
            first = java and how == "auto" and self._generations.get(process) != generation
            if first:
                self._generations[process] = generation
            else:
                self._commits[process] += 1
            if first or self._commits[process] % EVERY == 1:
                more = {"how": how, "generation": generation} if java else {}
                self._see(at, process, "commit_ok", n_partitions=partitions, **more)

    def finish(self, end_ms: int) -> None:
        """The run is over."""
        for process in sorted({*self._expected, *self._called}):
            if process not in self._frozen:
                self._returned(end_ms, process)
            self._poll_ended(process)

    def _returned(self, now: int, process: ProcessId, polling: bool = False) -> None:
        """First records whose time has come; a program that works has them when its next batch begins."""
        waiting = self._expected.get(process)
        if not waiting or (process in self._works and not polling):
            return
        due: dict[int, list[list[Any]]] = {}
        for (topic, partition), (at, offset) in sorted(waiting.items()):
            if at <= now:
                due.setdefault(now if polling else at, []).append([topic, partition, offset])
                del waiting[topic, partition]
        for at in sorted(due):
            self._see(at, process, "first_records", offsets=due[at])

    def _polled(self, at: int, process: ProcessId, ms: int) -> None:
        self._works.add(process)
        self._returned(at, process, polling=True)
        self._poll_ended(process)
        if ms >= LONG_MS:
            self._see(at, process, "processing", ms=ms)
            self._batch[process] = (at, ms)

    def _worked(self, at: int, process: ProcessId) -> None:
        begun, ms = self._batch.pop(process, (at, 0))
        if ms:
            self._see(min(at, begun + ms), process, "processing_end")
            if self.libraries.of(process) == JAVA:
                self._see(at, process, "poll_begin_after_gap", gap_ms=at - begun)

    def _called_back(self, at: int, process: ProcessId) -> int:
        """When the callbacks of the present poll() began: now, or with the callback that has just ended.

        Callbacks that follow each other at once belong to one poll().
        """
        since, until = self._called.pop(process, (at, -1))
        if until == at:
            return since
        self._long_poll(since, until, process)
        return at

    def _poll_ended(self, process: ProcessId) -> None:
        since, until = self._called.pop(process, (0, 0))
        self._long_poll(since, until, process)

    def _long_poll(self, since: int, until: int, process: ProcessId) -> None:
        if until - since >= LONG_MS and self.libraries.of(process) == JAVA:
            self._see(until, process, "poll_long", ms=until - since)

    def _thawed(self, at: int, process: ProcessId) -> None:
        since = self._frozen.pop(process, at)
        waiting = self._expected.get(process, {})
        self._expected[process] = {p: (max(at, due), offset) for p, (due, offset) in waiting.items()}
        if process not in self._batch:
            self._long_poll(since, at, process)


def first_record_median_ms(events: Iterable[Record]) -> float | None:
    """From the end of a partition's assigned callback to its first record: the median of all, None without any."""
    assigned: dict[tuple[str, int, str, int], int] = {}
    waits: list[int] = []
    for event in events:
        who = (event["member"], event["incarnation"])
        if event["kind"] == "callback_end" and event["of"] == "assigned":
            assigned.update({(*who, topic, partition): event["t_ms"] for topic, partition in event["partitions"]})
        elif event["kind"] == "first_records":
            places = [(*who, topic, partition) for topic, partition, _ in event["offsets"]]
            waits += [event["t_ms"] - assigned[place] for place in places if place in assigned]
    return float(median(waits)) if waits else None
