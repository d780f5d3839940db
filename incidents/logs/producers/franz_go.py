"""franz-go (kgo): a message, and keys: `joined; group: g, generation: 4`, or handed to slog, zap, logrus, zerolog."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import partitions_of_any_client
from groupsim.incidents.logs.patterns import Detail, Match
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.structured import read_tail

_KEY = re.compile(r"[;,]\s(\w{1,40}):\s")
_MEMBER = re.compile(r"([^{}\s]{1,400})\{([^{}]{0,40000})\}")
_KEYS = frozenset(
    ["group", "member_id", "memberID", "instance_id", "generation", "plan", "assigned", "added", "why", "protocol_type"]
)
_KINDS = (
    ("joining group", RowKind.JOINING),
    ("join returned MemberIDRequired", RowKind.MEMBER_ID_CREATED),
    ("join returned UnknownMemberID", RowKind.GENERATION_RESET),
    ("join group failed", RowKind.JOIN_FAILED),
    ("joined", RowKind.JOINED),
    ("balanced", RowKind.LEADER_COMPUTED_ASSIGNMENT),
    ("synced", RowKind.SYNCED),
    ("sync failed with RebalanceInProgress", RowKind.REBALANCE_FAILED),
    ("sync group failed", RowKind.REBALANCE_FAILED),
    ("leaving group", RowKind.LEAVE_SENT),
    ("leaving next-gen group", RowKind.LEAVE_SENT),
    ("new group session begun", RowKind.ASSIGNED),
    ("assigning partitions", RowKind.LISTENER_ASSIGNED),
    ("beginning heartbeat loop", RowKind.HEARTBEATS_BEGIN),
    ("cooperative consumer calling onRevoke at the end of a session", RowKind.SESSION_ENDED),
    ("eager consumer revoking prior assigned partitions", RowKind.REVOKED),
    ("cooperative consumer revoking prior assigned partitions", RowKind.REVOKED),
    ("heartbeat saw a change in group status", RowKind.HEARTBEAT_SAYS_REBALANCING),
    ("heartbeat errored", RowKind.HEARTBEAT_SAYS_REBALANCING),
    ("forced rejoin quitting heartbeat loop", RowKind.REJOIN_REQUESTED),
    ("consumer group initial heartbeat received assignment", RowKind.JOINED),
    ("consumer group heartbeat error, abandoning assignment", RowKind.GENERATION_RESET),
    ("group manage loop errored", RowKind.REBALANCE_FAILED),
    ("join and sync loop errored", RowKind.REBALANCE_FAILED),
    ("unable to leave group", RowKind.LEAVE_FAILED),
)
"""The message's beginning, and what it means."""
_NOISE = re.compile(
    r"beginning|balanc|assigning|heartbeat|updating|entering|group|sync|cooperative |consumer |forced rejoin|no longer"
    r"|calling onRevoke|blocking commits|unblocking commits|fetch(?:ing)? offsets|tried to leave|falling back|eager "
    r"|member was assigned|storing |unable to log balance|downgrading from|skipping "
)
_NEW_OFFSETS = re.compile(r"newly fetched offsets for group (.{1,300})")
"""Why it assigns partitions: it has taken over those of a session."""
_INPUT = re.compile(r"([\w.-]{1,249})\[((?:\d{1,9}\{[^{}]{0,200}\}[ ,]{0,2}){1,40000})\]")
"""`orders[2{1812 e-1 ce0} 3{…}]`: partitions, each with where it is read from."""
_NUMBER = re.compile(r"(\d{1,9})\{")
_LOST_IDENTITY = re.compile(r"UNKNOWN_MEMBER_ID|ILLEGAL_GENERATION|FENCED")
_SHOWS_ERROR = frozenset([RowKind.REBALANCE_FAILED, RowKind.LEAVE_FAILED, RowKind.JOIN_FAILED])


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a franz-go record; None if it is not one, or not known."""
    message, fields = _fields(record)
    if not _KEYS & fields.keys():
        return None
    kind = next((kind for lead, kind in _KINDS if message.startswith(lead)), None)
    given = fields.get("group")
    group = given if isinstance(given, str) and given else None
    if kind == RowKind.LISTENER_ASSIGNED:
        return _taken(fields)
    if group is None and kind is None:
        return () if {"why", "plan"} & fields.keys() and _NOISE.match(message) else None
    given = fields.get("err", fields.get("error"))
    error = given if isinstance(given, str) else ""  # zerolog prints the fields of an error, which has none: `{}`
    if message.startswith("heartbeat errored") and error and "REBALANCE_IN_PROGRESS" not in error:
        kind = RowKind.GENERATION_RESET if _LOST_IDENTITY.match(error) else None
    if kind is None:
        return () if _NOISE.match(message) else None
    member = str(fields.get("member_id") or fields.get("memberID") or "") or None
    detail = _detail(kind, message, fields, member, error)
    if kind != RowKind.ASSIGNED:
        return (Match(kind, group, member, None, detail),)
    lost = _listed(fields.get("lost"))
    gone = [Match(RowKind.REVOKED, group, member, None, {"partitions": lost})] if lost else []
    return (*gone, Match(kind, group, member, None, {"partitions": _listed(fields.get("added"))}))


def _taken(fields: dict[str, object]) -> tuple[Match, ...]:
    """The partitions that it begins to read; it says so, too, when an application pauses or seeks."""
    why = _NEW_OFFSETS.match(str(fields.get("why")))
    listed = _INPUT.findall(str(fields.get("input")))
    if why is None or not listed:
        return ()
    taken = [f"{topic}-{number}" for topic, each in listed for number in _NUMBER.findall(each)]
    return (Match(RowKind.LISTENER_ASSIGNED, why[1], None, None, {"partitions": taken}),)


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


def _detail(kind: RowKind, message: str, fields: dict[str, object], member: str | None, error: str) -> Detail:
    """What the row of a kind shows."""
    detail: Detail = {}
    if kind == RowKind.GENERATION_RESET:
        detail["reason"] = error or message.partition(";")[0]
    if kind == RowKind.REJOIN_REQUESTED:
        detail["reason"] = str(fields.get("why", ""))
    if kind in _SHOWS_ERROR:
        detail["error"] = error or message.partition(";")[0]
    if kind == RowKind.REVOKED:
        detail["partitions"] = _listed(fields.get("revoking"))
    if kind == RowKind.LEADER_COMPUTED_ASSIGNMENT:
        plan = {member: partitions_of_any_client(listed) for member, listed in _MEMBER.findall(str(fields.get("plan")))}
        detail["assignment"] = dict(sorted(plan.items()))
        detail["members"] = len(plan)
    generation = str(fields.get("generation", ""))
    if generation.lstrip("-").isdecimal():
        detail["generation"] = int(generation)
    if member and kind == RowKind.JOINED:
        detail["member"] = member
    return detail


def _listed(printed: object) -> list[str]:
    """`topic[0 1]`, `map[topic:[0 1]]` or `{"topic": [0, 1]}` as partitions."""
    if isinstance(printed, dict):
        return [f"{topic}-{n}" for topic, numbers in printed.items() if isinstance(numbers, list) for n in numbers]
    return partitions_of_any_client(str(printed or "").removeprefix("map[")) if printed else []
