"""Wordings of the Java coordinator about streams and share groups (KIP-1071, KIP-932): `GroupMetadataManager`, 4.x.

Of a streams group an import uses them as those of a consumer group: its members get targets, too. Which tasks a member
runs is in its own log. Who comes to a share group and goes is evidence: an import does not hold shared partitions.
"""

from __future__ import annotations

from groupsim.incidents.logs.patterns import Wording, wording

_G = r"\[GroupId {group}\](?:\[MemberId [^\]]{1,300}\])?"


def _of(kind: str, kinds: tuple[str, str, str, str]) -> tuple[Wording, ...]:
    """What is said of members of one kind of group; `kinds` of rows: joined, replaced, left, failed."""
    joined, replaced, left, failed = kinds
    group = rf"the (?P<group_type>{kind}) group"
    return (
        wording(joined, f"joins the {kind}", r"\[GroupId {group}\]\[MemberId {member}\] Member joins " + group),
        wording(
            joined,
            f"joins the {kind}",
            _G + r" (?:Static m|M)ember {member}(?: with instance id {some:instance})? joins " + group,
        ),
        wording(
            replaced,
            "to replace the existing member",
            _G + r" Static member with instance id {some:instance} re-joins " + group + r".{0,60}?"
            r" Created a new member {member} to replace the existing member {some:old_member}\.(?:\s|$)",
        ),
        wording(
            left,
            f" left the {kind}",
            _G + r" (?:Static m|M)ember {member}(?: with instance id {some:instance})?"
            r" (?P<what>temporarily left|left) " + group,
        ),
        wording(
            failed,
            "fenced from the group because",
            _G + rf" (?P<group_type>(?i:{kind}))(?: group)? member {{member}} fenced from the group because"
            r" {text:reason}",
        ),
    )


WORDINGS: tuple[Wording, ...] = (
    *_of("streams", ("member_joined", "static_member_replaced", "member_left", "member_failed")),
    *_of("share", ("share_member_joined", "share_member_replaced", "share_member_left", "share_member_failed")),
    wording(
        "group_epoch_bumped",
        "Bumped streams group epoch to",
        _G + r" Bumped (?P<group_type>streams) group epoch to {int:epoch}"
        r"(?: with metadata hash (?P<metadata_hash>-?\d{1,20}))?",
    ),
    wording(
        "member_state",
        "new assignment state: epoch=",
        r"\[GroupId {group}\]\[MemberId {member}\] Member's new assignment state: epoch={int:epoch},"
        r" previousEpoch={int:previous_epoch}, state=(?P<state>[A-Z_]{1,40})",
    ),
    wording("", "updated its member metadata to StreamsGroupMember", _G + r" Member"),
    wording("", "initialized the topology with epoch", _G + r" Member"),
    wording("", "Computed new metadata hash", _G + r" Computed"),
    wording("", "Configuring the topology", _G + r" Configuring"),
    wording("", "internal topics are missing for topology", _G + r" Valid topic configuration"),
)
