"""KafkaJS: JSON records whose keys name the group, the member and the client."""

from __future__ import annotations

import json
import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.times import read_stamp

_FRAME = re.compile(r"TypeError: [^\n]{1,300}\n\s{0,8}at [^\n]{0,300}?\bkafkajs/src/([\w/]{1,100}\.js)")
"""Where in KafkaJS itself, and not in a handler of the application, JavaScript failed."""
_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_KINDS = (
    ("The group is rebalancing, re-joining", RowKind.JOINING),
    ("The coordinator is not aware of this member, re-joining the group", RowKind.GENERATION_RESET),
    ("Consumer has joined the group", RowKind.JOINED),
    ("Failed to join the group", RowKind.JOIN_FAILED),
    ("Group assignment", RowKind.LEADER_COMPUTED_ASSIGNMENT),
    ("Crash: ", RowKind.REBALANCE_FAILED),
    ("Stopped", RowKind.LEAVE_SENT),
)
_REJOINS = ", re-joining"
_LED = (("generation", "generationId"), ("protocol", "groupProtocol"))
_REQUEST = re.compile(r"Request (JoinGroup|SyncGroup|LeaveGroup)\(")
_RESTART = re.compile(r"Restarting the consumer in (\d{1,9})ms")
_AFTER_TEXT = re.compile(r"\{\"timestamp\":\"[^\"]{1,40}\",\"logger\":\"kafkajs\"")
_OF_KAFKA = re.compile(
    r"KafkaJS(?!NumberOfRetriesExceeded)|[Cc]oordinator|[Rr]ebalanc|\bgroup\b|[Bb]roker|ECONN|getaddrinfo|[Cc]onnect"
    r"|[Tt]imed? ?out|\bmember\b|generation|topic|partition|offset|leader|[Aa]uthori[sz]"
)
"""What an error is about that is not of the application's own handler."""
_LABEL = re.compile(r"\[[A-Za-z]{1,40}\] ")
_LABELLED = re.compile(r"(?:^|[\s'])\[(?:Consumer|ConsumerGroup|Runner|Connection|Cluster|OffsetManager)\] ")


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a kafkajs record; None if it is not one, or not known."""
    fields = record.fields
    text = record.text[:2000]
    if not fields and '"logger":"kafkajs"' in record.text:
        text, fields = _behind_text(record)
    if not ({"groupId", "clientId", "memberId"} & fields.keys()):
        return _without_fields(text)
    label = _LABEL.match(text)
    if label is None and fields.get("logger") != "kafkajs":
        return None
    text = text if label is None else text[label.end() :]
    group, member = _string(fields, "groupId"), _string(fields, "memberId")
    client = _string(fields, "clientId") or (_UUID.sub("", member) if member else None)
    error = _string(fields, "error") or ""
    if text.startswith("Response Heartbeat") and "rebalancing" in error:
        return (Match(RowKind.HEARTBEAT_SAYS_REBALANCING, group, member, client, {}),)
    if text.startswith("Response Heartbeat") and re.search(r"not aware of this member|generation|fenced", error):
        return (Match(RowKind.GENERATION_RESET, group, member, client, {"reason": error}),)
    if (made := _REQUEST.match(text)) is not None:
        return (Match(RowKind.REQUEST_SENT, group, member, client, {"request": made[1]}),)
    if text.startswith("Response JoinGroup") and not error and fields.get("errorCode") == 0 and member:
        return (Match(RowKind.JOINED, group, member, client, _joined(fields, member)),)
    if text.startswith("Response LeaveGroup") and error:
        return (Match(RowKind.LEAVE_FAILED, group, member, client, {"error": error}),)
    if text.startswith(("Response JoinGroup", "Response SyncGroup")) and error:
        failed = RowKind.JOIN_FAILED if "Join" in text else RowKind.REBALANCE_FAILED
        return (Match(failed, group, member, client, {"error": error}),)
    if text.startswith(("Response OffsetCommit",)) and error:
        return (Match(RowKind.COMMIT_FAILED, group, member, client, {"error": error}),)
    if _RESTART.match(text) is not None or text.startswith("Starting"):
        return ()
    kind = next((kind for lead, kind in _KINDS if text.startswith(lead)), None)
    if kind is None:
        return None if re.search(r"rebalanc|group", text) else ()
    detail: Detail = {"error": error} if error and kind in (RowKind.JOIN_FAILED, RowKind.REBALANCE_FAILED) else {}
    if text.startswith("Crash: "):
        detail["error"] = text.removeprefix("Crash: ")[:600]
        if (frame := _FRAME.search(_string(fields, "stack") or "")) is not None:
            detail["where"] = frame[1]
    detail |= _why_it_rejoins(text)
    if kind == RowKind.LEAVE_SENT:
        detail["reason"] = "the consumer was stopped"
    if kind == RowKind.JOINED and member:
        detail["member"] = member
        detail["protocol"] = _string(fields, "groupProtocol") or ""
    if kind == RowKind.LEADER_COMPUTED_ASSIGNMENT:
        detail = {name: fields[key] for name, key in _LED if key in fields}
    rows = [Match(kind, group, member, client, detail), *_rejoin(kind, text, group, member, client)]
    if text.startswith("Crash: ") and not _OF_KAFKA.search(str(detail["error"])):
        rows.append(Match(RowKind.APP_FAILED, group, member, client, {"error": detail["error"]}))
    plan = fields.get("memberAssignment")
    if kind == RowKind.JOINED and isinstance(plan, dict):
        listed = [f"{topic}-{n}" for topic in sorted(plan) if isinstance(plan[topic], list) for n in plan[topic]]
        rows.append(Match(RowKind.ASSIGNED, group, member, client, {"partitions": listed}))
    return tuple(rows)


def _without_fields(text: str) -> tuple[Match, ...] | None:
    """The rows of a message that a logger of the application's own prints alone, if it is one about the group.

    Short ones such as `Stopped` are those of other programs, too.
    """
    head = _LABELLED.search(text)
    said = "" if head is None else text[head.end() :]
    kind = next((kind for lead, kind in _KINDS if " group" in lead and said.startswith(lead)), None)
    if kind is None:
        return None
    return (Match(kind, None, None, None, _why_it_rejoins(said)), *_rejoin(kind, said, None, None, None))


def _why_it_rejoins(text: str) -> Detail:
    reason, rejoins, _ = text.partition(_REJOINS)
    return {"reason": reason} if rejoins else {}


def _rejoin(kind: RowKind, text: str, group: str | None, member: str | None, client: str | None) -> list[Match]:
    """The join that a line announces beside what it says first."""
    announced = _REJOINS in text and kind != RowKind.JOINING
    return [Match(RowKind.JOINING, group, member, client, {})] if announced else []


def _joined(fields: dict[str, object], member: str) -> Detail:
    """What the answer to a JoinGroup says, at level DEBUG."""
    detail: Detail = {"member": member, "protocol": _string(fields, "groupProtocol") or ""}
    if isinstance(generation := fields.get("generationId"), int):
        detail["generation"] = generation
    if (leader := _string(fields, "leaderId")) is not None:
        detail["leader"] = leader
    return detail


def _behind_text(record: Record) -> tuple[str, dict[str, object]]:
    """Loggers such as Nest's print the message first and KafkaJS's other keys behind it, with the exact time."""
    found = _AFTER_TEXT.search(record.text, 0, 20_000)
    head = _LABELLED.search(record.text[: found.start()] if found else "")
    if found is None or head is None:
        return record.text[:2000], {}
    try:
        fields, _ = json.JSONDecoder(strict=False).raw_decode(record.text, found.start())
    except (ValueError, RecursionError):
        return record.text[:2000], {}
    stamp = read_stamp(str(fields.get("timestamp", "")), 0)
    record.stamp = record.stamp if stamp is None else stamp[0]
    return record.text[head.end() : found.start()].strip(), fields


def _string(fields: dict[str, object], key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) and value else None
