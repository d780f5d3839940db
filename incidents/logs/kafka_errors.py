"""Kafka's errors that a consumer of a group can get, and how brokers and client libraries word each of them.

The numbers are those of `org.apache.kafka.common.protocol.Errors`; without one, it is an error of clients alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class KafkaError(NamedTuple):
    """One error: its name in the protocol, its number, and what stands in a line that names it."""

    name: str
    code: int | None
    words: str


ERRORS: tuple[KafkaError, ...] = (
    KafkaError(
        "UNKNOWN_TOPIC_OR_PARTITION",
        3,
        r"UNKNOWN_TOPIC_OR_PART|UnknownTopicOrPartition|[Uu]nknown topic or partition|[Ss]ubscribed topic not available"
        r"|topic or partition that does not exist|does not host this topic-partition|MissingSourceTopic"
        r"|INCOMPLETE_SOURCE_TOPIC_METADATA|[Tt]opic \S{1,249} is not available during auto-create"
        r"|[Tt]opic \S{1,249} not found in cluster metadata"
        r"|no topics in metadata matched subscription",
    ),
    KafkaError(
        "LEADER_NOT_AVAILABLE",
        5,
        r"LEADER_NOT_AVAILABLE|LeaderNotAvailable|Broker: Leader not available|No partition metadata for topic",
    ),
    KafkaError(
        "COORDINATOR_LOAD_IN_PROGRESS",
        14,
        r"(?:COORDINATOR|GROUP)_LOAD_IN_PROGRESS|(?:Coordinator|Group)LoadInProgress|[Cc]oordinator is loading"
        r"|[Cc]oordinator load in progress|Group Load In Progress",
    ),
    KafkaError(
        "COORDINATOR_NOT_AVAILABLE",
        15,
        r"COORDINATOR_NOT_AVAILABLE|CoordinatorNotAvailable|[Cc]oordinator (?:is )?[Nn]ot [Aa]vailable",
    ),
    KafkaError(
        "NOT_COORDINATOR",
        16,
        r"NOT_COORDINATOR|NotCoordinator|not the correct coordinator|not coordinated by this broker"
        r"|Broker: Not coordinator|Not Coordinator For Group",
    ),
    KafkaError(
        "ILLEGAL_GENERATION",
        22,
        r"ILLEGAL_GENERATION|Illegal ?Generation|generation id is not (?:the current|valid)",
    ),
    KafkaError(
        "INCONSISTENT_GROUP_PROTOCOL",
        23,
        r"INCONSISTENT_GROUP_PROTOCOL|InconsistentGroupProtocol|[Ii]nconsistent [Gg]roup [Pp]rotocol"
        r"|protocols are incompatible with those of existing members|group protocol type is incompatible",
    ),
    KafkaError("INVALID_GROUP_ID", 24, r"INVALID_GROUP_ID|InvalidGroupId|Broker: Invalid group\.id"),
    KafkaError(
        "UNKNOWN_MEMBER_ID",
        25,
        r"UNKNOWN_MEMBER_ID|UnknownMemberId|Unknown Member ID|not aware of this member|Broker: Unknown member",
    ),
    KafkaError(
        "INVALID_SESSION_TIMEOUT", 26, r"INVALID_SESSION_TIMEOUT|InvalidSessionTimeout|Broker: Invalid session timeout"
    ),
    KafkaError(
        "REBALANCE_IN_PROGRESS",
        27,
        r"REBALANCE_IN_PROGRESS|RebalanceInProgress|group is rebalancing, so a rejoin|[Rr]ebalance for the group is in"
        r" progress|Group rebalance in progress",
    ),
    KafkaError(
        "TOPIC_AUTHORIZATION_FAILED",
        29,
        r"TOPIC_AUTHORIZATION_FAILED|TopicAuthorization|[Nn]ot authorized to access (?:topics|this topic)"
        r"|Topic [Aa]uthorization [Ff]ailed",
    ),
    KafkaError(
        "GROUP_AUTHORIZATION_FAILED",
        30,
        r"GROUP_AUTHORIZATION_FAILED|GroupAuthorization|[Nn]ot authorized to access (?:this )?group"
        r"|Group [Aa]uthorization [Ff]ailed",
    ),
    KafkaError(
        "UNSUPPORTED_VERSION",
        35,
        r"UNSUPPORTED_VERSION|UnsupportedVersion|version of API is not supported|does not support the new"
        r" CONSUMER group",
    ),
    KafkaError("NON_EMPTY_GROUP", 68, r"NON_EMPTY_GROUP|GroupNotEmpty"),
    KafkaError("GROUP_ID_NOT_FOUND", 69, r"GROUP_ID_NOT_FOUND|GroupIdNotFound"),
    KafkaError("MEMBER_ID_REQUIRED", 79, r"MEMBER_ID_REQUIRED|MemberIdRequired|valid member ID"),
    KafkaError(
        "GROUP_MAX_SIZE_REACHED",
        81,
        r"GROUP_MAX_SIZE_REACHED|GroupMaxSizeReached|configured maximum number of members|group has reached (?:its )?"
        r"maximum size",
    ),
    KafkaError(
        "FENCED_INSTANCE_ID",
        82,
        r"FENCED_INSTANCE_ID|FencedInstanceId|fenced by other consumer with same group\.instance\.id"
        r"|group\.instance\.id gets fenced|rejected this static consumer|group instance id .{1,300} has been fenced",
    ),
    KafkaError("FENCED_MEMBER_EPOCH", 110, r"FENCED_MEMBER_EPOCH|FencedMemberEpoch|member epoch is fenced"),
    KafkaError(
        "UNRELEASED_INSTANCE_ID",
        111,
        r"UNRELEASED_INSTANCE_ID|UnreleasedInstanceId|instance ID is still used by another|instance id is owned by",
    ),
    KafkaError(
        "UNSUPPORTED_ASSIGNOR", 112, r"UNSUPPORTED_ASSIGNOR|UnsupportedAssignor|assignor or its version range is not"
    ),
    KafkaError("STALE_MEMBER_EPOCH", 113, r"STALE_MEMBER_EPOCH|StaleMemberEpoch|member epoch is stale"),
    KafkaError(
        "MAX_POLL_EXCEEDED",
        None,
        r"_MAX_POLL_EXCEEDED|[Mm]aximum application poll interval|[Aa]pplication maximum poll interval",
    ),
    KafkaError("COMMIT_FAILED", None, r"CommitFailed(?:Exception|Error)"),
    KafkaError(
        "ALL_BROKERS_DOWN",
        None,
        r"_ALL_BROKERS_DOWN|\d/\d{1,4} brokers are down|NoBrokersAvailable|run out of available brokers"
        r"|[Nn]o available broker to send",
    ),
)
_CODES = {error.code: error.name for error in ERRORS if error.code is not None}
_WORDS = re.compile("|".join(error.words for error in ERRORS))
"""Without groups: `re` then passes over a text several times as fast, and nearly every line names no error."""
_NAMED = re.compile("|".join(f"(?P<{error.name}>{error.words})" for error in ERRORS))
_HEAD = 4_000


def error_named(code: int) -> str | None:
    """The name of an error by its number; None for one that no group's member gets."""
    return _CODES.get(code)


def error_in(text: str) -> str | None:
    """The name of the first error that a text words; None if it words none."""
    found = _WORDS.search(text, 0, _HEAD)
    named = None if found is None else _NAMED.match(text, found.start(), _HEAD)
    return None if named is None else named.lastgroup
