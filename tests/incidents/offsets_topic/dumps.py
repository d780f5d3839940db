"""Hand-written dumps of `__consumer_offsets`, as kafka-dump-log prints them; times are seconds, as in `stamped`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Records = list[tuple[int, dict[str, Any], dict[str, Any] | None]]
"""Type of the key, key, and value (None: a tombstone)."""
CLASSIC = {"group": "billing"}
_DAY_MS = 1_709_287_200_000
"""2024-03-01T10:00:00Z, the second 0 of `stamped`."""


def write_records(path: Path, batches: Mapping[int, Records] | Mapping[float, Records]) -> Path:
    """A dump of batches, each at its second."""
    lines, offset = ["Dumping __consumer_offsets-0/0.log"], 0
    for second, records in batches.items():
        lines.append(f"baseOffset: {offset} lastOffset: {offset + len(records) - 1} count: 1")
        for kind, key, value in records:
            printed = "<DELETE>" if value is None else json.dumps({"version": "0", "data": value})
            head = f"| offset: {offset} CreateTime: {_at(second)} keySize: 1 sequence: 0 headerKeys: []"
            lines.append(f"{head} key: {json.dumps({'type': str(kind), 'data': key})} payload: {printed}")
            offset += 1
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def generation(second: float, number: int, members: dict[str, list[int]]) -> Records:
    """A classic group's generation, whose join phase ended 20 ms before."""
    value = {
        "protocolType": "consumer",
        "generation": number,
        "protocol": "range",
        "leader": min(members),
        "currentStateTimestamp": _at(second) - 20,
        "members": [
            {
                "memberId": member,
                "clientId": member[:2],
                "sessionTimeout": 6_000,
                "subscription": {"topics": ["orders"], "ownedPartitions": []},
                "assignment": {"assignedPartitions": [{"topic": "orders", "partitions": numbers}]},
            }
            for member, numbers in members.items()
        ],
    }
    return [(2, CLASSIC, value)]


def commit(partition: int) -> Records:
    """A commit of `orders`."""
    return [(1, {**CLASSIC, "topic": "orders", "partition": partition}, {"offset": 7})]


def _at(second: float) -> int:
    return _DAY_MS + round(second * 1_000)
