"""What a line of a client says of its process: one row for each kind of line and each property.

A wording of a new client needs no row here: it is read as a row of a known kind.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from groupsim.events.types import RejoinCause
from groupsim.incidents.account.rules import Rule
from groupsim.incidents.account.track import OPEN, Open
from groupsim.incidents.facts.causes import announces_leave, rejoin_cause
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row


class Property(StrEnum):
    """What a process's own lines tell of it."""

    RUNS = "runs"
    MEMBER = "is a member"
    CALLBACK = "is in a callback"
    HOLDS = "holds"


class Moment(StrEnum):
    """When what a line says became so."""

    LINE = "at the line"
    FROM_LINE_ON = "at the line or at any time after it"
    SINCE_REQUEST = "between its request and the line"
    TO_NEXT_LINE = "between the line and the next one of the process"
    UP_TO_NEXT_LINE = "from the line up to the next one of the process, and not longer"


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


def refused(row: Row) -> bool:
    """Whether a client says that an answer ended its generation."""
    reason = str(row.detail.get("reason") or "")
    return row.kind == RowKind.REJOIN_REQUESTED and rejoin_cause(reason) is RejoinCause.ERROR


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
        Rule("refused", "an answer told it that its generation is over", f"{_COORDINATOR}.resetStateOnResponseError"),
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
        Moment.LINE,
        Rule("gave up", "it leaves, or was fenced", "AbstractMembershipManager.transitionToFenced, leaveGroup"),
        _state("FENCED", "STALE", "LEAVING", "FATAL", "UNSUBSCRIBED"),
    ),
    Evidence(
        frozenset([RowKind.ASSIGNED]),
        Property.HOLDS,
        True,
        Moment.LINE,
        Rule("assigned", "it takes partitions before their callback", _LISTENER),
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
