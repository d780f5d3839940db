"""Wordings of the Java coordinator about consumer groups (KIP-848)."""

from __future__ import annotations

from groupsim.incidents.logs.patterns import Wording, wording

_G = r"\[GroupId {group}\](?:\[MemberId [^\]]{1,300}\])?"

WORDINGS: tuple[Wording, ...] = (
    wording(
        "broker_consumer_joins",
        " the consumer group",
        _G + r" Member {member} joins the consumer group(?: using the {word:protocol} protocol)?\.",
    ),
    wording(
        "broker_consumer_joins",
        " the consumer group",
        _G + r" Static member {member} with instance id {some:instance} joins the consumer group",
    ),
    wording(
        "static_member_replaced",
        "to replace the existing member",
        _G + r" Static member with instance id {some:instance} re-joins the consumer group.{0,60}?"
        r" Created a new member {member} to replace the existing member {some:old_member}\.",
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
        "member_failed",
        "fenced from the group because",
        _G + r" Member {member} fenced from the group because {text:reason}",
    ),
    wording("broker_epoch", "Bumped group epoch to", _G + r" Bumped group epoch to {int:epoch}"),
    wording(
        "broker_target",
        "Computed a new target assignment for epoch",
        _G + r" Computed a new target assignment for epoch {int:epoch}(?: with"
        r" '{some:assignor}' assignor)?",
    ),
    wording(
        "broker_unreleased",
        "cannot join the group because the instance id",
        _G + r" Static member {member} with instance id {some:instance} cannot join",
    ),
    wording(
        "broker_fenced",
        "is fenced by existing member",
        _G + r" Static member {member} with instance id {some:instance} is fenced by existing member {some:current}\.",
    ),
    wording("broker_unloaded", "Unloaded group metadata for group epoch", r"\[GroupId=?\s?{group}\] Unloaded group"),
    wording("", "updated its subscribed regex to", _G + r" Member"),
    wording("", "updated its subscribed topics to", _G + r" Member"),
    wording("", "new assignment state: epoch=", _G + r" Member"),
    wording("", " transitioned from CurrentAssignment", _G + r" Member"),
)
