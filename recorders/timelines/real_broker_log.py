"""The lines that a real broker logs about one classic group, as rows of a recording's `broker`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from groupsim.conformance.timelines.recorded_form import Record

LINE = re.compile(
    r"\[(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] [A-Z]+ \[GroupCoordinator [^\]]*\] (?P<text>.*) \(\S+\)$"
)
MEMBER = r"(?P<member_id>\S+)"
STATE = r"(?P<state>\w+)"
WORDINGS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "member_id_issued",
            rf"Dynamic member with unknown member id joins group G in {STATE} state\. Created a new member id {MEMBER} "
            r"and requesting",
        ),
        ("member_added", rf"Pending dynamic member with id {MEMBER} joins group G in {STATE} state\. Adding"),
        (
            "static_added",
            rf"Static member with groupInstanceId=(?P<instance_id>\S+) and unknown member id joins group G in {STATE} "
            rf"state\. Created a new member id {MEMBER} for this member",
        ),
        (
            "static_replaced",
            rf"Static member with groupInstanceId=(?P<instance_id>\S+) and unknown member id joins group G in {STATE} "
            rf"state\. Replacing previously mapped member {MEMBER} ",
        ),
        (
            "rebalance_started",
            rf"Preparing to rebalance group G in state {STATE} with old generation (?P<generation>\d+) "
            r"\(reason: (?P<reason>.*)\)\.",
        ),
        ("join_completed", r"Stabilized group G generation (?P<generation>\d+) with (?P<n_members>\d+) members"),
        (
            "assignment_received",
            rf"Assignment received from leader {MEMBER} for group G for generation (?P<generation>\d+)\. "
            r"The group has (?P<n_members>\d+) members",
        ),
        ("session_expired", rf"Member {MEMBER} in group G has failed, removing it"),
        ("pending_expired", rf"Pending member {MEMBER} in group G has been removed after session timeout"),
        ("member_left", rf"\[Group G Member {MEMBER} has left group through explicit `LeaveGroup` request"),
        ("join_timeout", rf"Group G removed dynamic members who haven't joined: \[{MEMBER}\]"),
        ("group_empty", r"Group G with generation (?P<generation>\d+) is now empty"),
    )
)
"""Of Kafka 4; `G` stands for the group."""
NUMBERS = ("generation", "n_members")


def _name_of(group: str) -> re.Pattern[str]:
    """A group's name where no other group's name contains it."""
    return re.compile(rf"(?<![\w.-]){re.escape(group)}(?![\w-]|\.\w)")


def lines_of(lines: Iterable[str], group: str) -> list[str]:
    """The lines that name a group."""
    named = _name_of(group)
    return [line for line in lines if group in line and named.search(line)]


def rows(lines: Iterable[str], group: str, began_ms: int) -> list[Record]:
    """What lines say about a group, `t_ms` since `began_ms` (since the epoch)."""
    named = _name_of(group)
    found = []
    for line in lines:
        parsed = LINE.match(line.rstrip("\n")) if group in line else None
        if parsed is None:
            continue
        text = named.sub("G", parsed["text"])
        at = datetime.strptime(parsed["at"], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        for kind, pattern in WORDINGS:
            if match := pattern.match(text):
                more = {k: int(v) if k in NUMBERS else v for k, v in match.groupdict().items()}
                found.append({"t_ms": round(at.timestamp() * 1000) - began_ms, "kind": kind, **more})
                break
    return found
