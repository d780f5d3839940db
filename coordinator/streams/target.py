"""The target: who is to run what at the group's epoch (Kafka: streams.TargetAssignmentBuilder)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.assignors.kafka.streams_sticky import (
    MemberTasks,
    StreamsMember,
    StreamsProblem,
    Subtopology,
    streams_sticky,
)
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.target import members_in_order
from groupsim.coordinator.streams.evolve import StreamsDecision
from groupsim.coordinator.streams.group_config import standbys
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.events import streams as facts
from groupsim.events.streams import Tasks
from groupsim.events.types import Partitions, TopicPartition


def update_target(decision: StreamsDecision, known: StreamsGroup, context: Context) -> None:
    """Compute a new target for everybody; `known` is the group before the request.

    Without all its topics nobody is to run anything. Raises AssignorError where Kafka's assignor throws.
    """
    group = decision.group
    configured = group.configured
    target: Mapping[str, MemberTasks] = {}
    if configured is not None and configured.problem is None:
        target = streams_sticky(problem(group, known, standbys(group.configs, context)))
    wanted = {member: _tasks(target.get(member, MemberTasks())) for member in sorted(group.members)}
    changed = {member: tasks for member, tasks in wanted.items() if group.targets.get(member) != tasks}
    decision.record(facts.StreamsTargetComputed(epoch=group.epoch, changed=changed, at_ms=context.at_ms))


def problem(group: StreamsGroup, known: StreamsGroup, replicas: int) -> StreamsProblem:
    """What the assignor is asked: what members run now, before Kafka 4.4 what the last target said."""
    stateful = {part.id: bool(part.changelogs) for part in (group.topology.subtopologies if group.topology else ())}
    tasks = group.configured.tasks if group.configured is not None else {}
    return StreamsProblem(
        members=tuple(_asked(group, member) for member in members_in_order(group, known)),
        subtopologies={part: Subtopology(count, stateful[part]) for part, count in tasks.items()},
        standbys=replicas,
    )


def _asked(group: StreamsGroup, member: Member) -> StreamsMember:
    reported: dict[str, dict[int, int]] = {}
    for (part, number), offset in group.offsets.get(member.id, {}).items():
        reported.setdefault(part, {})[number] = offset
    last = group.targets.get(member.id, Tasks())
    has = member.tasks if group.behaviour.streams_assigns_by_members else last
    return StreamsMember(member.id, member.process, numbers(has.active), numbers(has.standby), reported)


def numbers(tasks: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Tasks by subtopology, sorted."""
    by_part: dict[str, list[int]] = {}
    for part, number in sorted(tasks):
        by_part.setdefault(part, []).append(number)
    return by_part


def _tasks(assigned: MemberTasks) -> Tasks:
    return Tasks(_sorted(assigned.active), _sorted(assigned.standby))


def _sorted(by_part: Mapping[str, tuple[int, ...]]) -> Partitions:
    return tuple(sorted(TopicPartition(part, number) for part, listed in by_part.items() for number in listed))
