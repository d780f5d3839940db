"""Go clients: Sarama and franz-go (kgo)."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording
from groupsim.incidents.logs.rows import Program

_NOISE = re.compile(
    r"beginning|balanc|assigning|heartbeat|updating|entering|group|sync|join returned MemberID|cooperative "
    r"|forced rejoin|no longer"
)
_PAIR = re.compile(r"[;,]\s(\w{1,40}): ((?:map\[[^\]]{0,20000}\](?:\])?|[^;,\s][^;,]{0,2000}))")
_GO_TOPIC = re.compile(r"([\w.-]{1,249})[:=]?\s?\[([\d\s,]{0,20000})\]")


def _one_partition(detail: Detail, record: Record) -> None:
    detail["partitions"] = [f"{detail.pop('topic')}-{detail.pop('number')}"]
    detail["client"] = "sarama"


def _sarama(detail: Detail, record: Record) -> None:
    detail["client"] = "sarama"


SARAMA: tuple[Wording, ...] = (
    wording(
        "assigned",
        "added subscription to ",
        r"consumer/broker/\d{1,9} added subscription to (?P<topic>[^\s/]{1,249})/(?P<number>\d{1,9})",
        _one_partition,
    ),
    wording(
        "revoked",
        "closed dead subscription to ",
        r"consumer/broker/\d{1,9} closed dead subscription to (?P<topic>[^\s/]{1,249})/(?P<number>\d{1,9})",
        _one_partition,
    ),
    wording(
        "coordinator_found",
        "coordinator for consumergroup ",
        r"client/coordinator coordinator for consumergroup {group} is #",
        _sarama,
    ),
    wording(
        "heartbeat_thread_stopped",
        "heartbeat loop stopped",
        r"consumergroup/session/(?P<member>[^\s/]{1,400})/{int:generation} heartbeat loop stopped",
        _sarama,
    ),
    wording(
        "join_failed", "has been fenced", r"JoinGroup failed: (?P<error>group instance id .{1,300}? has been fenced)"
    ),
    wording("", "coordinator for consumer group ", r"client/coordinator"),
    wording("", "consumer/broker/", r"consumer/broker/"),
    wording("", "consumergroup", r"(?:client/coordinator|consumergroup/)"),
)

_FRANZ_GO = (
    ("joining group", "joining"),
    ("join returned MemberIDRequired", "member_id_created"),
    ("joined", "joined"),
    ("synced", "synced"),
    ("leaving group", "leave_sent"),
    ("new group session begun", "assigned"),
    ("heartbeat errored", "heartbeat_says_rebalancing"),
    ("group manage loop errored", "rebalance_failed"),
    ("join and sync loop errored", "rebalance_failed"),
    ("unable to leave group", "leave_failed"),
)
"""franz-go: the message's beginning, and what it means."""


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a Go client's record; None if it is not one, or not known."""
    found = first_match(SARAMA, record) if "consumer" in record.text or "group instance id" in record.text else None
    program = Program.SARAMA
    if found is None:
        found, program = _franz_go(record), Program.FRANZ_GO
    return None if found is None else tuple(match._replace(program=program) for match in found)


def _franz_go(record: Record) -> tuple[Match, ...] | None:
    """franz-go prints `message; key: value, key: value`, or hands the keys to a structured logger."""
    fields: dict[str, object] = {**record.fields}
    fields |= {k: v.strip() for k, v in _PAIR.findall(record.text[:65_536])}
    group = fields.get("group")
    if not isinstance(group, str):
        return None
    kind = next((kind for lead, kind in _FRANZ_GO if record.text.startswith(lead)), None)
    error = str(fields.get("err", ""))
    if kind == "heartbeat_says_rebalancing" and "REBALANCE_IN_PROGRESS" not in error:
        kind = "generation_reset" if re.match(r"UNKNOWN_MEMBER_ID|ILLEGAL_GENERATION|FENCED", error) else None
    if kind is None:
        return () if _NOISE.match(record.text) else None
    detail: Detail = {"reason": error} if kind == "generation_reset" else {}
    if kind in ("rebalance_failed", "leave_failed"):
        detail["error"] = error
    member = str(fields["member_id"]) if fields.get("member_id") else None
    generation = str(fields.get("generation", ""))
    if generation.lstrip("-").isdigit():
        detail["generation"] = int(generation)
    if member and kind == "joined":
        detail["member"] = member
    if kind != "assigned":
        return (Match(kind, group, member, None, detail),)
    lost = _listed(fields.get("lost"))
    gone = [Match("revoked", group, member, None, {"partitions": lost})] if lost else []
    return (*gone, Match(kind, group, member, None, {"partitions": _listed(fields.get("added"))}))


def _listed(printed: object) -> list[str]:
    """`topic[0 1]`, `map[topic:[0 1]]` or `{"topic": [0, 1]}` as partitions."""
    if isinstance(printed, dict):
        return [f"{topic}-{n}" for topic, numbers in printed.items() if isinstance(numbers, list) for n in numbers]
    return [
        f"{topic}-{number}"
        for topic, numbers in _GO_TOPIC.findall(str(printed or "").removeprefix("map["))
        for number in numbers.replace(",", " ").split()
    ]
