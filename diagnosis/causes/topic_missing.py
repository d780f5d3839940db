"""Subscribed topics do not exist, can't be created or have no leader."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.errors import by_error
from groupsim.diagnosis.finding import Remedy

_DO = (
    Remedy(
        "create the topic before the consumers start (or allow it: auto.create.topics.enable,"
        " allow.auto.create.topics)",
        ("auto.create.topics.enable", "allow.auto.create.topics"),
        brief="create the topic first",
    ),
)

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
    find=by_error(
        Code.TOPIC_MISSING,
        r"UNKNOWN_TOPIC|UnknownTopicOrPartition|nknown topic or partition|topic .{0,250}not available"
        r"|MissingSourceTopic"
        r"|No partition metadata|LEADER_NOT_AVAILABLE|INVALID_TOPIC|source topics? (?:were|was) missing",
        lambda log, said: "a subscribed topic does not exist or has no leader",
        _DO,
        certainty=Certainty.SHOWN,
        harm_ms=8_000,
    ),
    symptoms=("a consumer is stuck",),
)
