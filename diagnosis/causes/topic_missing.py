"""Subscribed topics do not exist, can't be created or have no leader."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.errors import by_error
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog

_DO = (
    Remedy(
        "create the topic before the consumers start (or allow it: auto.create.topics.enable,"
        " allow.auto.create.topics)",
        ("auto.create.topics.enable", "allow.auto.create.topics"),
        brief="create the topic first",
    ),
)

_MISSING = by_error(
    Code.TOPIC_MISSING,
    r"UNKNOWN_TOPIC|UnknownTopicOrPartition|nknown topic or partition|topic .{0,250}not available"
    r"|MissingSourceTopic"
    r"|INVALID_TOPIC|source topics? (?:were|was) missing",
    lambda log, said: "a subscribed topic does not exist or has no leader",
    _DO,
    certainty=Certainty.SHOWN,
    harm_ms=8_000,
)
_LEADERLESS = by_error(
    Code.TOPIC_MISSING,
    r"LEADER_NOT_AVAILABLE|LeaderNotAvailable|Leader not available|No partition metadata",
    lambda log, said: "a subscribed topic has no leader, or does not exist",
    _DO,
    certainty=Certainty.SHOWN,
    harm_ms=8_000,
)
_ELECTION_MS = 5_000
"""A new topic, and one whose broker restarts, has no leader for less."""


def _find(log: GroupLog) -> Finding | None:
    return _MISSING(log) or _lasting(_LEADERLESS(log))


def _lasting(found: Finding | None) -> Finding | None:
    """The finding, unless it is over at once: so it is whenever a client asks for the first time."""
    if found is None or found.evidence.first_ms is None or found.evidence.last_ms is None:
        return found if found is not None and found.times > 2 else None
    return found if found.evidence.last_ms - found.evidence.first_ms >= _ELECTION_MS else None


CAUSE = Cause(
    code=Code.TOPIC_MISSING,
    title="Topic is missing",
    means="A subscribed topic does not exist, can't be created, or has no leader, so the group has nothing to assign.",
    seen=(
        Message("Java", "Error while fetching metadata … UNKNOWN_TOPIC_OR_PARTITION / LEADER_NOT_AVAILABLE"),
        Message("librdkafka", "Subscribed topic not available: …: Broker: Unknown topic or partition"),
        Message("kafka-python", "Topic … is not available during auto-create initialization / No partition metadata"),
        Message("Streams", "MissingSourceTopicException: One or more source topics were missing during rebalance"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
