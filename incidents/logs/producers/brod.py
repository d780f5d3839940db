"""brod (Erlang) and kaffe (Elixir) on it: `brod_group_coordinator` prints a head line, and what happened below it."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match
from groupsim.incidents.logs.row_kinds import RowKind

HEAD = re.compile(
    r"Group member \((?P<group>[^,\s]{1,300}),\s?coor=(?P<coordinator>[^,\s]{1,80}),\s?cb=[^,\s]{1,80},"
    r"\s?generation=(?P<generation>\d{1,9}|undefined)\):"
    r"|group coordinator \(groupId=(?P<old_group>[^,\s]{1,300}),memberId=[^,\s]{0,400},"
    r"generation=(?P<old_generation>\d{1,9}|undefined),pid=(?P<old_coordinator>[^,\s]{1,80})\):"
)
"""The second is that of brod 2."""
_KAFFE = re.compile(
    r"event#assignments_(?P<verb>received|revoked)=Elixir\.Kaffe\.GroupMember\.[^.\s]{1,200}\.(?P<topic>[\w.-]{1,249})"
    r"(?: generation_id=(?P<generation>\d{1,9}))?"
)
_PARTITION = re.compile(r"partition=(\d{1,9})")
_TOPIC = re.compile(r"([\w.-]{1,249}):$")
_REASON = re.compile(r"^(?:re-joining group,|Leaving group,)?\s?reason:\s{0,4}:?(.{0,600})")
_DOWN = re.compile(r"\{?:?(?:connection_down|sock_down|tcp_closed)")
"""How a reason begins that is the connection's (brod_group_coordinator, kpro_connection)."""


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a brod record, from its head and the lines below; None if it is not one."""
    kaffe = _KAFFE.search(record.text)
    if kaffe is not None:
        return _of_kaffe(kaffe)
    text = record.text
    head = HEAD.search(text) if "Group member (" in text or "group coordinator (groupId=" in text else None
    if head is None:
        return None
    said = [line.strip() for line in (text[head.end() :], *record.more) if line.strip()]
    first = said[0] if said else ""
    group, client = head["group"] or head["old_group"], head["coordinator"] or head["old_coordinator"]
    number = head["generation"] or head["old_generation"]
    generation: Detail = {} if number == "undefined" else {"generation": int(number)}
    if first.startswith("elected="):
        return (Match(RowKind.JOINED, group, None, client, generation),)
    if first.startswith("assignments received:"):
        listed = {"partitions": _assigned([first.removeprefix("assignments received:").strip(), *said[1:]])}
        return Match(RowKind.SYNCED, group, None, client, generation), Match(
            RowKind.ASSIGNED, group, None, client, dict(listed)
        )
    reason = next((found[1] for line in said if (found := _REASON.match(line)) is not None), "")
    if first.startswith("re-joining group"):
        kind, detail = _why(reason)
        return (Match(kind, group, None, client, detail),)
    if first.startswith("failed to join group"):
        down = "connection down: " if _DOWN.match(reason) is not None else ""
        return (Match(RowKind.JOIN_FAILED, group, None, client, {"error": f"{down}{reason}"}),)
    if first.startswith("Leaving group"):
        return (Match(RowKind.LEAVE_SENT, group, None, client, {"reason": reason}),)
    return ()


def _why(reason: str) -> tuple[RowKind, Detail]:
    """What a member that joins again says by its reason, an error of Kafka or the end of its connection."""
    if "rebalance_in_progress" in reason:
        return RowKind.HEARTBEAT_SAYS_REBALANCING, {}
    if _DOWN.match(reason) is not None:
        return RowKind.COORDINATOR_LOST, {"reason": f"connection down: {reason}"}
    if reason.startswith(("unknown_member_id", "illegal_generation")):
        return RowKind.GENERATION_RESET, {"reason": reason.upper()}
    return RowKind.REJOIN_REQUESTED, {"reason": reason}


def _of_kaffe(said: re.Match[str]) -> tuple[Match, ...]:
    """kaffe names the topic only; brod's line beside it has what was received."""
    if said["verb"] == "received":
        return ()
    return (Match(RowKind.REVOKED, None, None, None, {"topics": [said["topic"]]}),)


def _assigned(lines: list[str]) -> list[str]:
    """`topic:` with `partition=0 begin_offset=7` on the lines below it."""
    partitions, topic = [], ""
    for line in lines:
        named, number = _TOPIC.match(line), _PARTITION.match(line)
        if named is not None:
            topic = named[1]
        elif number is not None and topic:
            partitions.append(f"{topic}-{number[1]}")
    return partitions
