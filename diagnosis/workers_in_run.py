"""What Connect's workers print of a run: all that each has after a rebalance, and how long what is left over waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.connect import CONFIGURED, PROTOCOL_TYPE, STOPPED_ALONE, connectors_and_tasks, delay_of
from groupsim.incidents.logs.row_kinds import RowKind

Said = tuple[RowKind, str | None, dict[str, object]]
_BEFORE_A_JOIN = {CONFIGURED: RowKind.CONNECTOR_CHANGED, STOPPED_ALONE: RowKind.WORKER_REVOKED_ITSELF}
"""What a worker prints before it joins again, by why it does (Kafka: DistributedHerder, WorkerCoordinator.poll)."""


class WorkersInRun:
    """By group of Connect's workers: the delay that its last assignment has (ms)."""

    def __init__(self) -> None:
        self._delays: dict[str, int] = {}

    def see(self, fact: Recorded) -> None:
        """One fact, in the order of the run."""
        group = group_of(fact.stream)
        if (
            group is not None
            and isinstance(fact.event, c.AssignmentStored)
            and fact.event.protocol_type == PROTOCOL_TYPE
        ):
            self._delays[group] = delay_of(fact.event)

    def instead(self, group: str, event: Event, said: Iterable[Said]) -> Iterator[Said]:
        """What a fact says, but that a worker prints its assignment where a consumer's listener runs.

        Kafka: DistributedHerder.RebalanceListener.onAssigned.
        """
        delay_ms = self._delays.get(group)
        if isinstance(event, p.RejoinRequested) and event.reason in _BEFORE_A_JOIN:
            yield _BEFORE_A_JOIN[event.reason], None, {}
            yield from said
        elif delay_ms is None or not isinstance(event, p.CallbackStart | p.SyncOk):
            yield from said
        elif isinstance(event, p.SyncOk):
            yield from said
            connectors, tasks = connectors_and_tasks(event.assignment or ())
            names: dict[str, object] = {"connectors": connectors, "tasks": [*map(str, tasks)]}
            delay: dict[str, object] = {"delay_ms": delay_ms} if delay_ms else {}
            yield RowKind.WORKER_ASSIGNED, event.member, {"generation": event.generation, **names, **delay}
