"""The client lost its connection, and nothing says that the broker stopped."""

from __future__ import annotations

import re
from dataclasses import replace

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_DO = (
    Remedy(
        "look at the network and the broker: can the client reach what advertised.listeners names; is a proxy closing"
        " idle connections (connections.max.idle.ms)",
        ("advertised.listeners", "connections.max.idle.ms"),
        brief="look at the network and the broker",
    ),
)
_DO_UNREACHABLE = (
    Remedy(
        "see whether the broker runs, and whether the client can reach what its advertised.listeners names",
        ("advertised.listeners",),
        brief="see whether the broker runs",
    ),
)
_UNREACHABLE = re.compile(r"ould not be established|onnection refused|ECONNREFUSED|NodeNotReady|no route to host")

_AGAIN = 3
_BEFORE_A_JOIN = frozenset([RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SUBSCRIBED, RowKind.COORDINATOR_FOUND])
_AT_WORK = frozenset([RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED])


def _only_started(log: GroupLog, said: list[Said]) -> bool:
    """Whether it is one connection that was lost before a client's first join, which it then reached."""
    if len(said) != 1:
        return False
    own = log.clients.get(str(said[0].client), []) or [line for lines in log.clients.values() for line in lines]
    before = [line.row.kind for line in own if line.nth < said[0].nth]
    began = bool(before) and _BEFORE_A_JOIN.issuperset(before)
    return began and any(line.row.kind in _AT_WORK for line in own if line.nth > said[0].nth)


def _is_none(log: GroupLog, said: list[Said]) -> bool:
    """Also where joins of ruby-kafka run out of time again and again: it calls that a connection error."""
    own = all(line.row.program is Program.RUBY_KAFKA and line.row.kind is RowKind.JOIN_FAILED for line in said)
    return _only_started(log, said) or (own and len(said) >= _AGAIN)


_lost = by_error(
    Code.CONNECTION_LOST,
    r"[Dd]isconnected(?!=false)|DisconnectException|ould not be established|onnection refused|ECONNREFUSED|ECONNRESET"
    r"|onnection (?:reset|closed|down)|i/o timeout|broken pipe|no route to host"
    r"|socket disconnected|KafkaConnectionError|NodeNotReady|onnection error|broker transport failure|EOF",
    lambda log, said: f"{_whose(log, said)} connection to the broker",
    _DO,
    certainty=Certainty.LIKELY,
    confirm="the broker's log of that time: whether it stopped",
    harm_ms=4_000,
    unless=_is_none,
)


def _whose(log: GroupLog, said: list[Said]) -> str:
    """Clients that name no group, such as producers, are not in a group's log: several may be more."""
    who = whose(log, said, "lost its", "lost their", "clients")
    return f"at least {who}" if who[:1].isdigit() else who


def _find(log: GroupLog) -> Finding | None:
    """A new connection that fails is not one that was closed because it was idle."""
    found = _lost(log)
    if found is None or not log.that_say(_UNREACHABLE):
        return found
    return replace(found, do=_DO_UNREACHABLE)


CAUSE = Cause(
    code=Code.CONNECTION_LOST,
    title="Connection lost",
    means="The client lost its connection to a broker, or never got one. Refused connections of all clients at once"
    " mean the broker itself.",
    seen=(
        Message("Java", "Connection to node … could not be established. Node may not be available"),
        Message("librdkafka", "Connect to … failed: Connection refused / Disconnected"),
        Message("kafka-python", "KafkaConnectionError: socket disconnected"),
        Message("Go clients", "read tcp …: i/o timeout, dial tcp …: connect: connection refused"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
