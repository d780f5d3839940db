"""Keys and values of group records as data: the fields of each type in each version, by Kafka's own names.

Source: the JSON definitions in Kafka's `group-coordinator/src/main/resources/common/message`, and those of
`ConsumerProtocolSubscription` and `ConsumerProtocolAssignment` in `clients`.
"""

from __future__ import annotations

from typing import NamedTuple

ANY = 99
"""A field that the newest version still has."""


class Field(NamedTuple):
    """One field, in the versions `since` to `until`.

    `kind` is a number (`int8`, `int32`, `int64`), `uuid`, `string`, `bytes` (given as base64), `raw` (the bytes
    themselves), `[]int32`, `[]string`, or the fields of a
    structure, of which there is one (`many` false) or an array. A field with a `tag` that is not there is None if
    it may be null, else it is missing, as in Kafka's JSON.
    """

    name: str
    kind: str | tuple[Field, ...]
    since: int = 0
    until: int = ANY
    nullable: bool = False
    tag: int | None = None
    many: bool = True


class Schema(NamedTuple):
    """The fields of a key or a value: its newest known version, and from which one on lengths are varints."""

    newest: int
    flexible: int
    fields: tuple[Field, ...]


_OWNED = Field("ownedPartitions", (Field("topic", "string"), Field("partitions", "[]int32")), since=1)
SUBSCRIPTION = Schema(
    3,
    ANY,
    (
        Field("topics", "[]string"),
        Field("userData", "bytes", nullable=True),
        _OWNED,
        Field("generationId", "int32", since=2),
        Field("rackId", "string", since=3, nullable=True),
    ),
)
"""What a member of a classic consumer group subscribes to; it travels as bytes with its version in front."""
ASSIGNMENT = Schema(
    3, ANY, (_OWNED._replace(name="assignedPartitions", since=0), Field("userData", "bytes", nullable=True))
)
"""What the leader of a classic consumer group assigned to a member; bytes with the version in front, too."""

_MEMBER = (
    Field("memberId", "string"),
    Field("groupInstanceId", "string", since=3, nullable=True),
    Field("clientId", "string"),
    Field("clientHost", "string"),
    Field("rebalanceTimeout", "int32", since=1),
    Field("sessionTimeout", "int32"),
    Field("subscription", "raw"),
    Field("assignment", "raw"),
)
_ID_AND_PARTITIONS = (Field("topicId", "uuid"), Field("partitions", "[]int32"))
_HELD = (*_ID_AND_PARTITIONS, Field("assignmentEpochs", "[]int32", nullable=True, tag=0))
_PROTOCOLS = (Field("name", "string"), Field("metadata", "bytes"))
_CLASSIC = (Field("sessionTimeoutMs", "int32"), Field("supportedProtocols", _PROTOCOLS))
_RACKS = (Field("partition", "int32"), Field("racks", "[]string"))

_GROUP = Schema(0, ANY, (Field("groupId", "string"),))
_GROUP_MEMBER = Schema(0, ANY, (Field("groupId", "string"), Field("memberId", "string")))
_COMMIT = Schema(0, ANY, (Field("group", "string"), Field("topic", "string"), Field("partition", "int32")))
KEYS = {
    0: _COMMIT,
    1: _COMMIT,
    2: Schema(0, ANY, (Field("group", "string"),)),
    3: _GROUP,
    4: _GROUP,
    5: _GROUP_MEMBER,
    6: _GROUP,
    7: _GROUP_MEMBER,
    8: _GROUP_MEMBER,
    16: Schema(0, ANY, (Field("groupId", "string"), Field("regularExpression", "string"))),
}
"""By the type of the record, which is the number in front of the key."""

_COMMITTED = Schema(
    4,
    4,
    (
        Field("offset", "int64"),
        Field("leaderEpoch", "int32", since=3),
        Field("metadata", "string"),
        Field("commitTimestamp", "int64"),
        Field("expireTimestamp", "int64", since=1, until=1),
        Field("topicId", "uuid", since=4, tag=0),
    ),
)
VALUES = {
    0: _COMMITTED,
    1: _COMMITTED,
    2: Schema(
        4,
        4,
        (
            Field("protocolType", "string"),
            Field("generation", "int32"),
            Field("protocol", "string", nullable=True),
            Field("leader", "string", nullable=True),
            Field("currentStateTimestamp", "int64", since=2),
            Field("members", _MEMBER),
        ),
    ),
    3: Schema(0, 0, (Field("epoch", "int32"), Field("metadataHash", "int64", tag=0))),
    4: Schema(
        0,
        0,
        (
            Field(
                "topics",
                (
                    Field("topicId", "uuid"),
                    Field("topicName", "string"),
                    Field("numPartitions", "int32"),
                    Field("partitionMetadata", _RACKS),
                ),
            ),
        ),
    ),
    5: Schema(
        0,
        0,
        (
            Field("instanceId", "string", nullable=True),
            Field("rackId", "string", nullable=True),
            Field("clientId", "string"),
            Field("clientHost", "string"),
            Field("subscribedTopicNames", "[]string"),
            Field("subscribedTopicRegex", "string", nullable=True),
            Field("rebalanceTimeoutMs", "int32"),
            Field("serverAssignor", "string", nullable=True),
            Field("classicMemberMetadata", _CLASSIC, nullable=True, tag=0, many=False),
        ),
    ),
    6: Schema(0, 0, (Field("assignmentEpoch", "int32"), Field("assignmentTimestamp", "int64", tag=0))),
    7: Schema(0, 0, (Field("topicPartitions", _ID_AND_PARTITIONS),)),
    8: Schema(
        0,
        0,
        (
            Field("memberEpoch", "int32"),
            Field("previousMemberEpoch", "int32"),
            Field("state", "int8"),
            Field("assignedPartitions", _HELD),
            Field("partitionsPendingRevocation", _HELD),
        ),
    ),
    16: Schema(0, 0, (Field("topics", "[]string"), Field("version", "int64"), Field("timestamp", "int64"))),
}
"""By the type of the record."""

OTHERS = {
    10: "ShareGroupMemberMetadata",
    11: "ShareGroupMetadata",
    12: "ShareGroupTargetAssignmentMetadata",
    13: "ShareGroupTargetAssignmentMember",
    14: "ShareGroupCurrentMemberAssignment",
    15: "ShareGroupStatePartitionMetadata",
    17: "StreamsGroupMetadata",
    18: "StreamsGroupPartitionMetadata",
    19: "StreamsGroupMemberMetadata",
    20: "StreamsGroupTargetAssignmentMetadata",
    21: "StreamsGroupTargetAssignmentMember",
    22: "StreamsGroupCurrentMemberAssignment",
    23: "StreamsGroupTopology",
}
"""Types of share groups and streams groups, which are counted by name."""
