"""One record of `__consumer_offsets`, from a segment file, a dump, a formatter's output or the topic itself.

With the types of records, and the times of those that have none of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class GroupRecord(msgspec.Struct, frozen=True):
    """A record of the coordinator's log; those of one `batch` were written in one step.

    `kind` is the name of the key's schema in Kafka's group-coordinator resources without its ending, such as
    `OffsetCommit`, `GroupMetadata`, `ConsumerGroupMetadata`, `ConsumerGroupCurrentMemberAssignment`; key and value are
    the fields by the names that Kafka's schemas give them. A `value` of None is a tombstone.
    """

    offset: int
    batch: int
    """Offset of the batch's first record."""
    at_ms: int
    """CreateTime, milliseconds since 1970."""
    kind: str
    key: Mapping[str, object]
    value: Mapping[str, object] | None
    key_version: int
    """Version of the key's schema, which is the type of the record: 3 is ConsumerGroupMetadata."""
    value_version: int | None
    place: str
    """Where it was read, for messages: file and line or position."""


KINDS = {
    0: "OffsetCommit",
    1: "OffsetCommit",
    2: "GroupMetadata",
    3: "ConsumerGroupMetadata",
    4: "ConsumerGroupPartitionMetadata",
    5: "ConsumerGroupMemberMetadata",
    6: "ConsumerGroupTargetAssignmentMetadata",
    7: "ConsumerGroupTargetAssignmentMember",
    8: "ConsumerGroupCurrentMemberAssignment",
    16: "ConsumerGroupRegularExpression",
}
"""By the version of the key's schema (Kafka's CoordinatorRecordType); other types are of share and streams groups."""


LATEST_MS = 253_370_764_799_999
"""The end of the year 9998: a later time, or what is added to it, may have no date."""
_FIELDS = ("commitTimestamp", "currentStateTimestamp", "assignmentTimestamp", "timestamp")


def own_time(value: Mapping[str, object] | None, otherwise: int) -> int:
    """The time in a value, milliseconds since 1970; `otherwise` where there is none, as in a tombstone."""
    for name in _FIELDS if value is not None else ():
        found = value.get(name) if value is not None else None
        if isinstance(found, int) and 0 < found <= LATEST_MS:
            return found
    return otherwise
