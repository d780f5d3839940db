"""What differs between broker versions: one table, each row with its source. `broker.version` chooses a column.

The releases were compared class by class: the published sources of 4.0.0, 4.1.0, 4.2.0 and 4.3.1, the classes of 4.4.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

GROUP_MANAGER = "GroupMetadataManager"
RECONCILIATION = "CurrentAssignmentBuilder"


class BrokerVersion(StrEnum):
    """The releases whose behaviour is known: values of the setting `broker.version`."""

    V4_0 = "4.0"
    V4_1 = "4.1"
    V4_2 = "4.2"
    V4_3 = "4.3"
    V4_4 = "4.4"

    def has(self, since: str) -> bool:
        """Whether it has what a release brought."""
        return _ordered(self) >= _ordered(since)


@dataclass(frozen=True, slots=True)
class Difference:
    """One row: before release `since` a broker has `before`, from then on `after`.

    `name` is a field of Behaviour or, with dots, a setting by Kafka's name whose default changed. `source` names the
    ticket or KIP, `where` Kafka's class and method, `meaning` what users see.
    """

    name: str
    before: bool | int | str
    after: bool | int | str
    since: str
    source: str
    where: str
    meaning: str

    def value(self, version: BrokerVersion) -> bool | int | str:
        """What holds in a release."""
        return self.after if version.has(self.since) else self.before


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a coordinator of one version does in groups with epochs; the fields are explained in DIFFERENCES."""

    uniform_assignor: str
    metadata_hash: bool
    own_pending_is_free: bool
    unsubscribed_go_at_once: bool
    epoch_grows_on_acknowledgement: bool
    epoch_zero_always_allowed: bool
    streams_and_share: bool
    first_group_epoch: int
    commits_by_assignment_epoch: bool
    classic_members_wait_for_target: bool
    initialised_waits_for_target: bool
    assignor_change_bumps: bool
    emptied_group_is_assigned: bool
    static_members_exempt_from_size: bool
    classic_metadata_refused_by_name: bool
    streams_static_members: bool
    streams_task_offsets: bool
    streams_assigns_by_members: bool
    streams_copies_at_once: bool
    streams_tells_endpoints: bool
    streams_heartbeat_version: int


