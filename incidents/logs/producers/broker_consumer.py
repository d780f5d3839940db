"""Wordings of the Java coordinator about consumer groups (KIP-848): `GroupMetadataManager`, Kafka 3.7 to 4.x.

Targets and states are printed with topic ids, not names (4.0: at DEBUG only): a partition is `TOPIC_ID-n` here.
"""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import partitions
from groupsim.incidents.logs.patterns import Detail, Wording, wording

_G = r"\[GroupId {group}\](?:\[MemberId [^\]]{1,300}\])?"
_TARGET_OF = re.compile(r"([^\s={},]{1,300})=(?:Member)?Assignment\((?:partitions=)?\{([^{}]{0,400000})\}")
_LIMIT = re.compile(r"failed to transition from epoch -?\d{1,10} within (\d{1,9})ms")
_TOPIC_ID = re.compile(r"([^\s={},\[\]]{1,300})=\[([\d,\s]{0,100000})\]")


def _targets(detail: Detail, record: Record) -> None:
    """`{member=MemberAssignment(partitions={topicId=[0, 1]}), …}` as member -> partitions."""
    printed = str(detail.pop("printed", None) or "")
    if not printed.startswith("{"):
        return
    detail["targets"] = {member: _by_topic_id(listed) for member, listed in sorted(_TARGET_OF.findall(printed))}


def _by_topic_id(printed: str) -> list[str]:
    return [
        f"{topic}-{number.strip()}"
        for topic, numbers in _TOPIC_ID.findall(printed)
        for number in numbers.split(",")
        if number.strip()
    ]


def _topics(detail: Detail, record: Record) -> None:
    detail["topics"] = [topic for topic in re.split(r"[\s,\[\]]+", str(detail["topics"]).rstrip(".")) if topic]


def _fenced(detail: Detail, record: Record) -> None:
    """The timeout that a fenced member had asked for, where it ended."""
    limit = _LIMIT.search(str(detail["reason"]))
    if limit is not None:
        detail["rebalance_timeout_ms"] = int(limit[1])


def _state(detail: Detail, record: Record) -> None:
    for name in ("assigned_partitions", "revoked_partitions"):
        if name in detail:
            detail[name] = partitions(str(detail[name]))


WORDINGS: tuple[Wording, ...] = (
    wording(
        "member_joined",
        " the consumer group",
        _G + r" Member {member} joins the consumer group(?: using the {word:protocol} protocol)?\.",
    ),
    wording(
        "member_joined",
        " the consumer group",
        _G + r" Static member {member} with instance id {some:instance} joins the consumer group",
    ),
    wording(
        "static_member_replaced",
        "to replace the existing member",
        _G + r" Static member with instance id {some:instance} re-joins the consumer group.{0,60}?"
        r" Created a new member {member} to replace the existing member {some:old_member}\.(?:\s|$)",
    ),
    wording(
        "member_id_created",
        "joins the consumer group. Created a new member id",
        _G + r" Dynamic member with unknown member id joins the consumer group\. Created a new member id {member} and",
    ),
    wording(
        "member_left",
        "left the consumer group",
        _G + r" Member {member} left the consumer group",
    ),
    wording(
        "member_left",
        "left the consumer group",
        _G + r" Static [Mm]ember {member} with instance id {some:instance}"
        r" (?P<what>temporarily left|left)"
        r" the consumer group",
    ),
    wording(
        "member_left",
        "has left group through explicit `LeaveGroup`",
        _G + r" Dynamic member {member} has left group through explicit `LeaveGroup` request(?:; client reason:"
        r" {text:reason})?",
    ),
    wording(
        "member_left",
        "has left group through explicit `LeaveGroup`",
        _G + r" Static member {member} with instance id {some:instance} has left group through explicit `LeaveGroup`"
        r" request(?:; client reason: {text:reason})?",
    ),
    wording(
        "member_failed",
        "fenced from the group because",
        _G + r" Member {member} fenced from the group because {text:reason}",
        _fenced,
    ),
    wording(
        "group_epoch_bumped",
        "Bumped group epoch to",
        _G + r" Bumped group epoch to {int:epoch}(?: with metadata hash (?P<metadata_hash>-?\d{1,20}))?",
    ),
    wording(
        "expressions_resolved",
        " to refresh regular expressions [",
        _G + r" Scanned \d{1,9} topics to refresh regular expressions \[",
    ),
    wording(
        "target_assignment",
        "Computed a new target assignment for epoch",
        _G + r" Computed a new target assignment for epoch {int:epoch}(?: with"
        r" '{some:assignor}' assignor)?(?: in \d{1,9}ms)?(?:: {text:printed})?",
        _targets,
    ),
    wording(
        "target_assignment_failed",
        "Failed to compute a new target assignment for epoch",
        _G + r" Failed to compute a new target assignment for epoch {int:epoch}: {text:error}",
    ),
    wording(
        "member_state",
        " new assignment state: epoch=",
        _G + r" Member {member} new assignment state: epoch={int:epoch}, previousEpoch={int:previous_epoch},"
        r" state=(?P<state>[A-Z_]{1,40})(?:, assignedPartitions=(?P<assigned_partitions>\[[^\]]{0,400000}\])"
        r"(?: and revokedPartitions=(?P<revoked_partitions>\[[^\]]{0,400000}\]))?)?",
        _state,
    ),
    wording(
        "group_converted",
        "Converted the ",
        _G + r" Converted the (?P<what>(?:empty )?(?:classic|consumer)) group to a (?P<to>classic|consumer) group",
    ),
    wording(
        "instance_id_unreleased",
        "cannot join the group because the instance id",
        _G + r" Static member {member} with instance id {some:instance} cannot join",
    ),
    wording(
        "static_member_fenced",
        "is fenced by existing member",
        _G + r" Static member {member} with instance id {some:instance} is fenced by existing member {some:current}\.",
    ),
    wording("broker_unloaded", "Unloaded group metadata for group epoch", r"\[GroupId=?\s?{group}\] Unloaded group"),
    wording(
        "subscription_changed",
        "updated its subscribed regex to",
        _G + r" Member {member} updated its subscribed regex to:? {some:regex}\.?$",
    ),
    wording(
        "subscription_changed",
        "updated its subscribed topics to",
        _G + r" Member {member} updated its subscribed topics to:? {text:topics}",
        _topics,
    ),
    wording(
        "member_state",
        " transitioned from CurrentAssignment",
        _G + r" Member {member} transitioned from CurrentAssignment.{0,4000}? to CurrentAssignment\("
        r"[a-zA-Z]{0,10}[eE]poch={int:epoch}, previous[a-zA-Z]{0,10}[eE]poch={int:previous_epoch}.{0,400}?"
        r"state=(?P<state>[a-zA-Z_]{1,40})",
    ),
    wording("", " transitioned from CurrentAssignment", _G + r" Member"),
    wording("", "consumer rebalance protocol (KIP-848) is production-ready", r""),
)
