"""What a line of a client says of its process: one row for each kind of line and each property.

A wording of a new client needs no row here: it is read as a row of a known kind.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from groupsim.events.types import LeaveCause, RejoinCause
from groupsim.incidents.account.rules import Rule
from groupsim.incidents.account.track import OPEN, Open
from groupsim.incidents.facts.causes import announces_leave, leave_cause, rejoin_cause
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row


class Property(StrEnum):
    """What a process's own lines tell of it."""

    RUNS = "runs"
    MEMBER = "is a member"
    CALLBACK = "is in a callback"
    HOLDS = "holds"
    GRANTED = "was granted"
    """By the consumer protocol: the coordinator lets it use the partition, or waits for it to give it up."""


class Moment(StrEnum):
    """When what a line says became so."""

    LINE = "at the line"
    FROM_LINE_ON = "at the line or at any time after it"
    SINCE_REQUEST = "between its request and the line"
    TO_NEXT_LINE = "between the line and the next one that shows its callback over"
    UP_TO_NEXT_LINE = "from the line up to the next one that shows its callback over, and not longer"


class Evidence(NamedTuple):
    """A line of one of `kinds` says that the property has `value` (of the partitions it names, if it is HOLDS).

    `only`: whether a line of the kind says it.
    """

    kinds: frozenset[RowKind]
    property: Property
    value: bool | Open
    moment: Moment
    rule: Rule
    only: Callable[[Row], bool] = lambda _: True


def _leaves(row: Row) -> bool:
    return row.kind != RowKind.GENERATION_RESET or announces_leave(row.detail.get("reason"))


def _reason(row: Row) -> str:
    return str(row.detail.get("reason") or "")


def refused(row: Row) -> bool:
    """Whether a client says that an answer ended its generation."""
    return row.kind == RowKind.REJOIN_REQUESTED and rejoin_cause(_reason(row)) is RejoinCause.ERROR


def hears_of_rebalance(row: Row) -> bool:
    """Whether a client says that an answer gave it notice of a rebalance."""
    return row.kind == RowKind.REJOIN_REQUESTED and rejoin_cause(_reason(row)) is RejoinCause.GROUP_REBALANCING


_AFTER_CALLBACKS = frozenset(
    [
        RowKind.JOINING,
        RowKind.JOINED,
        RowKind.SYNCED,
        RowKind.LEADER_COMPUTED_ASSIGNMENT,
        RowKind.ASSIGNED,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.CLIENT_RECONCILING,
        RowKind.CLIENT_CLOSED,
        RowKind.CLIENT_SUBSCRIBED,
        RowKind.CLIENT_UNSUBSCRIBED,
        RowKind.CLIENT_CONFIGURED,
    ]
)
_STATES_AFTER_CALLBACKS = frozenset(["ACKNOWLEDGING", "STABLE", "JOINING", "UNSUBSCRIBED"])


def shows_callback_over(row: Row, before: Row) -> bool:
    """Whether a later line of a client shows that the callback of a line before is over.

    Those of the thread that sends heartbeats show nothing (Kafka: AbstractCoordinator.HeartbeatThread,
    ConsumerNetworkThread), nor does the same step that another class prints again.
    """
    match row.kind:
        case RowKind.STATE_CHANGE:
            return row.detail.get("to") in _STATES_AFTER_CALLBACKS
        case RowKind.LEAVE_SENT:
            return leave_cause(_reason(row)) is not LeaveCause.POLL_TIMEOUT
        case RowKind.GENERATION_RESET:
            return announces_leave(_reason(row))
        case RowKind.REJOIN_REQUESTED:
            return announces_leave(_reason(row)) or rejoin_cause(_reason(row)) is RejoinCause.PARTITIONS_REVOKED
        case kind:
            again = kind == before.kind and row.detail.get("partitions") == before.detail.get("partitions")
            return kind in _AFTER_CALLBACKS and not again


def _state(*to: str) -> Callable[[Row], bool]:
    return lambda row: row.detail.get("to") in to


_COORDINATOR = "AbstractCoordinator"
_LISTENER = "ConsumerCoordinator.onJoinPrepare, onJoinComplete; ConsumerRebalanceListenerInvoker"

