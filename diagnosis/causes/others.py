"""Only one member's log is there, and the rebalances it took part in were caused by members whose logs are not."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.stopped import eager
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import counted

_BEGINS = frozenset(
    [RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SUBSCRIBED, RowKind.COORDINATOR_FOUND, RowKind.JOINING, RowKind.JOINED,
     RowKind.SYNCED, RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT_INTERVAL, RowKind.CLIENT_RECONCILING,
     RowKind.REJOIN_REQUESTED, RowKind.LEADER_COMPUTED_ASSIGNMENT]
)  # fmt: skip
"""A log that begins with one of these may begin with its client's start."""
_SAYS_WHO = frozenset(
    [RowKind.REBALANCE_START, RowKind.GROUP_EPOCH_BUMPED, RowKind.MEMBER_JOINED, RowKind.MEMBER_LEFT,
     RowKind.MEMBER_FAILED]
)  # fmt: skip
_DO = (
    Remedy(
        "read the broker's log of these minutes, or the logs of the other members: they say who joined or left",
        brief="read the broker's log",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    if any(line.row.kind in _SAYS_WHO for line in log.broker):
        return None
    said = [line for said in log.clients.values() for line in _noticed(said)]
    said += [line for line in log.troubles if "REBALANCE_IN_PROGRESS" in line.reason]
    sure = bool(said)
    said = said or [each[0].said[0] for each in log.incarnations.values() if each and each[0].rejoins_first]
    if not said:
        return None
    who = names(str(line.client) for line in said)
    generations = {line.row.detail.get("generation") for line in log.of(RowKind.JOINED)} - {None}
    return Finding(
        code=Code.OTHERS,
        certainty=Certainty.LIKELY if sure else Certainty.POSSIBLE,
        what=f"{_part_of(log, log.called(who))}: {_logs_of(who)} not show why (probably another member joined or left)",
        members=who,
        here="the cause is not in this log",
        times=max(1, len(generations)),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=500,
    )


def _logs_of(who: tuple[str, ...]) -> str:
    return "their logs do" if len(who) > 1 else "its log does"


def _part_of(log: GroupLog, who: tuple[str, ...]) -> str:
    """What the rebalance was to the members in the log."""
    if taken := _taken(log):
        return f"others took {taken} of {one_or_many(who)} when the group rebalanced"
    did = "got another assignment" if log.type is GroupType.CONSUMER else "had to rejoin"
    return f"the group rebalanced, and {one_or_many(who)} {did}"


def _taken(log: GroupLog) -> str:
    """How many partitions others took of the only member in the log: what it did not get back where it gave up all,
    else what it gave up.
    """
    own = next(iter(log.clients.values())) if len(log.clients) == 1 else []
    gave: set[str] = set()
    stepwise = eager(log) is False or log.type is GroupType.CONSUMER
    for line in own:
        listed = line.row.detail.get("partitions")
        if line.row.kind is RowKind.REVOKED and isinstance(listed, list):
            gave = set(map(str, listed))
        elif line.row.kind is RowKind.ASSIGNED and isinstance(listed, list) and gave:
            has = set(map(str, listed))
            if stepwise and not has & gave:
                return counted(len(gave), "partition")
            if has and has < gave and not stepwise:
                return f"{len(gave - has)} of the {len(gave)} partitions"
            gave = set()
    return ""


def _noticed(said: list[Said]) -> list[Said]:
    """Lines by which a client that has its part learns that the group rebalances."""
    noticed = []
    settled = said[0].row.kind not in _BEGINS
    epoch: object = None
    for line in said:
        settled = settled or line.row.detail.get("from") == "STABLE"
        if _says_so(line) or (settled and _shows_it(line, epoch)):
            noticed.append(line)
        if line.row.kind is RowKind.STATE_CHANGE:
            epoch = line.row.detail.get("epoch")
        settled = settled or line.row.kind is RowKind.ASSIGNED or line.row.detail.get("to") == "STABLE"
    return noticed


def _says_so(line: Said) -> bool:
    """Whether the line says that the group is rebalancing."""
    kind, reason = line.row.kind, line.reason
    if kind is RowKind.REJOIN_REQUESTED:
        return "already rebalancing" in reason or "roup is rebalancing" in reason
    if kind is RowKind.COMMIT_FAILED:
        return "rebalance" in reason.lower()
    return kind in (RowKind.HEARTBEAT_SAYS_REBALANCING, RowKind.REBALANCE_FAILED)


def _shows_it(line: Said, epoch: object) -> bool:
    """Whether a member that has its part is given another one, or has to give something up.

    At the `epoch` that it has already, it only gets what others have released meanwhile.
    """
    kind = line.row.kind
    if kind is RowKind.STATE_CHANGE:
        return line.row.detail.get("to") == "RECONCILING" and line.row.detail.get("epoch") != epoch
    if kind is RowKind.CLIENT_RECONCILING:
        return epoch is None  # where its states are printed, they say more
    return kind in (RowKind.REVOKED, RowKind.CLIENT_TARGET) and _some(line)


def _some(line: Said) -> bool:
    """Whether the line names partitions."""
    return any(line.row.detail.get(name) for name in ("partitions", "partition_count", "assigned"))


CAUSE = Cause(
    code=Code.OTHERS,
    title="Caused by other members",
    means="The member in this log only takes part in rebalances that others caused; who joined or left is in their logs"
    " or the broker's.",
    seen=(
        Message("Java", "Request joining group due to: group is already rebalancing"),
        Message("librdkafka", "Heartbeat: group is rebalancing"),
        Message("KafkaJS", "[Runner] The group is rebalancing, re-joining"),
        Message("kafka-go", "Rebalance In Progress: the coordinator has begun rebalancing the group"),
        Message("kafka-python", "Heartbeat failed for group … because it is rebalancing"),
    ),
    do=_DO,
    find=_find,
    symptoms=("my group rebalances all the time",),
)
