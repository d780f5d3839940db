"""The coordinator's broker stopped, restarted, moved or loads the group."""

from __future__ import annotations

import re

from groupsim.diagnosis.cause import Cause, Message, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import is_new
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_MOVED = re.compile(
    r"NOT_COORDINATOR|not the correct coordinator|COORDINATOR_LOAD|is loading|COORDINATOR_NOT_AVAILABLE"
    r"|isconnect(?!ed=false)"
    r"|unavailable or invalid|coordinator is not available"
)
_SAYS = frozenset(
    [RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE, RowKind.GROUP_LOADED, RowKind.BROKER_UNLOADED]
)
_LOSES = frozenset(
    [RowKind.COORDINATOR_LOST, RowKind.JOIN_FAILED, RowKind.REBALANCE_FAILED, RowKind.COMMIT_FAILED,
     RowKind.REJOIN_REQUESTED, RowKind.GENERATION_RESET, RowKind.CLIENT_HEARTBEAT_REFUSED]
)  # fmt: skip
_DO = (
    Remedy("nothing to change in the clients: look at the broker, and restart brokers one at a time, with a controlled"
           " shutdown and time in between", brief='look at the broker, not at the clients'),
)  # fmt: skip


def _find(log: GroupLog) -> Finding | None:
    founded = _founded(log)
    broker = [line for line in log.broker if line.row.kind in _SAYS and line.nth >= founded]
    clients = _losses(log)
    no_broker = log.of(RowKind.CLIENT_NO_BROKER)
    if not broker and not clients and len(no_broker) < 2:
        return None
    lines = broker + clients + no_broker
    shown = bool(broker) or any("NOT_COORDINATOR" in line.reason for line in clients)
    return Finding(
        code=Code.COORDINATOR_MOVED,
        certainty=Certainty.SHOWN if shown else Certainty.LIKELY,
        what=_sentence(broker, clients),
        times=1,
        evidence=evidence_of(sorted(lines, key=lambda line: line.nth)),
        do=_DO,
        confirm=None if broker else "the broker's own log of that time",
        harm_ms=12_000,
    )


def _founded(log: GroupLog) -> int:
    """The number of the line with which a new group begins: a broker that starts before it takes it from nobody."""
    first = next((line for line in log.said if line.row.kind not in _SAYS), None)
    new = is_new(log) and not log.of(RowKind.GROUP_LOADED)
    return first.nth if first is not None and new else 0


def _losses(log: GroupLog) -> list[Said]:
    """Lines of members that lost their coordinator; before its first assignment, a client only waits for one."""
    found = []
    for said in log.clients.values():
        begins = any(line.row.kind in (RowKind.CLIENT_SUBSCRIBED, RowKind.CLIENT_CONFIGURED) for line in said)
        settled = not begins
        for line in said:
            settled = settled or line.row.kind is RowKind.ASSIGNED
            if settled and _lost(line):
                found.append(line)
    silent = all(not line.reason or line.reason.startswith("null") for line in found)
    if log.of(RowKind.WORKER_REVOKED_ITSELF):  # a Connect worker does so when it can't reach its coordinator
        return found
    return [] if silent and len(found) < 2 else found


def _lost(line: Said) -> bool:
    if line.row.kind not in _LOSES:
        return False
    silent = not line.reason and line.row.program is Program.JAVA
    if line.row.kind is RowKind.COORDINATOR_LOST and (silent or line.reason.startswith("null")):  # Java gives no cause
        return True
    return _MOVED.search(line.reason) is not None and "session timed out" not in line.reason


def _sentence(broker: list[Said], clients: list[Said]) -> str:
    what = {str(line.row.detail.get("what", "")).lower() for line in broker}
    if any("shut" in word for word in what):
        return "the group's broker was shut down, and the group went on when its coordinator was back"
    if any(line.row.kind is RowKind.GROUP_LOADED for line in broker):
        return "the broker loaded the group: it had just started, or became its coordinator"
    if broker:
        return "the group's coordinator was stopped or moved to another broker"
    return "the clients lost their coordinator: its broker was stopped, restarted or could not be reached"


CAUSE = Cause(
    code=Code.COORDINATOR_MOVED,
    title="Coordinator moved or restarted",
    means="The broker that coordinates the group stopped, restarted, or gave the group to another broker. Members go on"
    " reading where they can, but cannot commit or rebalance until they find the coordinator again.",
    seen=(
        Message("Broker", "Loading group metadata …, Unloading group metadata …, Shutting down"),
        Message("Java", "Group coordinator … is unavailable or invalid due to cause: coordinator unavailable"),
        Message("Java", "This is not the correct coordinator"),
        Message("librdkafka", "Broker: Not coordinator"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