EVIDENCE = (
    Evidence(
        frozenset([RowKind.JOINING]),
        Property.MEMBER,
        True,
        Moment.FROM_LINE_ON,
        Rule(
            "asked to join",
            "it asked to join: the coordinator adds it when it hears that",
            f"{_COORDINATOR}.sendJoinGroupRequest",
        ),
    ),
    Evidence(
        frozenset([RowKind.JOINED]),
        Property.MEMBER,
        True,
        Moment.SINCE_REQUEST,
        Rule(
            "joined",
            "the coordinator added it after it asked and before it was answered",
            f"{_COORDINATOR}.JoinGroupResponseHandler",
        ),
    ),
    Evidence(
        frozenset([RowKind.LOST, RowKind.LEAVE_SENT, RowKind.POLL_TIMEOUT, RowKind.GENERATION_RESET]),
        Property.MEMBER,
        False,
        Moment.FROM_LINE_ON,
        Rule(
            "gave up",
            "it asked to leave, or forgot its generation: it is a member until the coordinator hears of it",
            f"{_COORDINATOR}.maybeLeaveGroup, resetStateAndGeneration",
        ),
        _leaves,
    ),
    Evidence(
        frozenset([RowKind.REJOIN_REQUESTED]),
        Property.MEMBER,
        OPEN,
        Moment.LINE,
        Rule("refused", "an answer says that its generation is over", f"{_COORDINATOR}.resetStateOnResponseError"),
        refused,
    ),
    Evidence(
        frozenset([RowKind.STATE_CHANGE]),
        Property.MEMBER,
        True,
        Moment.FROM_LINE_ON,
        Rule(
            "asked to join", "it asks to join with its next heartbeat", "AbstractMembershipManager.transitionToJoining"
        ),
        _state("JOINING"),
    ),
    Evidence(
        frozenset([RowKind.STATE_CHANGE]),
        Property.MEMBER,
        True,
        Moment.SINCE_REQUEST,
        Rule("joined", "its heartbeat was answered with an epoch", "AbstractMembershipManager.onHeartbeatSuccess"),
        _state("RECONCILING", "ACKNOWLEDGING", "STABLE"),
    ),
    Evidence(
        frozenset([RowKind.STATE_CHANGE]),
        Property.MEMBER,
        False,
        Moment.FROM_LINE_ON,
        Rule("gave up", "it leaves, or was fenced", "AbstractMembershipManager.transitionToFenced, leaveGroup"),
        _state("FENCED", "STALE", "PREPARE_LEAVING", "LEAVING", "FATAL", "UNSUBSCRIBED"),
    ),
    Evidence(
        frozenset([RowKind.STATE_CHANGE, RowKind.CLIENT_FATAL]),
        Property.RUNS,
        OPEN,
        Moment.LINE,
        Rule(
            "failed",
            "its consumer is over: nobody knows whether its process runs",
            "AbstractMembershipManager.transitionToFatal",
        ),
        lambda row: row.kind == RowKind.CLIENT_FATAL or row.detail.get("to") in ("FATAL", "UNSUBSCRIBED"),
    ),
    Evidence(
        frozenset([RowKind.ASSIGNED]),
        Property.HOLDS,
        True,
        Moment.LINE,
        Rule("assigned", "it takes partitions before their callback", _LISTENER),
    ),
    Evidence(
        frozenset([RowKind.LISTENER_ASSIGNED]),
        Property.HOLDS,
        True,
        Moment.LINE,
        Rule("assigned by its listener", "its listener, which the client calls, was given them", _LISTENER),
    ),
    Evidence(
        frozenset([RowKind.REVOKED, RowKind.LOST]),
        Property.HOLDS,
        False,
        Moment.TO_NEXT_LINE,
        Rule(
            "gave up partitions", "it holds them until the callback is over, and no line says when that is", _LISTENER
        ),
    ),
    Evidence(
        frozenset([RowKind.CLIENT_RECONCILING, RowKind.ASSIGNED]),
        Property.GRANTED,
        True,
        Moment.SINCE_REQUEST,
        Rule(
            "granted",
            "a partition is granted to one member at a time, before that hears of it",
            "CurrentAssignmentBuilder.computeNextAssignment (KIP-848)",
        ),
    ),
    Evidence(
        frozenset([RowKind.REVOKED, RowKind.LOST]),
        Property.GRANTED,
        False,
        Moment.FROM_LINE_ON,
        Rule(
            "given back",
            "what it gave up is free when the coordinator hears of it",
            "CurrentAssignmentBuilder.updateCurrentAssignment (KIP-848)",
        ),
    ),
    Evidence(
        frozenset([RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST]),
        Property.CALLBACK,
        OPEN,
        Moment.UP_TO_NEXT_LINE,
        Rule(
            "callback",
            "a callback began, and no line says when it was over",
            _LISTENER,
            "lines of the application in its callbacks",
        ),
    ),
)
"""All of it. That a process runs at each of its lines is no row: every line says it."""

BY_KIND: dict[RowKind, list[Evidence]] = {}
for _each in EVIDENCE:
    for _kind in _each.kinds:
        BY_KIND.setdefault(_kind, []).append(_each)
