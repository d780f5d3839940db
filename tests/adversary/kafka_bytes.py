"""Keys and values of `__consumer_offsets` as bytes, from fields by Kafka's names, apart from the reader's schemas.

Source: Kafka's message definitions: OffsetCommitKey and -Value, GroupMetadataKey and -Value, those of consumer groups
(KIP-848), ConsumerProtocolSubscription and -Assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.adversary.kafka_fields import Out

Fields = Mapping[str, Any]
NEWEST = {1: 4, 2: 4}
"""The newest version of a value by type; 0 for all others."""
_FLEXIBLE = {1: 4, 2: 4}


def key(kind: int, said: Fields) -> bytes:
    """Type and fields of a key."""
    out = Out(False)
    out.number("h", kind)
    for name in ("group", "groupId", "topic", "partition", "memberId", "regularExpression"):
        if name in said:
            out.number("i", said[name]) if name == "partition" else out.text(said[name])
    return bytes(out.data)


def at_version(kind: int, version: int, value: Fields) -> dict[str, Any]:
    """The fields that a version has; those of members, too."""
    since = {1: {"leaderEpoch": 3, "topicId": 4}, 2: {"currentStateTimestamp": 2}}.get(kind, {})
    found = {name: each for name, each in value.items() if since.get(name, 0) <= version}
    if kind == 1 and version == 1:
        found["expireTimestamp"] = -1
    if kind == 2:
        newer = {"groupInstanceId": 3, "rebalanceTimeout": 1}
        found["members"] = [{n: m for n, m in each.items() if newer.get(n, 0) <= version} for each in value["members"]]
    return found


def value(kind: int, version: int, said: Fields, later: bool = False) -> bytes:
    """Version and fields of a value, as `at_version` gives them."""
    out = Out(version >= _FLEXIBLE.get(kind, 0), later)
    out.number("h", version)
    _VALUES[kind](out, said)
    return bytes(out.data)


def subscription(said: Fields) -> bytes:
    """What a classic member subscribes to; fields that its version does not have are not among those given."""
    version = 3 if "rackId" in said else 2 if "generationId" in said else int("ownedPartitions" in said)
    out = Out(False)
    out.number("h", version)
    out.array(said["topics"], out.text)
    out.base64(said["userData"])
    if version >= 1:
        _partitions(out, said["ownedPartitions"], "topic")
    if version >= 2:
        out.number("i", said["generationId"])
    if version >= 3:
        out.text(said["rackId"])
    return bytes(out.data)


def assignment(said: Fields, version: int = 3) -> bytes:
    """What a classic member was assigned."""
    out = Out(False)
    out.number("h", version)
    _partitions(out, said["assignedPartitions"], "topic")
    out.base64(said["userData"])
    return bytes(out.data)


def _partitions(out: Out, found: Sequence[Fields], topic: str) -> None:
    def one(each: Fields) -> None:
        (out.text if topic == "topic" else out.uuid)(each[topic])
        out.numbers(each["partitions"])
        if topic == "topicId":
            epochs = each.get("assignmentEpochs")
            out.tags({} if epochs is None else {0: lambda inner: inner.numbers(epochs)})

    out.array(found, one)


def _commit(out: Out, said: Fields) -> None:
    out.number("q", said["offset"])
    if "leaderEpoch" in said:
        out.number("i", said["leaderEpoch"])
    out.text(said["metadata"])
    out.number("q", said["commitTimestamp"])
    if "expireTimestamp" in said:
        out.number("q", said["expireTimestamp"])
    out.tags({0: lambda inner: inner.uuid(said["topicId"])} if "topicId" in said else {})


def _generation(out: Out, said: Fields) -> None:
    def member(each: Fields) -> None:
        out.text(each["memberId"])
        if "groupInstanceId" in each:
            out.text(each["groupInstanceId"])
        out.text(each["clientId"])
        out.text(each["clientHost"])
        if "rebalanceTimeout" in each:
            out.number("i", each["rebalanceTimeout"])
        out.number("i", each["sessionTimeout"])
        out.raw(subscription(each["subscription"]))
        out.raw(assignment(each["assignment"]))
        out.tags()

    out.text(said["protocolType"])
    out.number("i", said["generation"])
    out.text(said["protocol"])
    out.text(said["leader"])
    if "currentStateTimestamp" in said:
        out.number("q", said["currentStateTimestamp"])
    out.array(said["members"], member)
    out.tags()


def _group(out: Out, said: Fields) -> None:
    out.number("i", said["epoch"])
    out.tags({0: lambda inner: inner.number("q", said["metadataHash"])} if "metadataHash" in said else {})


def _topics(out: Out, said: Fields) -> None:
    def racks(each: Fields) -> None:
        out.number("i", each["partition"])
        out.array(each["racks"], out.text)
        out.tags()

    def topic(each: Fields) -> None:
        out.uuid(each["topicId"])
        out.text(each["topicName"])
        out.number("i", each["numPartitions"])
        out.array(each["partitionMetadata"], racks)
        out.tags()

    out.array(said["topics"], topic)
    out.tags()


def _member(out: Out, said: Fields) -> None:
    for name in ("instanceId", "rackId", "clientId", "clientHost"):
        out.text(said[name])
    out.array(said["subscribedTopicNames"], out.text)
    out.text(said["subscribedTopicRegex"])
    out.number("i", said["rebalanceTimeoutMs"])
    out.text(said["serverAssignor"])
    classic = said["classicMemberMetadata"]
    out.tags({} if classic is None else {0: lambda inner: _classic(inner, classic)})


def _classic(out: Out, said: Fields) -> None:
    def protocol(each: Fields) -> None:
        out.text(each["name"])
        out.base64(each["metadata"])
        out.tags()

    out.number("b", 1)  # it is there
    out.number("i", said["sessionTimeoutMs"])
    out.array(said["supportedProtocols"], protocol)
    out.tags()


def _target_epoch(out: Out, said: Fields) -> None:
    out.number("i", said["assignmentEpoch"])
    known = said.get("assignmentTimestamp")
    out.tags({} if known is None else {0: lambda inner: inner.number("q", known)})


def _target(out: Out, said: Fields) -> None:
    _partitions(out, said["topicPartitions"], "topicId")
    out.tags()


def _current(out: Out, said: Fields) -> None:
    out.number("i", said["memberEpoch"])
    out.number("i", said["previousMemberEpoch"])
    out.number("b", said["state"])
    _partitions(out, said["assignedPartitions"], "topicId")
    _partitions(out, said["partitionsPendingRevocation"], "topicId")
    out.tags()


def _expression(out: Out, said: Fields) -> None:
    out.array(said["topics"], out.text)
    out.number("q", said["version"])
    out.number("q", said["timestamp"])
    out.tags()


_VALUES: dict[int, Callable[[Out, Fields], None]] = {
    1: _commit,
    2: _generation,
    3: _group,
    4: _topics,
    5: _member,
    6: _target_epoch,
    7: _target,
    8: _current,
    16: _expression,
}
