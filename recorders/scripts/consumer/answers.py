"""Kafka's answers in the form of a script: errors by name, members and topics by label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from groupsim.coordinator.outcome import Error
from recorders.broker.definitions import Definitions, Message
from recorders.scripts.consumer.names import Names
from recorders.scripts.consumer.subscriptions import read_assignment, read_subscription

TYPES = {0: "classic", 1: "consumer"}
OTHER_ERRORS = {36: "TOPIC_ALREADY_EXISTS", 37: "INVALID_PARTITIONS"}
"""Errors that no group coordinator answers."""


def error_name(code: int) -> str:
    """Kafka's name of an error code; its number where no script needs the name."""
    known = {error.value: error.name for error in Error}
    return known.get(code) or OTHER_ERRORS.get(code, str(code))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads answers of one play about its group."""

    group: str
    names: Names
    definitions: Definitions

    def read(self, op: str, answer: Message) -> Message:
        """The answer to an operation, as a script records it."""
        reader: Callable[[Reader, Message], Message] = READERS.get(op, Reader._plain)
        return reader(self, answer)

    def _plain(self, answer: Message) -> Message:
        return {"error": error_name(answer["ErrorCode"])}

    def _consumer_heartbeat(self, answer: Message) -> Message:
        given = answer["Assignment"]
        return {
            "error": error_name(answer["ErrorCode"]),
            "member_id": self.names.label(answer["MemberId"]),
            "member_epoch": answer["MemberEpoch"],
            "heartbeat_interval_ms": answer["HeartbeatIntervalMs"],
            "assignment": None if given is None else self.names.listed(given["TopicPartitions"]),
        }

    def _join(self, answer: Message) -> Message:
        members = [
            {
                "member_id": self.names.label(row["MemberId"]),
                "group_instance_id": row["GroupInstanceId"],
                "metadata": read_subscription(self.definitions, self.names, row["Metadata"]),
            }
            for row in answer["Members"]
        ]
        return {
            "error": error_name(answer["ErrorCode"]),
            "generation": answer["GenerationId"],
            "protocol_type": answer["ProtocolType"],
            "protocol": answer["ProtocolName"],
            "leader": self.names.label(answer["Leader"]),
            "skip_assignment": answer["SkipAssignment"],
            "member_id": self.names.label(answer["MemberId"]),
            "members": sorted(members, key=lambda row: str(row["member_id"])),
        }

    def _sync(self, answer: Message) -> Message:
        return {
            "error": error_name(answer["ErrorCode"]),
            "protocol_type": answer["ProtocolType"],
            "protocol": answer["ProtocolName"],
            "assignment": read_assignment(self.definitions, self.names, answer["Assignment"]),
        }

    def _leave(self, answer: Message) -> Message:
        members = [
            {
                "member_id": self.names.label(row["MemberId"]),
                "group_instance_id": row["GroupInstanceId"],
                "error": error_name(row["ErrorCode"]),
            }
            for row in answer["Members"]
        ]
        return {"error": error_name(answer["ErrorCode"]), "members": members}

    def _commit(self, answer: Message) -> Message:
        return {"errors": _by_partition(answer["Topics"])}

    def _offset_delete(self, answer: Message) -> Message:
        return {"error": error_name(answer["ErrorCode"]), "errors": _by_partition(answer["Topics"])}

    def _fetch(self, answer: Message) -> Message:
        group = answer["Groups"][0]
        rows = [row for topic in group["Topics"] for row in topic["Partitions"]]
        offsets = {str(row["PartitionIndex"]): row["CommittedOffset"] for row in rows}
        return {"error": error_name(group["ErrorCode"]), "offsets": offsets}

    def _list(self, answer: Message) -> Message:
        rows = [row for row in answer["Groups"] if row["GroupId"] == self.group]
        shown = [{"protocol_type": r["ProtocolType"], "state": r["GroupState"], "type": r["GroupType"]} for r in rows]
        return {"error": error_name(answer["ErrorCode"]), "group": shown[0] if shown else None}

    def _describe(self, answer: Message) -> Message:
        return self.classic(answer["Groups"][0])

    def classic(self, group: Message) -> Message:
        """A row of DescribeGroups."""
        if group["ErrorCode"]:
            return {"error": error_name(group["ErrorCode"])}
        members = [
            {
                "member_id": self.names.label(row["MemberId"]),
                "instance_id": row["GroupInstanceId"],
                "client_id": row["ClientId"],
                "metadata": self._metadata(row["MemberMetadata"]),
                "assignment": read_assignment(self.definitions, self.names, row["MemberAssignment"]),
            }
            for row in group["Members"]
        ]
        return {
            "error": "NONE",
            "state": group["GroupState"],
            "protocol_type": group["ProtocolType"],
            "protocol": group["ProtocolData"],
            "members": _by_member(members),
        }

    def _metadata(self, raw: bytes) -> Message | None:
        return read_subscription(self.definitions, self.names, raw) if raw else None

    def consumer(self, group: Message) -> Message:
        """A row of ConsumerGroupDescribe."""
        if group["ErrorCode"]:
            return {"error": error_name(group["ErrorCode"])}
        return {
            "error": "NONE",
            "state": group["GroupState"],
            "group_epoch": group["GroupEpoch"],
            "assignment_epoch": group["AssignmentEpoch"],
            "assignor": group["AssignorName"],
            "members": _by_member([self._member(row) for row in group["Members"]]),
        }

    def _member(self, row: Message) -> Message:
        return {
            "member_id": self.names.label(row["MemberId"]),
            "instance_id": row["InstanceId"],
            "rack_id": row["RackId"],
            "member_epoch": row["MemberEpoch"],
            "client_id": row["ClientId"],
            "names": sorted(self.names.in_script(topic) for topic in row["SubscribedTopicNames"]),
            "regex": self.names.in_script(row["SubscribedTopicRegex"] or ""),
            "assignment": self.names.listed(row["Assignment"]["TopicPartitions"]),
            "target": self.names.listed(row["TargetAssignment"]["TopicPartitions"]),
            "type": TYPES[row["MemberType"]],
        }


def _by_partition(topics: Sequence[Message]) -> dict[str, str]:
    return {str(p["PartitionIndex"]): error_name(p["ErrorCode"]) for topic in topics for p in topic["Partitions"]}


def _by_member(rows: list[Message]) -> list[Message]:
    return sorted(rows, key=lambda row: (str(row["member_id"]), row["instance_id"] or ""))


def _first_of(rows: str) -> Callable[[Reader, Message], Message]:
    """The error of the only row of an answer."""

    def read(reader: Reader, answer: Message) -> Message:
        return {"error": error_name(answer[rows][0]["ErrorCode"])}

    return read


READERS: dict[str, Any] = {
    "consumer_heartbeat": Reader._consumer_heartbeat,
    "join": Reader._join,
    "sync": Reader._sync,
    "leave": Reader._leave,
    "commit": Reader._commit,
    "txn_commit": Reader._commit,
    "offset_delete": Reader._offset_delete,
    "fetch": Reader._fetch,
    "list": Reader._list,
    "describe": Reader._describe,
    "delete_group": _first_of("Results"),
    "create_topic": _first_of("Topics"),
    "grow_topic": _first_of("Results"),
    "delete_topic": _first_of("Responses"),
}
"""By the name of an operation; the others answer an error only."""
