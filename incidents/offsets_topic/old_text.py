"""Keys and values of group records as Kafka's tools printed them before 3.8.

Source: GroupMetadataManager.formatRecordKeyAndValue, which prints of a generation only its number, protocol and the
partitions of each member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_COMMIT = re.compile(r"offset_commit::?group=")
_GROUP = re.compile(r"group_metadata::?group=")
_OFFSET = re.compile(r"offset=(\d{1,18})(?:,metadata=(.*))?$", re.S)
_DIGITS = 9
_MEMBER = re.compile(r"([^=\[\]]{1,400})=\[([^\[\]]*)\](?::[0-9a-fA-F]*)?(?:,|$)")


def old_key(text: str) -> tuple[int, Mapping[str, object]]:
    """Version and fields of a key. Raises ValueError."""
    if (commit := _COMMIT.match(text)) is not None:
        group, _, partition = text[commit.end() :].rpartition(",partition=")
        topic, number = _partition(partition)
        return 1, {"group": group, "topic": topic, "partition": number}
    if (found := _GROUP.match(text)) is not None:
        return 2, {"group": text[found.end() :]}
    raise ValueError("no key")


def old_value(text: str) -> Mapping[str, object]:
    """Fields of a value, those that were printed. Raises ValueError."""
    if (commit := _OFFSET.match(text)) is not None:
        return {"offset": int(commit[1]), "metadata": commit[2] or ""}
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no value")
    assignment = found.get("assignment")
    return {
        "protocolType": found.get("protocolType"),
        "generation": int(found.get("generationId", found.get("generation", 0)) or 0),
        "protocol": found.get("protocol"),
        "leader": None,
        "members": [
            {"memberId": member, "assignment": {"assignedPartitions": _assigned(partitions)}}
            for member, partitions in _MEMBER.findall(str(assignment or "").removeprefix("{").removesuffix("}"))
        ],
    }


def _assigned(text: str) -> list[dict[str, object]]:
    """`orders-0, orders-1` as the assignment's fields."""
    topics: dict[str, list[int]] = {}
    for each in filter(None, text.split(", ")):
        topic, number = _partition(each.strip())
        topics.setdefault(topic, []).append(number)
    return [{"topic": topic, "partitions": partitions} for topic, partitions in topics.items()]


def _partition(text: str) -> tuple[str, int]:
    """`orders-0` in its parts. Raises ValueError."""
    topic, _, number = text.rpartition("-")
    if not topic or not number.isdecimal() or len(number) > _DIGITS:
        raise ValueError("no partition")
    return topic, int(number)
