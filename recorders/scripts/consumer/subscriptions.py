"""Subscriptions and assignments of classic members: what a script records of them, and the bytes that travel."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from recorders.broker.definitions import Definitions, Message
from recorders.scripts.plans.names import Listed, Names, sorted_partitions

SUBSCRIPTION, ASSIGNMENT = "ConsumerProtocolSubscription", "ConsumerProtocolAssignment"
NEWEST = 3
OWNED_SINCE, GENERATION_SINCE, RACK_SINCE = 1, 2, 3


def subscription(version: int, topics: Sequence[str], owned: Listed, generation: int, rack: str | None) -> Message:
    """A subscription as it is recorded: only what its version carries."""
    carried = owned if version >= OWNED_SINCE else {}
    return {
        "version": version,
        "topics": list(topics),
        "owned": carried,
        "generation": generation if carried and version >= GENERATION_SINCE else -1,
        "rack": rack if version >= RACK_SINCE else None,
        "user_data": None,
    }


def read_subscription(definitions: Definitions, names: Names, raw: bytes) -> Message:
    """A subscription in an answer."""
    version, content = definitions.decoded(SUBSCRIPTION, raw, NEWEST)
    owned = {names.in_script(row["Topic"]): row["Partitions"] for row in content.get("OwnedPartitions", ())}
    return {
        "version": version,
        "topics": [names.in_script(topic) for topic in content["Topics"]],
        "owned": sorted_partitions(owned),
        "generation": content.get("GenerationId", -1),
        "rack": content.get("RackId"),
        "user_data": None,
    }


def assignment(definitions: Definitions, names: Names, listed: Listed) -> bytes:
    """An assignment that a leader sends."""
    rows = [{"Topic": names.on_broker(topic), "Partitions": numbers} for topic, numbers in listed.items()]
    return definitions.encoded(ASSIGNMENT, 0, {"AssignedPartitions": rows, "UserData": None})


def read_assignment(definitions: Definitions, names: Names, raw: bytes) -> Listed | Message | None:
    """An assignment in an answer; its bytes where it is none."""
    if not raw:
        return None
    try:
        _, content = definitions.decoded(ASSIGNMENT, raw, NEWEST)
    except (ValueError, struct.error):
        return {"bytes": raw.hex()}
    return sorted_partitions(
        {names.in_script(row["Topic"]): row["Partitions"] for row in content["AssignedPartitions"]}
    )


def dealt(
    definitions: Definitions, names: Names, members: Sequence[Message], counts: dict[str, int]
) -> list[tuple[str, Listed]]:
    """The leader's assignment, by member: topics dealt out partition by partition. `counts`: partitions by topic."""
    wanted = {
        str(names.label(row["MemberId"])): read_subscription(definitions, names, row["Metadata"])["topics"]
        for row in sorted(members, key=lambda row: str(names.label(row["MemberId"])))
    }
    plan: dict[str, Listed] = {member: {} for member in wanted}
    for topic in sorted({topic for topics in wanted.values() for topic in topics}):
        takers = [member for member, topics in wanted.items() if topic in topics]
        for number in range(counts.get(topic, 0)):
            plan[takers[number % len(takers)]].setdefault(topic, []).append(number)
    return list(plan.items())
