"""kafka-python (1.x-3.x), aiokafka and faust, and Java clients before 1.0, which word some lines in the same way."""

from __future__ import annotations

import re

from groupsim.incidents.logs.boxed_tables import unboxed
from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import partitions
from groupsim.incidents.logs.patterns import (
    JOIN_REQUEST,
    Detail,
    Match,
    Wording,
    first_match,
    requested_settings,
    wording,
)
from groupsim.incidents.logs.rows import Program


def _local(detail: Detail, record: Record) -> None:
    detail["local"] = True


def _one(detail: Detail, record: Record) -> None:
    detail["partition"] = "".join(partitions(str(detail["partition"])))


def _topics(detail: Detail, record: Record) -> None:
    detail["topics"] = re.findall(r"'([^']{1,300})'", str(detail["topics"]))


def _set(kind: str, fixed: str, lead: str) -> Wording:
    listed = r" (?P<partitions>[\[{(fs](?:(?! partitions ).)*)"
    return wording(kind, fixed, lead + listed + r" for group {group}(?: on close)?$")


WORDINGS: tuple[Wording, ...] = (
    wording(
        "joining",
        "(Re-)joining group ",
        r"\(Re-\)joining group (?P<group>\S(?:(?! with |\(Re-).){0,400})"
        r"(?: with (?:(?!\(Re-).){0,4000})?$",
    ),
    wording(
        "joined",
        "Successfully joined group ",
        r"Successfully joined group {group} <Generation {int:generation} \(member_id: {member}, protocol:"
        r" {some:protocol}\)>",
    ),
    wording(
        "joined",
        "Successfully joined group ",
        r"Successfully joined group (?P<group>(?!with generation)\S.{0,400}?) with generation {int:generation}",
    ),
    wording(
        "joined", "Joined group '", r"Joined group '{group}' \(generation {int:generation}\) with member_id {member}$"
    ),
    wording(
        "synced", "Successfully synced group ", r"Successfully synced group {group} with generation {int:generation}"
    ),
    _set("revoked", "Revoking previously assigned", r"Revoking previously assigned partitions"),
    _set("assigned", "newly assigned partitions", r"(?:Setting|Adding) newly assigned partitions"),
    wording("lost", "lost membership", r"Group {group} lost membership; forcibly revoking {text:partitions}"),
    wording(
        "coordinator_found",
        "Discovered coordinator ",
        r"Discovered coordinator .{1,300}? for group (?!id )(?P<group>.{1,400}?)\.?$",
        show="",
    ),
    wording(
        "coordinator_lost",
        "Marking the coordinator dead",
        r"Marking the coordinator dead \(node .{1,100}?\)\s?for group {group}: {text:reason}$",
    ),
    wording(
        "coordinator_lost",
        "Marking the coordinator",
        r"Marking the coordinator dead \(node .{1,100}?\)\s?for group {group}\.?(?:'\])?$",
    ),
    wording(
        "coordinator_lost", "Marking the coordinator", r"Marking the coordinator .{1,300}? dead for group {group}$"
    ),
    wording("reason_given", "oordinator unknown during", r"(?P<reason>[Cc]oordinator unknown during heartbeat)"),
    wording("", "Heartbeat successful", r"Heartbeat successful$"),
    wording("coordinator_lost", "Marking the coordinator", r"Marking the coordinator \d{1,12} dead\.?$"),
    wording(
        "generation_reset",
        "Attempt to heart beat failed since",
        r"Attempt to heart beat failed since (?P<reason>(?:generation|member) id is not [\w ]{1,40}).{0,60}group",
    ),
    wording(
        "session_expired", "Heartbeat session expired", r"Heartbeat session expired(?:,| -) marking coordinator dead"
    ),
    wording("poll_timeout leave_sent", "Heartbeat poll expired", r"Heartbeat poll expired, leaving group"),
    wording("poll_timeout", "onsumer poll timeout has expired", r"[Cc]onsumer poll timeout has expired"),
    wording("heartbeat_thread_stopped", "Stopping heartbeat thread", r"Stopping heartbeat thread"),
    wording(
        "heartbeat_says_rebalancing", "is rebalancing", r"Heartbeat failed for group {group} because it is rebalancing"
    ),
    wording("heartbeat_says_rebalancing", "is rebalancing; rejoining", r"Group {group} is rebalancing; rejoining"),
    wording(
        "heartbeat_says_rebalancing",
        "since the group is rebalancing",
        r"Attempt to heart ?beat failed since the group is rebalancing",
    ),
    wording(
        "heartbeat_says_rebalancing",
        "since it is rebalancing",
        r"Attempt to heart ?beat failed for group {group} since it is rebalancing",
    ),
    wording(
        "generation_reset",
        "Heartbeat",
        r"Heartbeat(?: failed)?(?: for group .{1,400}?)?:? (?P<reason>(?:local member_id was not"
        r" recognized|generation id is not"
        r"\s{1,3}current).{0,300})$",
    ),
    wording("heartbeat_sent", "Heartbeat: ", r"(?:^|\s)Heartbeat: {group}\[{int:generation}\] {member}$"),
    wording(
        "leave_sent",
        "Leaving consumer group",
        r"Leaving consumer group (?:\({group}\)|(?P<group2>.{1,400}?) \(member {member}\))\.?$",
        lambda detail, _: detail.update(group=detail.pop("group2", detail.get("group"))),
    ),
    wording(
        "leave_failed",
        "LeaveGroup request",
        r"LeaveGroup request for group {group} failed(?: with error)?: {text:error}",
    ),
    wording("leave_failed", "LeaveGroup request failed", r"LeaveGroup request failed: {text:error}"),
    wording("leave_sent", "LeaveGroup request succeeded", r"LeaveGroup request succeeded"),
    wording("join_failed", "Failed to join group", r"Failed to join group {group}: {text:error}"),
    wording("join_failed", "Attempt to join group", r"Attempt to join group {group} failed due to {text:error}"),
    wording(
        "member_id_created",
        "Received member id ",
        r"Received member id {member} for group {group}; will retry join",
    ),
    wording(
        "rebalance_failed",
        "SyncGroup for group",
        r"SyncGroup for group {group} failed due to {text:error}",
    ),
    wording(
        "join_failed",
        "Unexpected error in join group",
        r"Unexpected error in join group .{0,300}?response: {text:error}",
    ),
    wording("rebalance_failed", "Unexpected error from SyncGroup", r"Unexpected error from SyncGroup: {text:error}"),
    wording(
        "coordinator_lost",
        "roup coordinator lookup for group",
        r"[Gg]roup coordinator lookup for group {group} failed: {text:reason}$",
    ),
    wording("commit_failed", "offset commit failed", r"[Aa]uto offset commit failed for group {group}: {text:error}"),
    wording("commit_failed", "offset commit failed", r"[Aa]uto offset commit failed: {text:error}"),
    wording("commit_failed", "Offset commit failed: ", r"(?:^|[\s:-])Offset commit failed: {text:error}"),
    wording(
        "commit_failed",
        "occurred while committing offsets for group",
        r"^(?:Error )?{word:error} occurred while committing offsets for group {group}$",
    ),
    wording(
        "commit_failed",
        "uto-commit of offsets",
        r"Auto-commit of offsets .{0,4000}? failed for group {group}: {text:error}",
    ),
    wording("commit_failed", "OffsetCommit for group", r"OffsetCommit for group {group} failed:? {text:error}"),
    wording(
        "commit_failed", "OffsetCommit failed for group", r"OffsetCommit failed for group {group} due to {text:error}"
    ),
    wording(
        "commit_failed",
        "OffsetCommit failed for group",
        r"OffsetCommit failed for group {group} (?P<error>(?:on partition|because|- ).*)",
    ),
    wording(
        "commit_failed",
        "before join, ignoring",
        r"OffsetCommit failed before join, ignoring: {text:error}",
    ),
    wording("commit_failed", "Failed to commit on final", r"Failed to commit on finall?ization: {text:error}"),
    wording(
        "commit_failed",
        "Failing OffsetCommit request",
        r"Failing OffsetCommit request since (?P<error>the consumer is not part of an active group.*)",
        _local,
    ),
    wording(
        "client_subscribed", "Updating subscribed topics to", r"Updating subscribed topics to: {text:topics}", _topics
    ),
    wording(
        "client_position",
        "Resetting offset for partition TopicPartition",
        r"Resetting offset for partition (?P<partition>TopicPartition\(.{1,300}?\)) to offset {int:offset}",
        _one,
    ),
    wording("client_setting", "Sending JoinGroup (", JOIN_REQUEST, requested_settings, show="settings"),
    wording("", "either not started or not valid", r"Heartbeat failed for group"),
    wording("", "Heartbeat send request failed", r""),
    wording("", "Heartbeat failed: ", r"Heartbeat failed: (?:\[Error|Unexpected)"),
    wording("", "Group Coordinator Request failed", r""),
    wording("", "marking coordinator dead", r"Error sending \w{1,60} to node"),
    wording("", "Updated partition assignment", r"Updated partition assignment"),
    wording("", "Elected group leader -- performing", r"Elected group leader"),
    wording("", "Starting new heartbeat thread", r"Starting new"),
    wording("", "oordinator for ", r"(?:Group c|C)oordinator for .{1,400}? is "),
    wording("", "Discovered coordinator", r"for (?:transactional id|group id) "),
    wording("", "Subscribed to topic(s)", r"Subscribed to"),
    wording("", "LeaveGroup request", r"returned successfully"),
    wording("", "ommiting offsets", r"Commit{1,2}ing offsets (?:(?!ing offsets ).)* for group"),
    wording("", "<BrokerConnection", r"<BrokerConnection"),
    wording("", "Node coordinator-", r"connection failed|disconnected"),
    wording("connection_idle", "idle connection coordinator-", r"last active {int:idle_ms} ms ago"),
    wording("", "idle connection coordinator-", r""),
    wording("", "to node coordinator-", r"Error sending"),
    wording("", "node_id coordinator-", r""),
    wording("", "node_id=coordinator-", r""),
)

