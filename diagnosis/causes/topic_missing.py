"""Subscribed topics do not exist, can't be created or have no leader."""

from __future__ import annotations

import re
from dataclasses import replace

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.errors import by_error
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "create the topic before the consumers start (or allow it: auto.create.topics.enable,"
        " allow.auto.create.topics)",
        ("auto.create.topics.enable", "allow.auto.create.topics"),
        brief="create the topic first",
    ),
)

_WORDS = (
    r"UNKNOWN_TOPIC|UnknownTopicOrPartition|nknown [tT]opic [oO]r [pP]artition|topic .{0,250}not available"
    r"|MissingSourceTopic|does not host this topic-partition"
    r"|INVALID_TOPIC|source topics? (?:were|was) missing"
)
_NAMED = re.compile(_WORDS)
_UNSEEN = re.compile(r"no topics in metadata matched")
"""A client that may not see a topic gets to know nothing of it, either."""
_DO_UNSEEN = (
    Remedy(
        "see whether the topic exists (kafka-topics.sh --list), and whether this client's principal may DESCRIBE and"
        " READ it",
        brief="see whether it exists, and whether this client may read it",
    ),
    *_DO,
)
_MISSING = by_error(
    Code.TOPIC_MISSING,
    _WORDS,
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

_AT_ONCE_MS = 1_000


def _find(log: GroupLog) -> Finding | None:
    missing = None if _after_an_outage(log) else _as_sure(_MISSING(log), log)
    return missing or _lasting(_LEADERLESS(log)) or _left_at_once(log)


def _after_an_outage(log: GroupLog) -> bool:
    """Whether topics were unknown only until a broker that had been away was back, with all of them."""
    said = log.that_say(_NAMED)
    away = log.of(RowKind.COORDINATOR_LOST, RowKind.CLIENT_NO_BROKER, RowKind.CONNECTION_LOST)
    back = log.of(RowKind.COORDINATOR_FOUND, RowKind.ASSIGNED)
    return bool(said and away and back) and away[0].nth < said[0].nth and said[-1].nth < back[-1].nth


def _as_sure(found: Finding | None, log: GroupLog) -> Finding | None:
    """The finding, less sure where a client only says that it saw no topic of its subscription."""
    if found is None or not all(_UNSEEN.search(line.reason) for line in log.that_say(_NAMED)):
        return found
    what = "a subscribed topic does not exist, or this client may not see it"
    return replace(found, certainty=Certainty.LIKELY, what=what, do=_DO_UNSEEN)


def _lasting(found: Finding | None) -> Finding | None:
    """The finding, unless it is over at once: so it is whenever a client asks for the first time."""
    if found is None or found.evidence.first_ms is None or found.evidence.last_ms is None:
        return found if found is not None and found.times > 2 else None
    return found if found.evidence.last_ms - found.evidence.first_ms >= _ELECTION_MS else None


def _left_at_once(log: GroupLog) -> Finding | None:
    """A Streams application that gives up its topics right after its first assignment: it found one missing then."""
    if log.type is not GroupType.STREAMS:
        return None
    for rebalance in log.rebalances:
        stored = rebalance.stored
        left = [] if stored is None else [d for d in log.departures if _soon(stored, d.first)]
        old = None if rebalance.start is None else rebalance.start.row.detail.get("old_generation")
        if stored is None or not left or old != 0:
            continue
        took = f"{duration((left[0].at or 0) - stored.at)} " if stored.at is not None and left[0].at else ""
        who = names(d.who for d in left)
        return Finding(
            code=Code.TOPIC_MISSING,
            certainty=Certainty.LIKELY,
            what=f"{one_or_many(log.called(who))} left {took}after the group's first assignment: very probably a source"
            " topic did not exist yet",
            members=who,
            evidence=evidence_of([stored, left[0].first]),
            do=_DO,
            confirm="the application's log: MissingSourceTopicException, or another error just before it left",
            harm_ms=8_000,
        )
    return None


def _soon(stored: Said, left: Said) -> bool:
    if "unsubscribed from all topics" not in left.reason or left.nth < stored.nth:
        return False
    return (
        left.nth == stored.nth + 1 if left.at is None or stored.at is None else 0 <= left.at - stored.at < _AT_ONCE_MS
    )


CAUSE = Cause(
    code=Code.TOPIC_MISSING,
    title="Topic is missing",
    means="A subscribed topic does not exist, can't be created, or has no leader, so the group has nothing to assign.",
    seen=(
        Message("Java", "Error while fetching metadata … UNKNOWN_TOPIC_OR_PARTITION / LEADER_NOT_AVAILABLE"),
        Message("librdkafka", "Subscribed topic not available: …: Broker: Unknown topic or partition"),
        Message("kafka-python", "Topic … is not available during auto-create initialization / No partition metadata"),
        Message("kafka-go", "Problem getting partitions during startup, [3] Unknown Topic Or Partition"),
        Message("Streams", "MissingSourceTopicException: One or more source topics were missing during rebalance"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
