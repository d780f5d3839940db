"""The leader computes the group's assignment (Kafka: ConsumerCoordinator.onLeaderElected).

It sends what the assignor gives. That an assignment is one (Kafka: validateCooperativeAssignment) is tested where
assignors are (`assignors.properties`), and watched in every run (`invariants.cooperative`).
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import simpy

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE, Answer, Spec
from groupsim.assignors.spec import Member as AssignorMember
from groupsim.coordinator.classic.commands import JoinAnswer
from groupsim.events import client as facts
from groupsim.events.types import Plan
from groupsim.simulation.clients import metadata
from groupsim.simulation.clients.classic import librdkafka_sticky, sarama_round_robin
from groupsim.simulation.clients.classic.state import ClassicState, PendingJoin
from groupsim.simulation.clients.config import MEASURED, STREAMS_ASSIGNOR
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.streams import partition_assignor


def is_eager_sticky(assignor: str) -> bool:
    """Whether an assignor is sticky although its members own nothing when they join."""
    if assignor == STREAMS_ASSIGNOR:
        return False
    chosen = ASSIGNORS[assignor]
    return COOPERATIVE not in chosen.protocols and "sticky" in chosen.properties


def compute_assignment(
    m: ClassicState, join: PendingJoin, answer: JoinAnswer
) -> Generator[simpy.Event, Any, Plan | None]:
    """What the leader sends with SyncGroup: empty where it may skip the assignment, None if the assignor failed."""
    counts = metadata.counts(m.client)
    topics = sorted({topic for listed in answer.members for topic in listed.metadata.topics})
    m.watched_topics = {topic: counts.get(topic, 0) for topic in topics}
    if m.client.application.assignor_fails:
        yield from _assignor_failed(m)
        return None
    if answer.skip_assignment:
        return {}
    yield from metadata.wait_for_update(m.client, topics)
    return (yield from _run_assignor(m, join, answer))


def _assignor_failed(m: ClassicState) -> Script:
    """The exception is raised out of poll(); the application logs it and polls again. Nobody gets an assignment."""
    m.join = None
    m.client.request_failed("assignor", "the assignor raised")
    m.request_rejoin("rebalance failed due to an exception of the assignor")
    yield from m.client.process.sleep(m.client.backoff_ms())


def _run_assignor(m: ClassicState, join: PendingJoin, answer: JoinAnswer) -> Generator[simpy.Event, Any, Plan]:
    """Run the assignor on the application thread; everybody else waits for it."""
    assert m.assignor is not None
    client = m.client
    started = time.perf_counter_ns()
    given: Answer
    if m.assignor == STREAMS_ASSIGNOR:
        given, join.user_data = partition_assignor.assign(client, answer)
    else:
        given = _assigned(m, answer)
    duration = client.application.assignor_ms
    if not duration and client.tasks is not None:
        duration = client.tasks.assigns_ms()
    if duration == MEASURED:
        duration = (time.perf_counter_ns() - started) // 1_000_000
    if duration:
        yield from client.process.sleep(duration)
    client.record(
        facts.AssignorRan(process=client.process.id, generation=m.generation, assignor=m.assignor, duration_ms=duration)
    )
    return {member: tuple(sorted(given[member])) for member in sorted(given)}


def _assigned(m: ClassicState, answer: JoinAnswer) -> Answer:
    assert m.assignor is not None
    client = m.client
    eager_sticky = is_eager_sticky(m.assignor)
    members = tuple(
        AssignorMember(
            id=listed.member,
            topics=listed.metadata.topics,
            owned=listed.metadata.user_owned if eager_sticky else listed.metadata.owned,
            generation=listed.metadata.user_generation if eager_sticky else listed.metadata.generation,
            instance_id=listed.instance_id,
            rack=listed.metadata.rack,
        )
        for listed in answer.members
    )
    assign = ASSIGNORS[m.assignor].assign
    spec = Spec(members, metadata.counts(client), racks=metadata.racks(client))
    if client.traits.sticky_from_the_end and m.assignor == "cooperative-sticky":
        return librdkafka_sticky.assign(assign, spec)
    if client.traits.orders_as_text and m.assignor == "roundrobin":
        return sarama_round_robin.assign(spec)
    return assign(spec)
