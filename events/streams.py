"""What a coordinator of streams groups decides (KIP-1071; Kafka: StreamsGroup, GroupMetadataManager).

Recorded in the group's stream, with the facts of `events.group` and those of `events.consumer` whose names say nothing
of consumers. Each durable fact stands for the records Kafka writes in its place: its docstring names them by Kafka's
names without `StreamsGroup`. A task is a partition of a subtopology.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from groupsim.events.base import Event
from groupsim.events.consumer import LossCause, MemberState
from groupsim.events.types import Held, MemberId, Partitions

PROCESS_ID, PROCESS_FOUND = "process.id", "process.found"
"""Among what `ProcessStarted` has of an instance's settings: its process id, and whether that was on its disk."""
STANDBY_TASKS, STANDBYS_DECIDED = "standby.tasks", "standbys.decided"
"""The same: how many standby tasks it has, and how many replicas of each task it decided on as a leader."""
Pairs = tuple[tuple[str, str], ...]
"""Names with values, in the order in which they came."""
Endpoint = tuple[str, int]
"""Host and port (`application.server`)."""
TaskOffsets = tuple[tuple[str, int, int], ...]
"""`(subtopology, partition, sum of the offsets of its changelogs)`, sorted."""


class InternalTopic(msgspec.Struct, frozen=True):
    """A topic that the application keeps for itself. 0 partitions: those of its sources; 0 replicas: the default."""

    name: str
    partitions: int = 0
    replication: int = 0
    configs: Pairs = ()


class Copartition(msgspec.Struct, frozen=True):
    """Topics of a subtopology that need equal numbers of partitions: indexes of its sources and repartition sources."""

    sources: tuple[int, ...] = ()
    repartition: tuple[int, ...] = ()


class Subtopology(msgspec.Struct, frozen=True, kw_only=True):
    """Part of an application that is assigned as a whole. `expressions` are source topics by regular expression."""

    id: str
    sources: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    changelogs: tuple[InternalTopic, ...] = ()
    repartition_sinks: tuple[str, ...] = ()
    repartition_sources: tuple[InternalTopic, ...] = ()
    copartition: tuple[Copartition, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The topics whose partitions its tasks read."""
        return (*self.sources, *(topic.name for topic in self.repartition_sources))


class Topology(msgspec.Struct, frozen=True):
    """An application."""

    epoch: int
    subtopologies: tuple[Subtopology, ...] = ()

    @property
    def required(self) -> list[str]:
        """The topics without which it can't run."""
        named = {*(name for part in self.subtopologies for name in part.inputs)}
        return sorted(named | {topic.name for part in self.subtopologies for topic in part.changelogs})


class Tasks(msgspec.Struct, frozen=True):
    """What a member is to run, sorted. Warm-ups are never assigned in Kafka 4.4."""

    active: Partitions = ()
    standby: Partitions = ()


class StreamsGroupCreated(Event, frozen=True, kw_only=True):
    """A first member came: a new streams group, with no members yet.

    `replaces_classic`: an empty classic group had this name; its GroupMetadata record gets a tombstone.
    """

    durable: ClassVar[bool] = True
    replaces_classic: bool = False


class TopologyStored(Event, frozen=True, kw_only=True):
    """The group's first topology. Record: Topology."""

    durable: ClassVar[bool] = True
    topology: Topology


class StreamsMemberUpdated(Event, frozen=True, kw_only=True):
    """A member is new, or something about it changed. Record: MemberMetadata."""

    durable: ClassVar[bool] = True
    member: MemberId
    instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = 0
    process: str = ""
    endpoint: Endpoint | None = None
    tags: Pairs = ()


class StreamsMemberRemoved(Event, frozen=True, kw_only=True):
    """A member is gone, what it held is free.

    Tombstones: CurrentMemberAssignment, TargetAssignmentMember, MemberMetadata.
    """

    durable: ClassVar[bool] = True
    member: MemberId
    cause: LossCause


class StreamsGroupEpochBumped(Event, frozen=True, kw_only=True):
    """The group epoch grew: a new target is due. Record: Metadata.

    `validated_epoch` is that of the topology if all its topics are there, else -1; `assignment_configs` are the
    settings that the next target depends on.
    """

    durable: ClassVar[bool] = True
    epoch: int
    metadata_hash: int
    validated_epoch: int
    assignment_configs: Pairs
    member: MemberId | None = None


class StreamsTargetComputed(Event, frozen=True, kw_only=True):
    """The target of `epoch` is there. Records: TargetAssignmentMember of `changed`; TargetAssignmentMetadata.

    `changed` has the whole target of each member whose target is another one than before.
    """

    durable: ClassVar[bool] = True
    epoch: int
    changed: dict[MemberId, Tasks]
    at_ms: int | None


class StreamsMemberReconciled(Event, frozen=True, kw_only=True):
    """A member took a step towards its target. Record: CurrentMemberAssignment.

    `active` and `standby` it may run; those that are `pending` it has to give up first.
    """

    durable: ClassVar[bool] = True
    member: MemberId
    epoch: int
    previous_epoch: int
    state: MemberState
    active: Held = ()
    standby: Partitions = ()
    pending_active: Held = ()
    pending_standby: Partitions = ()


class TopologyConfigured(Event, frozen=True, kw_only=True):
    """The topology was compared with the broker's topics. `tasks` by subtopology; empty if `problem` hides them.

    `problem` is a status with its detail; `missing` are internal topics that the broker is to make.
    """

    tasks: dict[str, int] = {}
    problem: tuple[str, str] | None = None
    missing: tuple[InternalTopic, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there are subtopologies with tasks to look at: internal topics that are missing hide nothing."""
        return self.problem is None or bool(self.missing)


class TaskOffsetsReported(Event, frozen=True, kw_only=True):
    """A member said how far its tasks are. None: it did not say, and what it said before holds."""

    member: MemberId
    offsets: TaskOffsets | None = None
    end_offsets: TaskOffsets | None = None


class TargetsCopied(Event, frozen=True, kw_only=True):
    """From here on members are reconciled towards a copy of the targets of `epoch`; None: those of the group.

    Kafka 4.4 keeps it beside the group, for warm-ups that it does not assign yet.
    """

    epoch: int
    targets: dict[MemberId, Tasks] | None = None


class CopiedTargetMoved(Event, frozen=True, kw_only=True):
    """A request named the instance id of another member: that one's copied target is the sender's now."""

    source: MemberId
    member: MemberId


class EndpointsChanged(Event, frozen=True, kw_only=True):
    """Who can be asked for what has changed: the endpoint epoch grew."""

    epoch: int


class ShutdownAsked(Event, frozen=True, kw_only=True):
    """A member wants the whole application to end."""

    member: MemberId


class InitialDelayStarted(Event, frozen=True, kw_only=True):
    """An empty group got a member: no target before the initial delay is over."""


class InitialDelayEnded(Event, frozen=True, kw_only=True):
    """The initial delay is over."""


class InternalTopicsRefused(Event, frozen=True, kw_only=True):
    """The broker could not make internal topics, each for a reason; members learn of it until `until_ms`."""

    reasons: Pairs
    until_ms: int


class UndurableLost(Event, frozen=True, kw_only=True):
    """A request made the group: Kafka throws away what it kept beside the records, but not the initial delay."""


class StreamsHeartbeatReceived(Event, frozen=True, kw_only=True):
    """A StreamsGroupHeartbeat was answered with `error`, ordinarily `NONE`."""

    noise: ClassVar[bool] = True
    member: MemberId
    epoch: int
    error: str
