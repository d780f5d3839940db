"""The state of a streams group: immutable, changed by `evolve` alone (Kafka: StreamsGroup, StreamsGroupMember)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from groupsim.coordinator.config import StreamsGroupConfig
from groupsim.coordinator.modern.state import Holding, ModernGroup, ModernMember, Phase
from groupsim.events.streams import Endpoint, InternalTopicsRefused, Pairs, Tasks, Topology, TopologyConfigured
from groupsim.events.types import MemberId, Partitions, Plan, TopicPartition

NOT_VALIDATED = -1
"""The validated topology epoch of a group whose topics are not all there."""
Offsets = Mapping[TopicPartition, int]
"""Task -> sum of the offsets of its changelogs."""


class Member(ModernMember, frozen=True, kw_only=True):
    """A member. `active` and `standby` tasks it runs, those that are pending it has to give up.

    `process` is the program it belongs to; `tags` of the client (`client.tag.…`), sorted. `tasks` are the same as
    `active` and `standby`.
    """

    topology_epoch: int = 0
    process: str = ""
    endpoint: Endpoint | None = None
    tags: Pairs = ()
    active: Holding = msgspec.field(default_factory=dict)
    standby: Partitions = ()
    pending_active: Holding = msgspec.field(default_factory=dict)
    pending_standby: Partitions = ()
    tasks: Tasks = Tasks()

    def away(self) -> Member:
        """What it has to give up is free at once."""
        active = dict.fromkeys(self.active, 0)
        return replace(super().away(), active=active, pending_active={}, pending_standby=())


class StreamsGroup(ModernGroup[Member, Tasks], frozen=True, kw_only=True):
    """A group as its coordinator knows it.

    `validated_epoch` is that of the topology once its topics were all there; `assignment_configs` are those of the last
    epoch. Not durable is what follows: `configured`; what members said of their tasks' `offsets` and `end_offsets`;
    `copied`, the targets of `copied_epoch` that members are reconciled towards; `endpoint_epoch`; `shutdown`, who wants
    the application to end; `delaying`, no target is computed yet; `refused`, why internal topics could not be made.
    """

    no_target: ClassVar[Any] = Tasks()
    topology: Topology | None = None
    validated_epoch: int = NOT_VALIDATED
    assignment_configs: Pairs = ()
    configured: TopologyConfigured | None = None
    offsets: Mapping[MemberId, Offsets] = msgspec.field(default_factory=dict)
    end_offsets: Mapping[MemberId, Offsets] = msgspec.field(default_factory=dict)
    copied: Mapping[MemberId, Tasks] = msgspec.field(default_factory=dict)
    copied_epoch: int = -1
    endpoint_epoch: int = 0
    shutdown: MemberId | None = None
    delaying: bool = False
    refused: InternalTopicsRefused | None = None

    @property
    def config(self) -> StreamsGroupConfig:
        """The settings of streams groups."""
        return self.configs.streams

    @property
    def assignment(self) -> Plan:
        """The active tasks each member may run, sorted by member id."""
        return {m: tuple(sorted(self.members[m].active)) for m in sorted(self.members)}

    @property
    def phase(self) -> Phase:
        """The group's state as an administrator sees it (Kafka: StreamsGroup.maybeUpdateGroupState)."""
        if self.members and self.topology is not None and self.validated_epoch != self.topology.epoch:
            return Phase.NOT_READY
        return super().phase

    def without(self, member: MemberId) -> StreamsGroup:
        """The wish for a shutdown goes with the last member, not with the one that had it: defect `shutdown-sticks`."""
        after = replace(
            super().without(member),
            offsets={m: kept for m, kept in self.offsets.items() if m != member},
            end_offsets={m: kept for m, kept in self.end_offsets.items() if m != member},
        )
        return after if after.members else replace(after, shutdown=None)
