"""segmentio's kafka-go: `ConsumerGroup` and `Reader` print plain sentences through the application's logger."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording

_GO_KEY = re.compile(r"\{topic:(\S{1,249}) partition:(\d{1,9})\}")


def _map_keys(detail: Detail, record: Record) -> None:
    """`map[{topic:orders partition:1}:591 …]` as partitions."""
    printed = str(detail.pop("printed"))
    detail["partitions"] = [f"{topic}-{number}" for topic, number in _GO_KEY.findall(printed)]


def _none(detail: Detail, record: Record) -> None:
    detail["partitions"] = []


WORDINGS: tuple[Wording, ...] = (
    wording(
        "joined",
        "Joined group ",
        r"Joined group {group} as member (?P<member>.{1,400}?) in generation {int:generation}$",
    ),
    wording(
        "joined",
        'joined group "',
        r"joined group \"{group}\" as member (?P<member>.{1,400}?) in generation {int:generation}$",
    ),
    wording("", "joined group ", r"joined group .{1,300}? as member .{1,400}? in generation \d{1,9}$"),
    wording(
        "synced", "sync group finished for group, ", r"sync group finished for group, (?P<group>\S{1,300})", show=""
    ),
    wording(
        "assigned",
        "subscribed to topics and partitions: map[",
        r"subscribed to topics and partitions: (?P<printed>map\[.{0,400000})",
        _map_keys,
    ),
    wording(
        "assigned",
        "received empty assignments for group, ",
        r"received empty assignments for group, {group} as member {member} for generation {int:generation}$",
        _none,
    ),
    wording(
        "join_failed", "Failed to join group ", r"Failed to join group \"?(?P<group>[^\s:\"]{1,300})\"?: {text:error}"
    ),
    wording(
        "rebalance_failed", "Failed to sync group ", r"Failed to sync group (?P<group>[^\s:]{1,300}): {text:error}"
    ),
    wording(
        "coordinator_lost",
        "Unable to establish connection to consumer group coordinator",
        r"Unable to establish connection to consumer group coordinator for group (?P<group>[^\s:]{1,300}):"
        r" {text:reason}",
    ),
    wording(
        "leave_failed",
        "leave group failed for group, ",
        r"leave group failed for group, (?P<group>[^\s,]{1,300}), and member, (?P<member>[^\s,:]{1,400}): {text:error}",
    ),
    wording("leave_sent", "Leaving group ", r"Leaving group (?P<group>[^\s,]{1,300}), member (?P<member>\S{1,400})$"),
    wording(
        "heartbeat_thread_stopped", "stopped heartbeat for group", r"stopped heartbeat for group,? (?P<group>\S{1,300})"
    ),
    wording(
        "heartbeat_says_rebalancing",
        "Rebalance In Progress: the coordinator has begun",
        r"(?:^|[\]:] )Rebalance In Progress: the coordinator has begun rebalancing the group",
    ),
    wording(
        "error_named",
        "Problem getting partitions ",
        r"Problem getting partitions (?:during startup|while checking for changes), (?P<error>.{1,300})",
    ),
    wording("", "stopped partition watcher for group, ", r""),
    wording("", "joinGroup succeeded for response, ", r""),
    wording("", "selected as leader for group, ", r""),
    wording("", "' balancer to assign group, ", r""),
    wording("", "assigned member/topic/partitions ", r""),
    wording("", "entering loop for consumer group, ", r""),
    wording("", "started heartbeat for group, ", r""),
    wording("", "started commit for group ", r""),
    wording("", "stopped commit for group ", r""),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a kafka-go record; None if no wording fits."""
    return first_match(WORDINGS, record)
