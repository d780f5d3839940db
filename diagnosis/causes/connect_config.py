"""A Connect worker can't read its config topic up to what the assignment needs, and rejoins again and again."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.failures import of_storage
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.rebalances import rebalanced_times
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.times import between
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_AGAIN = 3
"""A worker that was away is behind once or twice, and catches up when it reads on."""
_TOO_OLD = "Was selected to perform assignments"
"""What a leader says that knows less than another worker."""
_DO = (
    Remedy(
        "give each Connect cluster (group.id) a config.storage.topic of its own, compacted, with one partition; if"
        " it was"
        " recreated, restart all workers",
        ("config.storage.topic", "group.id"),
        brief="give each cluster its own config.storage.topic",
    ),
)
_DO_TOPIC = (
    Remedy(
        "give the topic that the exception names cleanup.policy=compact (kafka-configs --alter), and make"
        " config.storage.topic with one partition, then start the worker again",
        ("cleanup.policy", "config.storage.topic"),
        brief="give the topic that it names cleanup.policy=compact",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    if wrong := [line for line in log.of(RowKind.WORKER_FAILED) if of_storage(line)]:
        return _of_the_topic(wrong)
    said = _stays_behind(log.of(RowKind.CONFIG_BEHIND, RowKind.CONFIG_READ))
    if len(said) < _AGAIN and not any(map(_behind_at_the_end, said)):
        return None
    who = names(str(line.client) for line in said if line.client)
    worker = log.called(who)[0] if who else None
    leads = not any(line.row.detail.get("offset") for line in said) and any(_TOO_OLD in line.reason for line in said)
    return Finding(
        code=Code.CONNECT_CONFIG,
        certainty=Certainty.SHOWN if len(said) >= _AGAIN else Certainty.LIKELY,
        what=_of_the_leader(log, worker) if leads else _of_a_worker(worker, said),
        members=who,
        times=len(said),
        evidence=evidence_of(said),
        do=_DO,
        confirm="config.storage.topic in the configuration of each worker, and what each worker prints as its offset"
        if leads
        else "the offsets of config.storage.topic, and which clusters write into it",
        harm_ms=(20_000 if leads else 5_000) * len(said),
    )


def _of_a_worker(worker: str | None, said: list[Said]) -> str:
    rejoined = len([line for line in said if line.row.detail.get("wanted") is not None]) or len(said)
    return (
        f"{worker or 'a Connect worker'} is behind in its config topic and rejoined"
        f"{often(rejoined)}{between(said) if rejoined > 1 else ''}"
    )


def _of_the_topic(said: list[Said]) -> Finding:
    """A worker does not start with a topic that would lose what it keeps there (KAFKA-9216)."""
    return Finding(
        code=Code.CONNECT_CONFIG,
        certainty=Certainty.SHOWN,
        what="the Connect worker stopped: one of its internal topics is not as Connect needs it",
        times=1,
        evidence=evidence_of(said),
        do=_DO_TOPIC,
        confirm="kafka-topics --describe of the topic that the exception names",
        harm_ms=60_000,
    )


def _of_the_leader(log: GroupLog, worker: str | None) -> str:
    """Another worker has read more of the config topic than the leader, which assigns nothing until it has that, too
    (Kafka: IncrementalCooperativeAssignor.ensureLeaderConfig; ConnectAssignor with an Assignment of error 1).
    """
    rounds = rebalanced_times(log.said)
    often_so = f"; the group has rebalanced {rounds:,} times since it was made" if rounds else ""
    return (
        f"{worker or 'the leading worker'} leads the workers with an older config topic than another worker has,"
        f" so nothing is assigned{often_so}"
    )


def _stays_behind(lines: list[Said]) -> list[Said]:
    """Those after which the worker did not read on. Each change of a connector leaves all workers but the leader
    behind for a moment, and each start, too (Kafka: DistributedHerder.readConfigToEnd; tests/golden/connect).
    """
    found: list[Said] = []
    last: dict[str | None, Said] = {}
    for line in lines:
        before = last.get(line.client)
        if line.row.kind is RowKind.CONFIG_BEHIND:
            last[line.client] = line
            found.append(line)
        elif before is not None and _offset(line) > _offset(before):
            found = [each for each in found if each is not before]
            del last[line.client]
    return found


def _offset(line: Said) -> int:
    offset = line.row.detail.get("offset")
    return offset if isinstance(offset, int) else -1


def _behind_at_the_end(line: Said) -> bool:
    """Whether it had read its config topic to the end, and was still behind; one that is ahead has to rejoin, too
    (DistributedHerder.handleRebalanceCompleted).
    """
    if _TOO_OLD in line.reason:
        return True
    has, wanted = line.row.detail.get("offset"), line.row.detail.get("wanted")
    return isinstance(has, int) and isinstance(wanted, str) and has < int(wanted)


CAUSE = Cause(
    code=Code.CONNECT_CONFIG,
    title="Config topic behind",
    means="A Connect worker cannot read its config topic up to the offset that the assignment is about. It rejoins, and"
    " the same comes again. Mostly two clusters share the topic, or it was recreated.",
    seen=(
        Message("Connect", "Current config state offset … does not match group assignment …. Forcing rebalance."),
        Message("Connect", "Current config state offset … is behind group assignment …, reading to end of config log"),
        Message("Connect", "Was selected to perform assignments, but do not have latest config found in sync request"),
    ),
    do=_DO,
    find=_find,
    not_in=frozenset({GroupType.CONSUMER, GroupType.STREAMS}),
    symptoms=("my group rebalances all the time", "connectors or tasks do not run after a restart"),
)
