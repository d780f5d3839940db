"""Wordings of the Java coordinator about streams and share groups (KIP-1071, KIP-932): `GroupMetadataManager`, 4.x.

Who comes and goes is evidence: an import does not hold tasks or shared partitions yet.
"""

from __future__ import annotations

from groupsim.incidents.logs.patterns import Wording, wording

_G = r"\[GroupId {group}\](?:\[MemberId [^\]]{1,300}\])?"
_GROUP = r"the (?P<group_type>streams|share) group"

WORDINGS: tuple[Wording, ...] = (
    wording("streams_member_joined", "joins the s", r"\[GroupId {group}\]\[MemberId {member}\] Member joins " + _GROUP),
    wording(
        "streams_member_joined",
        "joins the s",
        _G + r" (?:Static m|M)ember {member}(?: with instance id {some:instance})? joins " + _GROUP,
    ),
    wording(
        "streams_member_replaced",
        "to replace the existing member",
        _G + r" Static member with instance id {some:instance} re-joins " + _GROUP + r".{0,60}?"
        r" Created a new member {member} to replace the existing member {some:old_member}\.(?:\s|$)",
    ),
    wording(
        "streams_member_left",
        " left the s",
        _G + r" (?:Static m|M)ember {member}(?: with instance id {some:instance})?"
        r" (?P<what>temporarily left|left) " + _GROUP,
    ),
    wording(
        "streams_member_failed",
        "fenced from the group because",
        _G + r" (?P<group_type>Streams|Share)(?: group)? member {member} fenced from the group because {text:reason}",
    ),
)
