"""Subscription, topics, partitions or racks changed."""

from __future__ import annotations

import re

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.rebalances import rebalanced_times
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.stopped import eager
from groupsim.diagnosis.topics_in_run import NOTICED_AFTER
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.lists import joined
from groupsim.wording.times import duration

_CHANGED = re.compile(r"metadata has changed|subscription has changed|subscribed topics|topics? changed")
_SNAPSHOTS = re.compile(r"metadata has changed from \(([^)]*)\) at the beginning of the rebalance to \(([^)]*)")
"""Both snapshots of `ConsumerCoordinator.MetadataSnapshot` (Java): partitions of each topic, as a list of racks or as
a number."""
_PARTITIONS = re.compile(r"([\w.-]+)=(\[[^\]]*\]|\d+)")
_AGAIN = re.compile(r"[Ll]eader .{1,600}? re-joining group during Stable")
_BY_ITSELF = "it saw other topics or partitions, or subscribed anew"
_EAGER_WORKERS = "default"
_LATE_MS = 1_000
_OUTAGE_MS = 15_000
_MEMBER_EVENTS = frozenset(
    [RowKind.MEMBER_JOINED, RowKind.MEMBER_LEFT, RowKind.MEMBER_FAILED, RowKind.STATIC_MEMBER_REPLACED,
     RowKind.GROUP_CONVERTED, RowKind.MEMBER_ID_CREATED]
)  # fmt: skip
_DO = (
    Remedy(
        "plan the change; members notice new partitions within metadata.max.age.ms (librdkafka:"
        " topic.metadata.refresh.interval.ms), lower it where that is too late",
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        brief="a planned change needs nothing",
    ),
)
_DO_GROWTH = (_DO[0]._replace(brief="lower metadata.max.age.ms before you add partitions"),)
_DO_CONNECTOR = (
    Remedy(
        "nothing, if it was planned: each change of a connector is a rebalance of the workers, so change several at"
        " once",
        brief="a planned change needs nothing",
    ),
)
_DO_EAGER_CONNECTOR = (
    Remedy(
        "let the workers rebalance incrementally (connect.protocol=sessioned, the default): then only what is new, or"
        " moves, stops and starts; and change several connectors at once",
        ("connect.protocol",),
        brief="use connect.protocol=sessioned",
    ),
)
_DO_SUBSCRIPTION = (
    Remedy(
        "nothing, if it was planned: each subscribe() with other topics is a rebalance, so name all topics in one call;"
        " with a pattern, new topics are noticed within metadata.max.age.ms",
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        brief="a planned change needs nothing",
    ),
)

