"""Wordings of the Java coordinator about consumer groups (KIP-848)."""

from __future__ import annotations

from incidents.wordings import Wording, wording

WORDINGS: tuple[Wording, ...] = (
    wording(
        "broker_consumer_joins",
        " the consumer group",
        r"\[GroupId {group}\] Member {member} joins the consumer group(?: using the {word:protocol} protocol)?\.",
    ),
    wording(
        "broker_consumer_joins",
        " the consumer group",
        r"\[GroupId {group}\] Static member {member} with instance id {some:instance} joins the consumer group",
    ),
    wording(
        "static_member_replaced",
        "to replace the existing member",
        r"\[GroupId {group}\] Static member with instance id {some:instance} re-joins the consumer group.{0,60}?"
        r" Created a new member {member} to replace the existing member {some:old_member}\.",
    ),
    wording(
        "member_left",
        "left the consumer group",
        r"\[GroupId {group}\] Member {member} left the consumer group",
    ),
    wording(
        "member_left",
        "left the consumer group",
        r"\[GroupId {group}\] Static [Mm]ember {member} with instance id {some:instance}"
        r" (?P<what>temporarily left|left)"
        r" the consumer group",
    ),
    wording(
        "member_failed",
        "fenced from the group because",
        r"\[GroupId {group}\] Member {member} fenced from the group because {text:reason}",
    ),
    wording("broker_epoch", "Bumped group epoch to", r"\[GroupId {group}\] Bumped group epoch to {int:epoch}"),
    wording(
        "broker_target",
        "Computed a new target assignment for epoch",
        r"\[GroupId {group}\] Computed a new target assignment for epoch {int:epoch}(?: with"
        r" '{some:assignor}' assignor)?",
    ),
    wording(
        "broker_unreleased",
        "cannot join the group because the instance id",
        r"\[GroupId {group}\] Static member {member} with instance id {some:instance} cannot join",
    ),
    wording("broker_unloaded", "Unloaded group metadata for group epoch", r"\[GroupId=?\s?{group}\] Unloaded group"),
    wording("", "updated its subscribed topics to", r"\[GroupId {group}\] Member"),
    wording("", "new assignment state: epoch=", r"\[GroupId {group}\] Member"),
    wording("", " transitioned from CurrentAssignment", r"\[GroupId {group}\] Member"),
)
