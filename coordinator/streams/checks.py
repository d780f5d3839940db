"""What a StreamsGroupHeartbeat must look like, in the broker's order, with Kafka's messages.

Kafka: GroupCoordinatorService.throwIfStreamsGroupHeartbeatRequestIsInvalid. Who may do what is not looked at: a
simulated broker has no authorizer.
"""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.config import Configs
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.commands import JOIN_EPOCH, NO_TIMEOUT
from groupsim.coordinator.modern.state import AWAY_EPOCH
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.streams.commands import StreamsHeartbeat
from groupsim.events.streams import TopologyConfigured
from groupsim.events.types import GroupId

GROUP_TYPE = "streams"
"""The name of this protocol in `group.coordinator.rebalance.protocols`."""


def check_request(group: GroupId, configs: Configs, cmd: StreamsHeartbeat) -> None:
    """Raises RequestRefused for the first thing that is wrong."""
    coordinator = configs.coordinator
    listed = GROUP_TYPE in coordinator.group_coordinator_rebalance_protocols
    if not listed or not behaviour(coordinator.broker_version).streams_and_share:
        raise RequestRefused(Error.UNSUPPORTED_VERSION)
    for error, message in (*_unknown(configs, cmd), *_wrong(group, cmd)):
        raise RequestRefused(error, message)


def _unknown(configs: Configs, cmd: StreamsHeartbeat) -> Iterator[tuple[Error, str]]:
    """What a broker does not support yet (Kafka 4.3: throwIfStreamsGroupHeartbeatRequestIsUsingUnsupportedFeatures)."""
    knows = behaviour(configs.coordinator.broker_version)
    if not knows.streams_static_members and cmd.instance_id is not None:
        yield Error.INVALID_REQUEST, "Static membership is not yet supported."
    if not knows.streams_task_offsets:
        said = {"TaskOffsets": cmd.offsets, "TaskEndOffsets": cmd.end_offsets, "WarmupTasks": cmd.warmup or None}
        yield from ((Error.INVALID_REQUEST, f"{w} are not supported yet.") for w, v in said.items() if v is not None)


def _wrong(group: GroupId, cmd: StreamsHeartbeat) -> Iterator[tuple[Error, str]]:
    invalid = Error.INVALID_REQUEST
    parts = cmd.topology.subtopologies if cmd.topology is not None else ()
    if any(part.expressions for part in parts):
        yield invalid, "Regular expressions for source topics are not supported yet."
    named = {"MemberId": cmd.member, "GroupId": group, "InstanceId": cmd.instance_id, "RackId": cmd.rack}
    yield from ((invalid, f"{what} can't be empty.") for what, text in named.items() if text == "")
    if cmd.epoch == JOIN_EPOCH:
        yield from _wrong_join(cmd)
    elif cmd.epoch == AWAY_EPOCH and cmd.instance_id is None:
        yield invalid, "InstanceId can't be null."
    elif cmd.epoch < AWAY_EPOCH:
        yield invalid, f"MemberEpoch is {cmd.epoch}, but must be greater than or equal to {AWAY_EPOCH}."
    lists = (cmd.active, cmd.standby, cmd.warmup)
    if any(tasks is None for tasks in lists) and any(tasks is not None for tasks in lists):
        yield invalid, "If one task-type is non-null, all must be non-null."
    if cmd.epoch != JOIN_EPOCH and cmd.topology is not None:
        yield invalid, "Topology can only be provided when (re-)joining."


def _wrong_join(cmd: StreamsHeartbeat) -> Iterator[tuple[Error, str]]:
    invalid = Error.INVALID_REQUEST
    if cmd.rebalance_timeout_ms == NO_TIMEOUT:
        yield invalid, "RebalanceTimeoutMs must be provided in first request."
    lists = {"ActiveTasks": cmd.active, "StandbyTasks": cmd.standby, "WarmupTasks": cmd.warmup}
    yield from ((invalid, f"{what} must be empty when (re-)joining.") for what, tasks in lists.items() if tasks != ())
    if cmd.topology is None:
        yield invalid, "Topology must be non-null when (re-)joining."
        return
    for topic in (topic for part in cmd.topology.subtopologies for topic in part.changelogs):
        if topic.partitions:
            yield (
                Error.STREAMS_INVALID_TOPOLOGY,
                f"Changelog topic {topic.name} must have an undefined partition count, but it is set to"
                f" {topic.partitions}.",
            )


def check_owned(configured: TopologyConfigured, cmd: StreamsHeartbeat) -> None:
    """Every task that the member lists exists, once the topics are all there. Raises RequestRefused."""
    if configured.problem is not None:
        return
    for part, number in (task for tasks in (cmd.active, cmd.standby, cmd.warmup) for task in tasks or ()):
        if part not in configured.tasks:
            raise RequestRefused(Error.INVALID_REQUEST, f"Subtopology {part} does not exist in the topology.")
        if not 0 <= number < configured.tasks[part]:
            message = f"Task {number} for subtopology {part} is invalid. Number of tasks for this subtopology: "
            raise RequestRefused(Error.INVALID_REQUEST, message + str(configured.tasks[part]))