_DO_BY_ITSELF = (
    Remedy(
        "the member's own log says why (Request joining group due to: …): topics that come and go, brokers in turn that"
        " know different ones, or an application that subscribes again and again",
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        brief="its own log says why",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    away = _outage(log)
    said = [line for line in log.said if _says(line) and not _in_an_outage(line, away)]
    said += log.of(RowKind.CONNECTOR_CHANGED)
    grown = _grown(log)
    epochs = _bumps_without_members(log)
    again = [] if said or grown else _led_again(log)
    lines = said + grown + [line for line, _ in epochs] + again
    if not lines:
        return None
    what, do = "the partitions or topics that the group reads changed", _DO
    topics = [*filter(None, map(_topics_that_changed, said))]
    if topics and not any("subscription" in line.reason for line in said):
        what, do = topics[0], _DO_GROWTH if " grew" in topics[0] else _DO
    elif again and not epochs:
        often_so = f", for the {number:,}th time" if (number := rebalanced_times(log.said)) else ""
        what = f"the group's only member asked for a new assignment without having left{often_so}: {_BY_ITSELF}"
        do = _DO_BY_ITSELF
    elif grown and not said:
        what = "the group has more partitions than before: a topic grew, or a new one matched"
    elif all(line.row.kind is RowKind.CONNECTOR_CHANGED for line in lines):
        whose = names(str(name) for line in lines if (name := line.row.detail.get("connector")))
        one = f"connector {whose[0]}" if len(whose) == 1 else "a connector"
        what, do = f"{one} was created, changed or deleted, so its work was assigned anew", _DO_CONNECTOR
        if _stops_everything(log):
            what, do = f"{one} was created, changed or deleted, and all others stopped for it", _DO_EAGER_CONNECTOR
    elif any("subscription" in line.reason for line in said):
        who = log.called(line.client for line in said if line.client and "subscription" in line.reason)
        theirs = "their subscriptions" if len(who) > 1 else "its subscription"
        what, do = f"{one_or_many(who)} changed {theirs}, so partitions were assigned anew", _DO_SUBSCRIPTION
    return Finding(
        code=Code.ASSIGNMENT_CHANGED,
        certainty=Certainty.SHOWN
        if said
        else Certainty.LIKELY
        if grown or again or any(changed for _, changed in epochs)
        else Certainty.POSSIBLE,
        what=what,
        times=1,
        evidence=evidence_of(lines),
        do=do,
        confirm="the log of the application that subscribes, or of who created topics or added partitions",
        harm_ms=2_500,
    )


def _stops_everything(log: GroupLog) -> bool:
    """Whether Connect's workers are of the eager protocol (Kafka: ConnectProtocolCompatibility.EAGER)."""
    return any(line.row.detail.get("protocol") == _EAGER_WORKERS for line in log.of(RowKind.JOINED, RowKind.SYNCED))


def _led_again(log: GroupLog) -> list[Said]:
    """Rebalances of a group of one that its member began, a leader that was there (AbstractCoordinator.onJoinLeader):
    in a larger group that is how a cooperative rebalance goes on.
    """
    if not log.alone or log.clients:
        return []
    return [line for line in log.of(RowKind.REBALANCE_START) if _AGAIN.search(line.reason) is not None]


def _says(line: Said) -> bool:
    kind, reason = line.row.kind, line.reason
    if kind in (RowKind.SUBSCRIPTION_CHANGED, RowKind.EXPRESSIONS_RESOLVED):
        return True
    if kind is RowKind.REBALANCE_START:
        return _CHANGED.search(reason) is not None and "need to revoke" not in reason
    return (kind is RowKind.REJOIN_REQUESTED and "subscription" in reason) or (
        kind is RowKind.REJOIN_REQUESTED and "metadata has changed" in reason
    )


def _topics_that_changed(line: Said) -> str | None:
    """What a leader's line says of the topics: which grew, or exist now, or no longer; and how late it noticed."""
    found = _SNAPSHOTS.search(line.reason)
    if found is None:
        return None
    before, after = (_counts(snapshot) for snapshot in found.groups())
    late = line.row.detail.get(NOTICED_AFTER)
    noticed = f", and the group noticed it {duration(late)} later" if isinstance(late, int) and late > _LATE_MS else ""
    kinds = (
        (sorted(t for t in before.keys() & after.keys() if after[t] > before[t]), f"grew{noticed}"),
        (sorted(after.keys() - before.keys()), "appeared"),
        (sorted(before.keys() - after.keys()), "is gone", "are gone"),
    )
    said = [
        f"topic {topics[0]} {words[0]}" if len(topics) == 1 else f"{len(topics)} topics {words[-1]}"
        for topics, *words in kinds
        if topics
    ]
    return joined(said) if said else None


def _counts(snapshot: str) -> dict[str, int]:
    return {
        topic: len(racks.split(",")) if racks.startswith("[") else int(racks)
        for topic, racks in _PARTITIONS.findall(snapshot)
    }


def _outage(log: GroupLog) -> list[Said]:
    """The lines by which a broker is away, or loads what it has."""
    kinds = (RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE, RowKind.CLIENT_NO_BROKER)
    return [line for line in log.said if line.row.kind in kinds or "is loading" in line.reason]


def _in_an_outage(line: Said, away: list[Said]) -> bool:
    """Whether a broker was away around a line: a client's metadata change then, too, and back again."""
    return "subscription" not in line.reason and any(_close(line, other) for other in away)


def _close(line: Said, other: Said) -> bool:
    if line.at is None or other.at is None:
        return abs(line.nth - other.nth) < 30
    return abs(line.at - other.at) < _OUTAGE_MS


def _grown(log: GroupLog) -> list[Said]:
    """An eager leader's plan with partitions that its plan before had not (a cooperative plan leaves some out)."""
    known: dict[str, set[str]] = {}
    found = []
    if eager(log) is not True:
        return []
    for line in log.of(RowKind.LEADER_COMPUTED_ASSIGNMENT):
        plan = line.row.detail.get("assignment")
        if not isinstance(plan, dict):
            continue
        now = {str(partition) for partitions in plan.values() for partition in partitions}
        before = known.get(str(line.client))
        if before and now > before:
            found.append(line)
        known[str(line.client)] = now
    return found


def _bumps_without_members(log: GroupLog) -> list[tuple[Said, bool]]:
    """Epochs of a consumer group that grew though nobody came or went, and whether the topics' hash changed, too."""
    if log.type is not GroupType.CONSUMER or not log.has_broker:
        return []
    found: list[tuple[Said, bool]] = []
    member_event = True
    hashed: object = None
    for line in log.broker:
        if line.row.kind in _MEMBER_EVENTS:
            member_event = True
        elif line.row.kind is RowKind.GROUP_EPOCH_BUMPED:
            before, hashed = hashed, line.row.detail.get("metadata_hash")
            if not member_event and hashed is not None:
                found.append((line, before not in (None, hashed)))
            member_event = False
    return found


CAUSE = Cause(
    code=Code.ASSIGNMENT_CHANGED,
    title="Topics, partitions or subscription changed",
    means="Partitions were added, a topic was created or deleted, or a member subscribed to something else; the group"
    " rebalances to share what there is now.",
    seen=(
        Message("Java", "Request joining group due to: cached metadata has changed from … to …"),
        Message("Java", "Request joining group due to: subscription has changed from … to …"),
        Message("Broker", "Preparing to rebalance group … (reason: Updating metadata for member …)"),
        Message("Broker, consumer protocol", "a new group epoch though no member came or went"),
    ),
    do=_DO,
    find=_find,
    symptoms=("partitions are read late after they were added",),
)