DIFFERENCES = (
    Difference(
        "uniform_assignor",
        "uniform",
        "uniform-4.1",
        "4.1",
        "KAFKA-18688",
        "UniformHomogeneousAssignmentBuilder.maybeRevokePartitions",
        "members that have one partition more than others keep it; the name is that of groupsim.assignors",
    ),
    Difference(
        "metadata_hash",
        False,
        True,
        "4.1",
        "KIP-1101 (KAFKA-17747)",
        f"{GROUP_MANAGER}, Utils.computeGroupHash",
        "one hash of all subscribed topics instead of a metadata record; a change of racks starts a rebalance, too",
    ),
    Difference(
        "own_pending_is_free",
        False,
        True,
        "4.2",
        "KAFKA-19449",
        f"{RECONCILIATION}.computeNextAssignment",
        "a partition that the member itself is still to give up can be given back to it: one heartbeat fewer",
    ),
    Difference(
        "unsubscribed_go_at_once",
        False,
        True,
        "4.2",
        "KAFKA-19431",
        f"{RECONCILIATION}.updateCurrentAssignment",
        "partitions of topics that the member no longer subscribes to are revoked before there is a new target",
    ),
    Difference(
        "epoch_grows_on_acknowledgement",
        True,
        False,
        "4.2",
        "KAFKA-19974",
        f"{RECONCILIATION}.build",
        "a member that gave its partitions up and has more to give up gets its epoch plus one; since then, it keeps it",
    ),
    Difference(
        "epoch_zero_always_allowed",
        False,
        True,
        "4.2",
        "KAFKA-19233",
        f"{GROUP_MANAGER}.throwIfConsumerGroupMemberEpochIsInvalid",
        "a known member may join again with epoch 0 at any time; before, FENCED_MEMBER_EPOCH until its session ends",
    ),
    Difference(
        "streams_and_share",
        False,
        True,
        "4.2",
        "KIP-1071, KIP-932",
        "StreamsVersion, ShareVersion",
        "streams groups and share groups; before, they are early access or preview, off by default, and not simulated",
    ),
    Difference(
        "first_group_epoch",
        0,
        1,
        "4.3",
        "KAFKA-20268",
        "ModernGroup",
        "the first member of a new group normally gets epoch 2 instead of 1",
    ),
    Difference(
        "commits_by_assignment_epoch",
        False,
        True,
        "4.3",
        "KIP-1251 (KAFKA-20066)",
        "ConsumerGroup.validateOffsetCommit",
        "a commit with an older epoch is accepted if every partition was assigned at that epoch or before",
    ),
    Difference(
        "classic_members_wait_for_target",
        False,
        True,
        "4.3",
        "KAFKA-20272",
        f"{GROUP_MANAGER}.classicGroupHeartbeatToConsumerGroup",
        "classic members of a mixed group are sent back to join when a new target is there, not when the epoch grows",
    ),
    Difference(
        "initialised_waits_for_target",
        False,
        True,
        "4.3",
        "KIP-1263 (KAFKA-20291)",
        f"{GROUP_MANAGER}.shareGroupHeartbeat",
        "newly initialised partitions let the epoch of a share group grow only if its target is that of the epoch",
    ),
    Difference(
        "assignor_change_bumps",
        False,
        True,
        "4.4",
        "KAFKA-20434",
        f"{GROUP_MANAGER}.hasPreferredServerAssignorChanged",
        "the epoch grows when another assignor wins; with one vote for each of two, at every heartbeat of one of them",
    ),
    Difference(
        "emptied_group_is_assigned",
        False,
        True,
        "4.4",
        "KAFKA-20442",
        f"{GROUP_MANAGER}.consumerGroupFenceMembers",
        "when the last member leaves, the target's epoch follows the group's: the next member's target comes at once",
    ),
    Difference(
        "static_members_exempt_from_size",
        False,
        True,
        "4.4",
        "KAFKA-20601",
        f"{GROUP_MANAGER}.throwIfConsumerGroupIsFull",
        "a static member comes back into a full group",
    ),
    Difference(
        "classic_metadata_refused_by_name",
        False,
        True,
        "4.4",
        "recorded scripts of 4.4.0",
        f"{GROUP_MANAGER}.classicGroupJoinToConsumerGroup",
        "metadata that do not parse: INCONSISTENT_GROUP_PROTOCOL instead of UNKNOWN_SERVER_ERROR",
    ),
    Difference(
        "streams_static_members",
        False,
        True,
        "4.4",
        "KAFKA-20169",
        f"{GROUP_MANAGER}.getOrMaybeCreateStaticStreamsGroupMember",
        "static members of streams groups; before, an instance id is INVALID_REQUEST",
    ),
    Difference(
        "streams_task_offsets",
        False,
        True,
        "4.4",
        "KAFKA-20116, KAFKA-20665",
        f"{GROUP_MANAGER}.streamsGroupHeartbeat",
        "offsets of tasks and warm-ups may be reported, before INVALID_REQUEST; targets are copied once per epoch",
    ),
    Difference(
        "streams_assigns_by_members",
        False,
        True,
        "4.4",
        "recorded scripts of 4.3.1 and 4.4.0",
        "TargetAssignmentBuilder.createAssignmentMemberSpec of streams groups",
        "the assignor goes on from what members run, before from the last target: more moves while they are not done",
    ),
    Difference(
        "streams_copies_at_once",
        False,
        True,
        "4.4",
        "recorded scripts of 4.3.1 and 4.4.0",
        f"{RECONCILIATION}.computeNextAssignment of streams groups",
        "a task that a member has turns from active to standby, or back, at once; before, it is given up in between",
    ),
    Difference(
        "streams_tells_endpoints",
        False,
        True,
        "4.4",
        "recorded scripts of 4.3.1 and 4.4.0",
        f"{GROUP_MANAGER}.streamsGroupHeartbeat",
        "others learn of an endpoint that changes, and a member that joins again without one has none any more",
    ),
    Difference(
        "streams_heartbeat_version",
        0,
        1,
        "4.4",
        "KAFKA-18652, KAFKA-20116",
        "StreamsGroupHeartbeatRequest",
        "the newest version of the request; in version 0 there is neither a lag nor an interval, nor missing tags",
    ),
    Difference(
        "group.coordinator.append.linger.ms",
        5,
        -1,
        "4.2",
        "KAFKA-19826",
        "GroupCoordinatorConfig.GROUP_COORDINATOR_APPEND_LINGER_MS_DEFAULT",
        "an answer that wrote a record waits for others no longer than there are others",
    ),
    Difference(
        "group.consumer.assignment.interval.ms",
        0,
        1000,
        "4.3",
        "KIP-1263 (KAFKA-20291)",
        "GroupCoordinatorConfig.CONSUMER_GROUP_ASSIGNMENT_INTERVAL_MS_DEFAULT",
        "a target stands for so long before another one is computed; without the setting there is no such time",
    ),
    Difference(
        "group.share.assignment.interval.ms",
        0,
        1000,
        "4.3",
        "KIP-1263 (KAFKA-20291)",
        "GroupCoordinatorConfig.SHARE_GROUP_ASSIGNMENT_INTERVAL_MS_DEFAULT",
        "the same for share groups",
    ),
    Difference(
        "group.streams.assignment.interval.ms",
        0,
        1000,
        "4.3",
        "KIP-1263 (KAFKA-20291)",
        "GroupCoordinatorConfig.STREAMS_GROUP_ASSIGNMENT_INTERVAL_MS_DEFAULT",
        "the same for streams groups",
    ),
)
"""Every difference that matters here, in the order in which Kafka changed: first behaviour, then defaults."""


@cache
def behaviour(version: BrokerVersion) -> Behaviour:
    """What a broker of this version does."""
    values: dict[str, Any] = {row.name: row.value(version) for row in DIFFERENCES if "." not in row.name}
    return Behaviour(**values)


def default_settings(version: BrokerVersion) -> dict[str, int]:
    """The defaults of this version, by Kafka's names; settings whose default never changed are not among them."""
    return {row.name: int(row.value(version)) for row in DIFFERENCES if "." in row.name}


def server_assignors(version: BrokerVersion) -> dict[str, str]:
    """Kafka's names of the built-in server-side assignors -> names in groupsim.assignors.ASSIGNORS."""
    return {"uniform": behaviour(version).uniform_assignor, "range": "server-range"}


def _ordered(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
