"""Sarama (Go): its logger's lines begin with what they are about: `consumer/broker/`, `consumergroup/`, `client/`."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording

_PARTITION = r"(?P<topic>[^\s/]{1,249})/(?P<number>\d{1,9})"
_SERVER = r"kafka server: "
_NAME = re.compile(
    r"consumergroup/(?:session/)?|consumer/|client/coordinator|kafka server: |kafka: |group instance id "
)


def _one_partition(detail: Detail, record: Record) -> None:
    detail["partitions"] = [f"{detail.pop('topic')}-{detail.pop('number')}"]
    detail["client"] = "sarama"


def _sarama(detail: Detail, record: Record) -> None:
    detail["client"] = "sarama"


def _of_partition(detail: Detail, record: Record) -> None:
    detail["partition"] = f"{detail.pop('topic')}-{detail.pop('number')}"
    detail["client"] = "sarama"


WORDINGS: tuple[Wording, ...] = (
    wording(
        "assigned",
        "added subscription to ",
        r"consumer/broker/\d{1,9} added subscription to " + _PARTITION,
        _one_partition,
    ),
    wording(
        "revoked",
        "closed dead subscription to ",
        r"consumer/broker/\d{1,9} closed dead subscription to " + _PARTITION,
        _one_partition,
    ),
    wording(
        "coordinator_found",
        "coordinator for consumergroup ",
        r"client/coordinator coordinator for consumergroup {group} is #",
        _sarama,
    ),
    wording(
        "coordinator_found",
        "coordinator for consumergoup ",  # as Sarama printed it until 2017
        r"client/coordinator coordinator for consumergoup {group} is #",
        _sarama,
    ),
    wording(
        "heartbeat_thread_stopped",
        "heartbeat loop stopped",
        r"consumergroup/session/(?P<member>[^\s/]{1,400})/{int:generation} heartbeat loop stopped",
        _sarama,
    ),
    wording(
        "join_failed", "has been fenced", r"JoinGroup failed: (?P<error>group instance id .{1,300}? has been fenced)"
    ),
    wording(
        "commit_failed",
        "kafka: error while consuming ",
        r"kafka: error while consuming "
        + _PARTITION
        + r": kafka server: (?P<error>(?:The provided (?:member|generation)|A rebalance for the group|Request was for a"
        r" consumer group|The group instance).{0,200})",
        _of_partition,
    ),
    wording("heartbeat_says_rebalancing", "A rebalance for the group is in progress", _SERVER, _sarama),
    wording(
        "generation_reset",
        "kafka server: The provided ",
        _SERVER + r"(?P<reason>The provided (?:member is not known|generation id is not).{0,100})",
        _sarama,
    ),
    wording(
        "coordinator_lost",
        "is not coordinated by this broker",
        _SERVER + r"(?P<reason>Request was for a consumer group that is not coordinated by this broker)",
        _sarama,
    ),
    wording("", "coordinator for consumer group ", r"client/coordinator"),
    wording("", "consumer/broker/", r"consumer/broker/"),
    wording("", "consumergoup", r"client/coordinator"),
    wording("", "consumergroup", r"(?:client/coordinator|consumergroup/)"),
    wording("", "client/coordinator ", r"(?:^|\s)client/coordinator "),
    wording("", "loop check partition number coroutine will exit", r""),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a Sarama record; None if it is not one, or not known."""
    return first_match(WORDINGS, record) if _NAME.search(record.text[:4000]) or "loop check" in record.text else None
