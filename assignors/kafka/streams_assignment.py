"""StreamsPartitionAssignor: what each member of a classic group of Kafka Streams gets (KIP-429, KIP-441).

The task assignor plans for processes. A task that another member has yet to give up is withheld until the next
rebalance, which follows at once; a new owner that has some of its state keeps it as a standby. While tasks warm up, a
rebalance follows later, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.assignors.kafka.client_tasks import (
    RUNNING,
    UNKNOWN,
    Client,
    ClientAnswer,
    ClientProblem,
    TaskId,
    Tasks,
)
from groupsim.assignors.kafka.high_availability import high_availability


class FollowUp(StrEnum):
    """Whether a member is asked to join again on its own account, and when."""

    NONE = "none"
    AT_ONCE = "at-once"
    PROBING = "probing"
    """After probing.rebalance.interval.ms."""


@dataclass(frozen=True, slots=True)
class StreamsMember:
    """A stream thread that has joined: its process (a UUID), what it owns, how much of each task's state it has.

    `offsets`: by task, those of active tasks that run are RUNNING (Kafka: SubscriptionInfo.taskOffsetSums).
    """

    id: str
    process: str
    owned: Tasks = ()
    offsets: Mapping[TaskId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamsTasks:
    """What a member gets in this rebalance, sorted. `standby`: warm-ups, too."""

    active: Tasks
    standby: Tasks
    follow_up: FollowUp = FollowUp.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsRules:
    """`standbys`: num.standby.replicas; `warmups`: max.warmup.replicas; `acceptable_lag`: acceptable.recovery.lag."""

    standbys: int = 0
    warmups: int = 2
    acceptable_lag: int = 10_000
    assign: Callable[[ClientProblem], ClientAnswer] = high_availability


def lag(offset: int | None, end: int) -> int:
    """How many records a task has to restore where `offset` of `end` are there (ClientState.computeTaskLags)."""
    if offset is None or offset > end:
        return end
    return offset if offset in (RUNNING, UNKNOWN) else end - offset


def streams_assignment(
    members: Sequence[StreamsMember],
    leader: str,
    tasks: Collection[TaskId],
    ends: Mapping[TaskId, int],
    rules: StreamsRules,
) -> dict[str, StreamsTasks]:
    """Each member's tasks; each process has one stream thread. `ends`: of the changelogs of tasks that have state.

    Kafka: StreamsPartitionAssignor.assign, addClientAssignments. BadSpec for two members with one process id.
    """
    problem = ClientProblem(
        clients=tuple(
            Client(m.process, lags={task: lag(m.offsets.get(task), end) for task, end in ends.items()}) for m in members
        ),
        tasks=tasks,
        stateful=tuple(ends),
        standbys=rules.standbys,
        warmups=rules.warmups,
        acceptable_lag=rules.acceptable_lag,
    )
    planned = rules.assign(problem)
    owned = {task for member in members for task in member.owned}
    given: dict[str, StreamsTasks] = {}
    for member in members:
        plan = planned.clients[member.process]
        later = tuple(task for task in plan.active if task in owned and task not in member.owned)
        kept = (task for task in later if task in ends and member.offsets.get(task, RUNNING) != RUNNING)
        follow_up = FollowUp.PROBING if planned.probing and member.id == leader else FollowUp.NONE
        given[member.id] = StreamsTasks(
            active=tuple(task for task in plan.active if task not in later),
            standby=tuple(sorted({*plan.standby, *kept})),
            follow_up=FollowUp.AT_ONCE if later else follow_up,
        )
    return given
