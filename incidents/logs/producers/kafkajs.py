"""KafkaJS: JSON records whose keys name the group, the member and the client."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match

_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_KINDS = (
    ("The group is rebalancing, re-joining", "joining"),
    ("The coordinator is not aware of this member, re-joining the group", "joining"),
    ("Consumer has joined the group", "joined"),
    ("Failed to join the group", "join_failed"),
    ("Crash: KafkaJS", "rebalance_failed"),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a kafkajs record; None if it is not one, or not known."""
    fields = record.fields
    if not fields or not ({"groupId", "clientId", "memberId"} & fields.keys()):
        return None
    text = re.sub(r"^\[[A-Za-z]{1,40}\] ", "", record.text[:2000])
    group, member = _string(fields, "groupId"), _string(fields, "memberId")
    client = _string(fields, "clientId") or (_UUID.sub("", member) if member else None)
    error = _string(fields, "error") or ""
    if text.startswith("Response Heartbeat") and "rebalancing" in error:
        return (Match("heartbeat_says_rebalancing", group, member, client, {}),)
    if text.startswith(("Response JoinGroup", "Response SyncGroup")) and error:
        return (
            Match("join_failed" if "Join" in text else "rebalance_failed", group, member, client, {"error": error}),
        )
    if text.startswith(("Response OffsetCommit",)) and error:
        return (Match("commit_failed", group, member, client, {"error": error}),)
    kind = next((kind for lead, kind in _KINDS if text.startswith(lead)), None)
    if kind is None:
        return None if re.search(r"rebalanc|group", text) else ()
    detail: Detail = {"error": error} if error and kind in ("join_failed", "rebalance_failed") else {}
    if kind == "joined" and member:
        detail["member"] = member
        detail["protocol"] = _string(fields, "groupProtocol") or ""
    rows = [Match(kind, group, member, client, detail)]
    plan = fields.get("memberAssignment")
    if kind == "joined" and isinstance(plan, dict):
        listed = [f"{topic}-{n}" for topic in sorted(plan) if isinstance(plan[topic], list) for n in plan[topic]]
        rows.append(Match("assigned", group, member, client, {"partitions": listed}))
    return tuple(rows)


def _string(fields: dict[str, object], key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) and value else None
