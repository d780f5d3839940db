"""One record of `__consumer_offsets`, from a segment file, a dump, a formatter's output or the topic itself."""

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
