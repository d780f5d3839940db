"""ConnectProgram: what a record shows of a cluster of Kafka Connect, so that its workers can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from groupsim.events import client as c
from groupsim.events.base import Recorded, group_of
from groupsim.events.classic import AssignmentStored
from groupsim.events.connect import CONNECTOR, DELAY, PROTOCOL_TYPE, delay_of
from groupsim.events.types import ProcessId, TopicPartition
from groupsim.events.world import GroupDeclared, PartitionsAdded, TopicCreated
from groupsim.replay.reconstruct.topology_changes import Growth
from groupsim.replay.reconstruct.unseen import Unseen
from groupsim.simulation.clients.connect.cluster import (
    EAGER_NAME,
    PROTOCOL,
    Between,
    ConnectConfig,
    ConnectProtocol,
    WorkerTimes,
)
from groupsim.wording.numbers import counted, seconds

_SLOW_MS = 1_000
"""A connector or a task that takes longer to start is slow by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectProgram:
    """`connectors`: when each came (ms of the record, 0: before it), and its tasks at most.

    `delay_ms`: scheduled.rebalance.max.delay.ms, `known` by the record, or Connect's default. `started`: from how many
    connectors and tasks `times.ready_ms` was read.
    """

    protocol: ConnectProtocol
    delay_ms: int
    known: bool
    times: WorkerTimes
    connectors: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    started: int = 0

    @property
    def at_first(self) -> dict[str, int]:
        """The tasks of those connectors that were there before."""
        return {name: tasks for name, (since_ms, tasks) in self.connectors.items() if since_ms == 0}

    @property
    def growths(self) -> list[Growth]:
        """Those that came later."""
        return [
            Growth(Unseen(since_ms, since_ms + 1), name, tasks, created=True)
            for name, (since_ms, tasks) in self.connectors.items()
            if since_ms > 0
        ]

    def notes(self) -> list[str]:
        """What had to be assumed."""
        notes = []
        if not self.known:
            notes.append(f"{DELAY}={self.delay_ms} is Connect's default; no log shows it")
        if self.times.ready_ms:
            of = counted(self.started, "start")
            notes.append(f"a connector or task is ready {seconds(self.times.ready_ms)} s after it starts, as of {of}")
        return notes


def connect_program(facts: Sequence[Recorded], group: str) -> ConnectProgram | None:
    """What the record of a group shows of its cluster; None: its members are no workers."""
    own = [fact for fact in facts if group_of(fact.stream) == group]
    stored = [fact.event for fact in own if isinstance(fact.event, AssignmentStored)]
    if not any(event.protocol_type == PROTOCOL_TYPE for event in stored):
        return None
    printed = [fact.event.config for fact in own if isinstance(fact.event, c.ProcessStarted)]
    delays = [value for config in printed if isinstance(value := config.get(DELAY), int)]
    shown = max((delay_of(event) for event in stored), default=0)
    named = [str(config[PROTOCOL]) for config in printed if PROTOCOL in config]
    used = [event.protocol for event in stored if event.protocol]
    ready_ms, started = _ready_ms(own)
    return ConnectProgram(
        protocol=_protocol([*named, *used]),
        delay_ms=delays[-1] if delays else shown or ConnectConfig().scheduled_rebalance_max_delay_ms,
        known=bool(delays or shown),
        times=WorkerTimes(boot=Between(0, 0), ready_ms=ready_ms),
        connectors=_connectors(facts, group),
        started=started,
    )


def _connectors(facts: Sequence[Recorded], group: str) -> dict[str, tuple[int, int]]:
    since: dict[str, int] = {}
    tasks: dict[str, int] = {}
    declared: set[str] = set()
    for fact in facts:
        match fact.event:
            case GroupDeclared(topics=topics) if fact.event.group == group:
                declared |= set(topics)
            case TopicCreated(topic=topic, partitions=count) | PartitionsAdded(topic=topic, partitions=count):
                since.setdefault(topic, fact.at_ms)
                tasks[topic] = count
            case _:
                pass
    names = [topic.removeprefix(CONNECTOR) for topic in sorted(declared) if topic.startswith(CONNECTOR)]
    return {name: (since[CONNECTOR + name], tasks.get(name, 0)) for name in names}


def _protocol(names: Iterable[str]) -> ConnectProtocol:
    """By the first of these names, of settings or of what a group had chosen."""
    for name in names:
        if name == EAGER_NAME:
            return ConnectProtocol.EAGER
        if name in tuple(ConnectProtocol):
            return ConnectProtocol(name)
    return ConnectProtocol.SESSIONED


def _ready_ms(own: Sequence[Recorded]) -> tuple[int, int]:
    """How long a connector or task took to start, in the mean, and how many did; 0 where that is next to nothing."""
    began: dict[tuple[ProcessId, TopicPartition], int] = {}
    took = []
    for fact in own:
        match fact.event:
            case c.RestoreStart(process=process, partitions=partitions):
                began |= {(process, unit): fact.at_ms for unit in partitions}
            case c.RestoreEnd(process=process, partitions=partitions):
                took += [fact.at_ms - began.pop((process, u)) for u in partitions if (process, u) in began]
            case _:
                pass
    return (round(mean(took)) if took and mean(took) >= _SLOW_MS else 0), len(took)