_LOGGERS = (("aiokafka", Program.AIOKAFKA), ("org.apache.kafka", Program.JAVA), ("kafka.", Program.KAFKA_PYTHON))
"""The beginning of a logger's name, and the library that it belongs to."""
_LOGGER_LEFT = re.compile(r"\b(aiokafka|org\.apache\.kafka|kafka)\.(?:[a-z_]{1,40}\.){0,6}[A-Za-z_]{1,60}\b")
_WORDED_BY = (
    (
        Program.AIOKAFKA,
        re.compile(
            r"Joined group '|\bfrozenset\(|\)for group |Heartbeat failed: |session expired - |request succeeded"
        ),
    ),
    (
        Program.KAFKA_PYTHON,
        re.compile(
            r"<Generation |eartbeat thread|Heartbeat poll expired|session expired, |; forcibly revoking|\bset\(\["
            r"|coordinator dead \(node .{1,100}\) for group|Received member id"
        ),
    ),
)
"""What only one of the libraries prints."""


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a record; () for known noise, None if no wording fits."""
    record = unboxed(record)
    found = first_match(WORDINGS, record)
    if not found:
        return found
    program = _program(record)
    return tuple(match._replace(program=program) for match in found)


def _program(record: Record) -> Program | None:
    """By the logger's name, wherever the layout puts it, else by a wording that only Python clients have."""
    named = _LOGGER_LEFT.search(record.text[:400])
    logger = record.logger or (named[0] if named else "")
    for start, program in _LOGGERS:
        if logger.startswith(start):
            return program
    return next((program for program, pattern in _WORDED_BY if pattern.search(record.text[:4000])), None)
