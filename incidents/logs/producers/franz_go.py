"""franz-go (kgo): a message, and keys: `joined; group: g, generation: 4`, or handed to slog, zap, logrus, zerolog."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import partitions_of_any_client
from groupsim.incidents.logs.patterns import Detail, Match
from groupsim.incidents.logs.structured import read_tail

_KEY = re.compile(r"[;,]\s(\w{1,40}):\s")
_MEMBER = re.compile(r"([^{}\s]{1,400})\{([^{}]{0,40000})\}")
_KEYS = frozenset(
    ["group", "member_id", "memberID", "instance_id", "generation", "plan", "assigned", "added", "why", "protocol_type"]
)
_KINDS = (
    ("joining group", "joining"),
    ("join returned MemberIDRequired", "member_id_created"),
    ("join returned UnknownMemberID", "generation_reset"),
    ("join group failed", "join_failed"),
    ("joined", "joined"),
    ("balanced", "leader_computed_assignment"),
    ("synced", "synced"),
    ("sync failed with RebalanceInProgress", "rebalance_failed"),
    ("sync group failed", "rebalance_failed"),
    ("leaving group", "leave_sent"),
    ("leaving next-gen group", "leave_sent"),
    ("new group session begun", "assigned"),
    ("eager consumer revoking prior assigned partitions", "revoked"),
    ("cooperative consumer revoking prior assigned partitions", "revoked"),
    ("heartbeat saw a change in group status", "heartbeat_says_rebalancing"),
    ("heartbeat errored", "heartbeat_says_rebalancing"),
    ("forced rejoin quitting heartbeat loop", "rejoin_requested"),
    ("consumer group initial heartbeat received assignment", "joined"),
    ("consumer group heartbeat error, abandoning assignment", "generation_reset"),
    ("group manage loop errored", "rebalance_failed"),
    ("join and sync loop errored", "rebalance_failed"),
    ("unable to leave group", "leave_failed"),
)
"""The message's beginning, and what it means."""
_NOISE = re.compile(
    r"beginning|balanc|assigning|heartbeat|updating|entering|group|sync|cooperative |consumer |forced rejoin|no longer"
    r"|calling onRevoke|blocking commits|unblocking commits|fetch(?:ing)? offsets|tried to leave|falling back|eager "
    r"|member was assigned|storing |unable to log balance|downgrading from|skipping "
)
_LOST_IDENTITY = re.compile(r"UNKNOWN_MEMBER_ID|ILLEGAL_GENERATION|FENCED")
_SHOWS_ERROR = frozenset(["rebalance_failed", "leave_failed", "join_failed"])


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a franz-go record; None if it is not one, or not known."""
    message, fields = _fields(record)
    if not _KEYS & fields.keys():
        return None
    kind = next((kind for lead, kind in _KINDS if message.startswith(lead)), None)
    given = fields.get("group")
    group = given if isinstance(given, str) and given else None
    if group is None and kind is None:
        return () if {"why", "plan"} & fields.keys() and _NOISE.match(message) else None
    error = str(fields.get("err", fields.get("error", "")))
    if message.startswith("heartbeat errored") and "REBALANCE_IN_PROGRESS" not in error:
        kind = "generation_reset" if _LOST_IDENTITY.match(error) else None
    if kind is None:
        return () if _NOISE.match(message) else None
    member = str(fields.get("member_id") or fields.get("memberID") or "") or None
    detail = _detail(kind, message, fields, member, error)
    if kind != "assigned":
        return (Match(kind, group, member, None, detail),)
    lost = _listed(fields.get("lost"))
    gone = [Match("revoked", group, member, None, {"partitions": lost})] if lost else []
    return (*gone, Match(kind, group, member, None, {"partitions": _listed(fields.get("added"))}))


def _fields(record: Record) -> tuple[str, dict[str, object]]:
    """The message and its keys, by the logger that printed them."""
    text = record.text[:262_144]
    keys = list(_KEY.finditer(text))
    if keys:
        ends = [*(key.start() for key in keys[1:]), len(text)]
        pairs = {key[1]: text[key.end() : end].strip() for key, end in zip(keys, ends, strict=True)}
        return text[: keys[0].start()], {**record.fields, **pairs}
    if record.fields:
        return text, record.fields
    return read_tail(text)


def _detail(kind: str, message: str, fields: dict[str, object], member: str | None, error: str) -> Detail:
    """What the row of a kind shows."""
    detail: Detail = {}
    if kind == "generation_reset":
        detail["reason"] = error or message.partition(";")[0]
    if kind == "rejoin_requested":
        detail["reason"] = str(fields.get("why", ""))
    if kind in _SHOWS_ERROR:
        detail["error"] = error or message.partition(";")[0]
    if kind == "revoked":
        detail["partitions"] = _listed(fields.get("revoking"))
    if kind == "leader_computed_assignment":
        plan = {member: partitions_of_any_client(listed) for member, listed in _MEMBER.findall(str(fields.get("plan")))}
        detail["assignment"] = dict(sorted(plan.items()))
        detail["members"] = len(plan)
    generation = str(fields.get("generation", ""))
    if generation.lstrip("-").isdecimal():
        detail["generation"] = int(generation)
    if member and kind == "joined":
        detail["member"] = member
    return detail


def _listed(printed: object) -> list[str]:
    """`topic[0 1]`, `map[topic:[0 1]]` or `{"topic": [0, 1]}` as partitions."""
    if isinstance(printed, dict):
        return [f"{topic}-{n}" for topic, numbers in printed.items() if isinstance(numbers, list) for n in numbers]
    return partitions_of_any_client(str(printed or "").removeprefix("map[")) if printed else []
