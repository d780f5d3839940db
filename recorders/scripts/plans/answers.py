"""Kafka's answers in the form of a script: errors by name, members and topics by label; what any group answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groupsim.coordinator.outcome import Error
from recorders.broker.definitions import Definitions, Message
from recorders.scripts.plans.names import Names

OTHER_ERRORS = {36: "TOPIC_ALREADY_EXISTS", 37: "INVALID_PARTITIONS", 130: "STREAMS_INVALID_TOPOLOGY"}
"""Errors that no simulated coordinator answers."""


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


Read = Callable[[Reader, Message], Message]
"""Kafka's answer to one operation -> as a script records it."""


def plain(reader: Reader, answer: Message) -> Message:
    """An answer that is only an error."""
    return {"error": error_name(answer["ErrorCode"])}


def heartbeat(reader: Reader, answer: Message) -> Message:
    """ConsumerGroupHeartbeat and ShareGroupHeartbeat: an epoch and partitions, null where they are as before."""
    given = answer["Assignment"]
    return {
        "error": error_name(answer["ErrorCode"]),
        "member_id": reader.names.label(answer["MemberId"]),
        "member_epoch": answer["MemberEpoch"],
        "heartbeat_interval_ms": answer["HeartbeatIntervalMs"],
        "assignment": None if given is None else reader.names.listed(given["TopicPartitions"]),
    }


def _commit(reader: Reader, answer: Message) -> Message:
    return {"errors": _by_partition(answer["Topics"])}


def _offset_delete(reader: Reader, answer: Message) -> Message:
    return {"error": error_name(answer["ErrorCode"]), "errors": _by_partition(answer["Topics"])}


def _fetch(reader: Reader, answer: Message) -> Message:
    group = answer["Groups"][0]
    rows = [row for topic in group["Topics"] for row in topic["Partitions"]]
    offsets = {str(row["PartitionIndex"]): row["CommittedOffset"] for row in rows}
    return {"error": error_name(group["ErrorCode"]), "offsets": offsets}


def _list(reader: Reader, answer: Message) -> Message:
    rows = [row for row in answer["Groups"] if row["GroupId"] == reader.group]
    shown = [{"protocol_type": r["ProtocolType"], "state": r["GroupState"], "type": r["GroupType"]} for r in rows]
    return {"error": error_name(answer["ErrorCode"]), "group": shown[0] if shown else None}


def _topic(reader: Reader, answer: Message) -> Message:
    row = answer["Topics"][0]
    counts = {"partitions": len(row["Partitions"]), "internal": row["IsInternal"]}
    return {"error": error_name(row["ErrorCode"]), **counts}


def _by_partition(topics: Sequence[Message]) -> dict[str, str]:
    return {str(p["PartitionIndex"]): error_name(p["ErrorCode"]) for topic in topics for p in topic["Partitions"]}


def by_member(rows: list[Message]) -> list[Message]:
    """Rows about members in an order that is the same in every play."""
    return sorted(rows, key=lambda row: (str(row["member_id"]), row.get("instance_id") or ""))


def _first_of(rows: str) -> Read:
    """The error of the only row of an answer."""

    def read(reader: Reader, answer: Message) -> Message:
        return {"error": error_name(answer[rows][0]["ErrorCode"])}

    return read


READERS: dict[str, Read] = {
    "commit": _commit,
    "txn_commit": _commit,
    "offset_delete": _offset_delete,
    "fetch": _fetch,
    "list": _list,
    "delete_group": _first_of("Results"),
    "create_topic": _first_of("Topics"),
    "grow_topic": _first_of("Results"),
    "delete_topic": _first_of("Responses"),
    "topic": _topic,
    "group_config": _first_of("Responses"),
}
"""By the name of an operation."""
