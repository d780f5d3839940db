"""Wordings of brokers about themselves: starting, stopping, loading; and lines without information on a group."""

from __future__ import annotations

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Wording, wording


def _what(detail: Detail, record: Record) -> None:
    detail["what"] = str(detail["what"]).rstrip(".")


WORDINGS: tuple[Wording, ...] = (
    wording(
        "coordinator_lifecycle",
        "[GroupCoordinator ",
        r"\[GroupCoordinator (?:id=)?(?P<broker>\d{1,9})\]:? (?P<what>Starting up|Startup complete|Shutting"
        r" down|Shutdown complete)\.?\s*$",
        _what,
    ),
    wording(
        "broker_lifecycle",
        "[KafkaServer id=",
        r"\[KafkaServer id=(?P<broker>\d{1,9})\] (?P<what>starting|started|shutting down|shut down completed)",
        _what,
    ),
    wording(
        "broker_lifecycle",
        "[KafkaRaftServer ",
        r"\[KafkaRaftServer (?:nodeId|id)=(?P<broker>\d{1,9})\] (?P<what>Kafka Server started|started|shutting"
        r" down|Shut down completed)",
        _what,
    ),
    wording(
        "broker_lifecycle",
        "[BrokerServer id=",
        r"\[BrokerServer id=(?P<broker>\d{1,9})\] (?:Transition from \w{1,20} to"
        r" )?(?P<what>STARTED|SHUTTING_DOWN|SHUTDOWN|started|shutting down)",
        _what,
    ),
    wording(
        "exception",
        "load metadata ",
        r"\[GroupCoordinator id=\d{1,9}\] (?P<error>Failed to (?:un)?load metadata (?:from|for)"
        r" __consumer_offsets-.{0,4000})",
    ),
    wording(
        "not_stored",
        "append operation on partition __consumer_offsets",
        r"Error processing append operation on partition (?P<where>__consumer_offsets(?:-\d{1,9})?)",
    ),
    wording(
        "not_stored",
        "for partition __consumer_offsets",
        r"insufficient to satisfy the min\.isr requirement of {int:least} for partition"
        r" (?P<where>__consumer_offsets(?:-\d{1,9})?)",
    ),
    wording("not_stored", "Failed to write empty metadata", r"Failed to write empty metadata for group {group}:"),
    wording("", "Creating ", r"Creating (?:a )?simple consumer group"),
    wording("", "xpired offsets in", r"Removed \d{1,12} expired offsets in"),
    wording(
        "", "offsets and group metadata from", r"(?:Finished loading|Loading|Unloading|Finished unloading|Scheduling)"
    ),
    wording("", "oading of metadata", r"(?:Finished|Scheduling|Started|Ignored) (?:un)?loading"),
    wording("", "nloading metadata for", r"(?:Finished|Scheduling|Started|Ignored) unloading"),
    wording("", "tombstone records while cleaning up group", r"Generated"),
    wording("", "the group coordinator for partition", r"(?:Elected|Resigned) as the group coordinator"),
)
