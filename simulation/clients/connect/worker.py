"""A Connect worker as a member of its group (Kafka: DistributedHerder, WorkerCoordinator).

Left out: the config topic, behind which a worker may be.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import simpy

from groupsim.assignors.kafka.connect import ConnectMemory, ConnectProblem, connect_eager, connect_incremental
from groupsim.assignors.spec import COOPERATIVE, EAGER
from groupsim.coordinator.classic.commands import JoinAnswer
from groupsim.events import client as facts
from groupsim.events.client import CallbackKind
from groupsim.events.connect import PROTOCOL_TYPE, STOPPED_ALONE, delay_in, delay_text
from groupsim.events.types import NO_GENERATION, Partitions, Plan, Protocol, Subscription
from groupsim.simulation.clients.callbacks import run_application_code
from groupsim.simulation.clients.classic.state import ClassicState, PendingJoin
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.connect.cluster import (
    EAGER_NAME,
    Between,
    ConnectCluster,
    ConnectProtocol,
    load_of,
    units_of,
)
from groupsim.simulation.clients.process import Script

DELAY_IS_OVER = "scheduled rebalance delay is over"
REVOKED = "connectors or tasks were revoked"


class WorkerKind:
    """See MemberKind for what each method means.

    `memory`: what a leader keeps from one assignment to the next. `last_generation`: the last one whose assignment
    arrived. `rejoin_ms`: when the delay that the leader set ends, None without one.
    """

    protocol_type = PROTOCOL_TYPE
    always_joins = True

    def __init__(self, cluster: ConnectCluster, chance: Callable[[], float]) -> None:
        self._cluster = cluster
        self._chance = chance
        self._memory = ConnectMemory()
        self._last_generation = NO_GENERATION
        self._rejoin_ms: int | None = None
        self._has_worked = False
        self._is_alone = False

    @property
    def first(self) -> str:
        """How it rebalances until the group has chosen."""
        return EAGER if self._cluster.protocol is ConnectProtocol.EAGER else COOPERATIVE

    def offers(self, m: ClassicState) -> tuple[Protocol, ...]:
        """What it runs stands in all but the eager one (Kafka: WorkerCoordinator.metadata)."""
        topics = tuple(self._cluster.topics)
        has = Subscription(topics=topics, owned=m.client.fetch.view, generation=m.generation)
        knows_nothing = Subscription(topics=topics, generation=m.generation)
        names = self._cluster.protocol.offers
        return tuple(Protocol(name, knows_nothing if name == EAGER_NAME else has) for name in names)

    def prepare(self, m: ClassicState) -> Generator[simpy.Event, Any, bool]:
        """An eager worker stops everything, another one goes on (Kafka: WorkerCoordinator.onJoinPrepare)."""
        m.leads = False
        if m.rebalance_protocol == EAGER:
            yield from self._stop(m.client, m.client.fetch.view)
        return True

    def assign(
        self, m: ClassicState, join: PendingJoin, answer: JoinAnswer
    ) -> Generator[simpy.Event, Any, Plan | None]:
        """What each worker has in the end; it stops and starts what differs. The delay travels beside it."""
        yield from ()
        assert m.assignor is not None
        problem = ConnectProblem(
            self._cluster.connectors,
            {listed.member: load_of(listed.metadata.owned) for listed in answer.members},
            now_ms=m.client.now,
            max_delay_ms=self._cluster.delay_ms,
            generation=m.generation,
            last_generation=self._last_generation,
        )
        if m.assignor == EAGER_NAME:
            given = connect_eager(problem)
        else:
            given, self._memory = connect_incremental(problem, self._memory)
        if given.delay_ms:
            join.user_data = tuple((member, delay_text(given.delay_ms)) for member in sorted(given.workers))
        m.client.record(
            facts.AssignorRan(process=m.client.process.id, generation=m.generation, assignor=m.assignor, duration_ms=0)
        )
        return {member: units_of(given.workers[member].all) for member in sorted(given.workers)}

    def take_over(self, m: ClassicState, join: PendingJoin, assigned: Partitions) -> Generator[simpy.Event, Any, bool]:
        """Stop what was revoked, start what is new, then rejoin if anything was revoked (KIP-415).

        Kafka: WorkerCoordinator.onJoinComplete, DistributedHerder.RebalanceListener, DistributedHerder.startWork.
        """
        client = m.client
        m.change_rebalance_protocol(EAGER if m.assignor == EAGER_NAME else COOPERATIVE)
        revoked = tuple(unit for unit in client.fetch.view if unit not in set(assigned))
        yield from self._stop(client, revoked)
        self._last_generation = m.generation
        delay_ms = delay_in(join.assigned_data)
        self._rejoin_ms = client.now + delay_ms if delay_ms else None
        new = tuple(unit for unit in assigned if unit not in set(client.fetch.view))
        yield from self._start(client, assigned, new)
        kind, process = CallbackKind.ASSIGNED, client.process.id
        client.record(facts.CallbackStart(process=process, kind=kind, partitions=new, generation=m.generation))
        client.record(facts.CallbackEnd(process=process, kind=kind))
        if revoked:
            m.request_rejoin(REVOKED)
        return True

    def give_up(self, m: ClassicState) -> Script:
        """A shutdown: everything stops, and after some time it leaves (Kafka: DistributedHerder.halt)."""
        yield from self._stop(m.client, m.client.fetch.view)
        yield from run_application_code(m.client, self._cluster.times.leave.draw(self._chance))

    def look(self, m: ClassicState) -> None:
        """After the delay it joins again, as all workers do (Kafka: DistributedHerder.tick)."""
        if self._rejoin_ms is not None and m.client.now >= self._rejoin_ms:
            self._rejoin_ms = None
            m.request_rejoin(DELAY_IS_OVER)

    def due(self, m: ClassicState) -> list[int]:
        return [] if self._rejoin_ms is None else [self._rejoin_ms]

    def alone(self, m: ClassicState) -> None:
        """Without a coordinator for as long as a heartbeat's interval it stops everything (KAFKA-9184).

        Kafka: WorkerCoordinator.poll, coordinatorDiscoveryTimeoutMs.
        """
        if not self._is_alone:
            self._is_alone = True
            m.client.process.thread(self._stop_alone(m))

    def _stop_alone(self, m: ClassicState) -> Script:
        client = m.client
        since = client.now
        yield from client.process.sleep(client.config.heartbeat_interval_ms)
        self._is_alone = False
        found = client.coordinator.known or client.coordinator.last_answer_ms > since
        if found or not client.fetch.view:
            return
        yield from client.process.sleep(self._cluster.times.stop.draw(self._chance))
        client.set_view(())
        m.request_rejoin(STOPPED_ALONE)

    def _stop(self, client: Client, units: Partitions) -> Script:
        """They run until they have stopped, the others go on."""
        if units:
            yield from self._busy(client, self._cluster.times.stop)
            client.set_view(tuple(unit for unit in client.fetch.view if unit not in set(units)))

    def _start(self, client: Client, assigned: Partitions, new: Partitions) -> Script:
        """The worker does nothing else until it has started what is new; what was there goes on."""
        client.set_view(assigned)
        if not new:
            return
        client.fetch.positions.update(dict.fromkeys(new, 0))  # where it reads on is the connector's own business
        client.fetch.restoring.update(dict.fromkeys(new, client.now))
        process = client.process
        client.record(facts.PositionReady(process=process.id, offsets=tuple((u.topic, u.partition, 0) for u in new)))
        client.record(facts.RestoreStart(process=process.id, partitions=new))
        since = client.now
        yield from self._busy(client, self._cluster.times.start if self._has_worked else self._cluster.times.first)
        self._has_worked = True
        process.thread(_ready(client, new, since, self._cluster.times.ready_ms))

    def _busy(self, client: Client, time: Between) -> Script:
        """Meanwhile it does not poll, and after rebalance.timeout.ms it leaves (Kafka: HeartbeatThread.run)."""
        threads = client.threads
        threads.in_callback, threads.last_poll_ms = True, client.now
        yield from run_application_code(client, time.draw(self._chance))
        threads.in_callback, threads.last_poll_ms = False, client.now


def _ready(client: Client, units: Partitions, since: int, ms: int) -> Script:
    """A task's own thread: it runs once its connector is ready."""
    if ms:
        yield from client.process.sleep(ms)
    run = tuple(unit for unit in units if client.fetch.restoring.get(unit) == since)  # still assigned
    for unit in run:
        del client.fetch.restoring[unit]
    if run:
        client.record(facts.RestoreEnd(process=client.process.id, partitions=run))
        client.threads.wake()
    yield from ()
