"""ruby-kafka (and racecar, phobos, which use it): `Kafka::ConsumerGroup` quotes group and member with backquotes."""

from __future__ import annotations

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording

_G = r"`(?P<group>[^`]{1,300})`"


def _topic_partitions(detail: Detail, record: Record) -> None:
    numbers = str(detail.pop("numbers")).split(",")
    topic = detail.pop("topic")
    detail["partitions"] = [f"{topic}-{number.strip()}" for number in numbers if number.strip().isdecimal()]


WORDINGS: tuple[Wording, ...] = (
    wording("joining", "Joining group `", r"Joining group " + _G),
    wording("joined", "Joined group `", r"Joined group " + _G + r" with member id `(?P<member>[^`]{1,400})`"),
    wording("leave_sent", "Leaving group `", r"Leaving group " + _G),
    wording(
        "assigned",
        "Partitions assigned for `",
        r"Partitions assigned for `(?P<topic>[^`]{1,249})`: (?P<numbers>[\d, ]{0,40000})",
        _topic_partitions,
    ),
    wording("join_failed", "Failed to join group; ", r"Failed to join group; {text:error}"),
    wording(
        "coordinator_lost", "Failed to find coordinator for group `", r"Failed to find coordinator for group " + _G
    ),
    wording(
        "coordinator_lost", "Group coordinator not available for", r"Group coordinator not available for group " + _G
    ),
    wording(
        "join_failed", "while trying to join group `", r"(?P<error>\w{1,60} error) while trying to join group " + _G
    ),
    wording(
        "heartbeat_says_rebalancing",
        "Error sending heartbeat: ",
        r"Error sending heartbeat: (?:Kafka::RebalanceInProgress|The group is rebalancing)",
    ),
    wording("generation_reset", "Error sending heartbeat: ", r"Error sending heartbeat: {text:reason}"),
    wording("commit_failed", "Error committing offsets: ", r"Error committing offsets: {text:error}"),
    wording("", "Chosen as leader of group `", r""),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a ruby-kafka record; None if no wording fits."""
    if "`" not in record.text and "roup; " not in record.text and "Error " not in record.text:
        return None
    return first_match(WORDINGS, record)
