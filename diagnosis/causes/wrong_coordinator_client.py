"""A client, or a broker, that does not follow the protocol: the same step again and again, without progress."""

from __future__ import annotations

import re
from collections import defaultdict

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.times import between
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_AGAIN = 3
_CLOSED = re.compile(r"\bEOF\b|[Cc]onnection (?:refused|down|reset)|ECONNREFUSED|ECONNRESET")
"""The other side ended the connection: no misuse of the protocol."""
_PROGRESS = (RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.STABILIZED)
_DO = (
    Remedy(
        "let a join wait as long as a rebalance may take: raise the client's request or socket timeout"
        " (request.timeout.ms,"
        " socket_timeout) above its rebalance timeout, or update the client",
        ("request.timeout.ms", "socket_timeout", "version"),
        brief="raise the client's request timeout, or update it",
    ),
)
_DO_RUBY = (
    Remedy(
        "let a join wait as long as a rebalance may take: raise ruby-kafka's socket_timeout above its rebalance"
        " timeout",
        ("socket_timeout", "request.timeout.ms"),
        brief="raise socket_timeout above the rebalance timeout",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    tries: dict[str, list[Said]] = defaultdict(list)
    longest: list[Said] = []
    for line in log.said:
        if line.client is None:
            continue
        if line.row.kind in (RowKind.JOIN_FAILED, RowKind.REBALANCE_FAILED) and _CLOSED.search(line.reason) is None:
            tries[line.client].append(line)
            longest = max(longest, tries[line.client], key=len)
        elif line.row.kind in _PROGRESS:
            tries[line.client] = []
    if len(longest) < _AGAIN:
        return None
    who = names(str(line.client) for line in longest)
    return Finding(
        code=Code.WRONG_COORDINATOR_CLIENT,
        certainty=Certainty.LIKELY,
        what=f"{log.called(who)[0]} gave up its join and began again {len(longest)} times{between(longest)}, and never"
        " got in",
        members=who,
        times=len(longest),
        evidence=evidence_of(longest),
        do=_DO_RUBY if log.libraries == {Program.RUBY_KAFKA} else _DO,
        confirm="the broker's log: whether the rebalance waited for others meanwhile",
        harm_ms=6_000,
    )


CAUSE = Cause(
    code=Code.WRONG_COORDINATOR_CLIENT,
    title="A client makes no progress",
    means="A client repeats one step of the protocol without getting further: it gives up a join that the coordinator"
    " still holds, asks the wrong broker, or ignores an error. Mostly a client's defect or too short a timeout.",
    seen=(
        Message("ruby-kafka", "Failed to join group … / Connection error while joining, again and again"),
        Message("Sarama", "consumer group … failed to join, retrying"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
