"""Kafka Streams' side of a classic group: what members tell when they join, what the leader plans, what follows.

Kafka: StreamsPartitionAssignor. Its user data, here as text, have process id and offsets (SubscriptionInfo), and
standbys and the next rebalance (AssignmentInfo).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groupsim.assignors.kafka.client_tasks import TaskId
from groupsim.assignors.kafka.streams_assignment import (
    FollowUp,
    StreamsMember,
    StreamsRules,
    StreamsTasks,
    streams_assignment,
)
from groupsim.coordinator.classic.commands import JoinAnswer, Listed
from groupsim.events.types import MemberId, Partitions, Plan
from groupsim.simulation.clients import metadata
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.streams.application import StreamsApplication
from groupsim.simulation.clients.streams.task_states import ends


class SubscriptionInfo(msgspec.Struct, frozen=True):
    """What a member says of itself: its process, and by task the offsets of its state."""

    process: str
    offsets: dict[str, int] = {}


class AssignmentInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a member gets besides its partitions: its standby tasks, and when to join again (ms; None: not)."""

    standby: tuple[str, ...] = ()
    next_ms: int | None = None


def user_data(client: Client) -> str | None:
    """What a stream thread adds to its subscription; None for another consumer."""
    if client.tasks is None:
        return None
    offsets = {str(task): records for task, records in client.tasks.offset_sums().items()}
    return msgspec.json.encode(SubscriptionInfo(client.tasks.process_id, offsets)).decode()


def assign(client: Client, answer: JoinAnswer) -> tuple[Plan, tuple[tuple[MemberId, str], ...]]:
    """The leader's plan, and what it adds for each member."""
    application = client.streams
    assert application is not None
    config = application.config
    rules = StreamsRules(
        standbys=config.num_standby_replicas,
        warmups=config.max_warmup_replicas,
        acceptable_lag=config.acceptable_recovery_lag,
    )
    given = streams_assignment(
        [_member(application, listed) for listed in answer.members],
        answer.member,
        application.all_tasks(metadata.counts(client)),
        ends(application, client.cluster_topics),
        rules,
    )
    plan = {member: application.read(tasks.active) for member, tasks in sorted(given.items())}
    probing_ms = client.now + config.probing_rebalance_interval_ms
    return plan, tuple((member, _info(tasks, probing_ms)) for member, tasks in sorted(given.items()))


def _member(application: StreamsApplication, listed: Listed) -> StreamsMember:
    info = msgspec.json.decode(listed.metadata.user_data or "{}", type=SubscriptionInfo)
    return StreamsMember(
        listed.member,
        info.process,
        application.tasks_of(listed.metadata.owned),
        {_task(name): records for name, records in info.offsets.items()},
    )


def _info(tasks: StreamsTasks, probing_ms: int) -> str:
    next_ms: Mapping[FollowUp, int] = {FollowUp.AT_ONCE: 0, FollowUp.PROBING: probing_ms}
    info = AssignmentInfo(tuple(map(str, tasks.standby)), next_ms.get(tasks.follow_up))
    return msgspec.json.encode(info).decode()


def take_in(client: Client, assigned: Partitions, data: str | None) -> int | None:
    """These are its tasks now. When it has to join again (ms), None if it has not. Kafka: onAssignment."""
    assert client.tasks is not None
    assert client.streams is not None
    info = msgspec.json.decode(data or "{}", type=AssignmentInfo)
    client.tasks.assign(client.streams.tasks_of(assigned), map(_task, info.standby))
    return info.next_ms


def _task(name: str) -> TaskId:
    part, _, number = name.partition("_")
    return TaskId(int(part), int(number))
