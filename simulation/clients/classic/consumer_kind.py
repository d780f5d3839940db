"""What a consumer does as a member of a classic group where other programs do something else."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.assignors import ASSIGNORS
from groupsim.coordinator.classic.commands import JoinAnswer
from groupsim.events.client import CallbackKind, ClientState
from groupsim.events.types import NO_GENERATION, MemberId, Partitions, Plan, Protocol, Subscription
from groupsim.simulation.clients import callbacks
from groupsim.simulation.clients.classic import leader, rebalance
from groupsim.simulation.clients.classic.state import ClassicState, PendingJoin
from groupsim.simulation.clients.config import STREAMS_ASSIGNOR
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import wait_for_fetch
from groupsim.simulation.clients.streams import partition_assignor


class ConsumerKind:
    """See MemberKind for what each method means (Kafka: ConsumerCoordinator)."""

    protocol_type = "consumer"
    always_joins = False

    def offers(self, m: ClassicState) -> tuple[Protocol, ...]:
        return tuple(Protocol(name, _subscription(m, name)) for name in m.client.config.partition_assignment_strategy)

    def prepare(self, m: ClassicState) -> Generator[simpy.Event, Any, bool]:
        committed = yield from rebalance.commit_before_join(m)
        if committed:
            yield from rebalance.prepare_join(m)
        return committed

    def assign(
        self, m: ClassicState, join: PendingJoin, answer: JoinAnswer
    ) -> Generator[simpy.Event, Any, Plan | None]:
        join.user_data = _returned(m, answer)
        return (yield from leader.compute_assignment(m, join, answer))

    def take_over(self, m: ClassicState, join: PendingJoin, assigned: Partitions) -> Generator[simpy.Event, Any, bool]:
        return (yield from rebalance.complete_join(m, assigned, join.assigned_data))

    def give_up(self, m: ClassicState) -> Script:
        """What is held while a rebalance runs counts as lost (Kafka: ConsumerCoordinator.onLeavePrepare)."""
        client = m.client
        view = client.fetch.view
        if client.traits.leaves_after_fetches:
            yield from wait_for_fetch(client)
        if view:
            lost = m.generation == NO_GENERATION or m.state is not ClientState.STABLE or m.rejoin_needed
            yield from callbacks.run(client, CallbackKind.LOST, view) if lost else rebalance.revoke(m, view)
        client.set_view(())
        if client.tasks is not None:
            client.tasks.close()

    def look(self, m: ClassicState) -> None:
        pass

    def due(self, m: ClassicState) -> list[int]:
        return []

    def alone(self, m: ClassicState) -> None:
        pass


def _subscription(m: ClassicState, assignor: str) -> Subscription:
    """What is sent for one assignor; eager sticky ones add their last assignment as user data (KIP-54)."""
    sends_memory = leader.is_eager_sticky(assignor)
    return Subscription(
        topics=tuple(sorted(m.client.topics)),
        owned=m.client.fetch.view,
        generation=m.generation,
        rack=m.client.config.client_rack or None if m.client.traits.sends_rack else None,
        user_owned=m.sticky_owned if sends_memory else (),
        user_generation=m.sticky_generation if sends_memory else NO_GENERATION,
        user_data=_user_data(m, assignor),
    )


def _user_data(m: ClassicState, assignor: str) -> str | None:
    """librdkafka's sticky assignor sends the last generation (rd_kafka_sticky_assignor_get_metadata)."""
    if assignor == STREAMS_ASSIGNOR:
        return partition_assignor.user_data(m.client)
    sticky = "sticky" in ASSIGNORS[assignor].properties
    known = m.sticky_generation != NO_GENERATION
    return str(m.sticky_generation) if m.client.traits.returns_user_data and sticky and known else None


def _returned(m: ClassicState, answer: JoinAnswer) -> tuple[tuple[MemberId, str], ...]:
    """What a leader sends back to the members (rd_kafka_group_MemberState_consumer_write)."""
    sent = [(listed.member, listed.metadata.user_data) for listed in answer.members]
    return tuple((member, data) for member, data in sent if data is not None and m.client.traits.returns_user_data)
