"""A member of a consumer group in each state, and one request of each kind: the second part of docs/protocol.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, absent
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.topics import Topic, Topics

MEMBER, INSTANCE = "m1", "i1"
REBALANCE_TIMEOUT = "the rebalance timeout ends"
TOPICS = Topics({"a": Topic("a", "a", 4), "b": Topic("b", "b", 2)}, 1)
SETTINGS = {"group.consumer.assignment.interval.ms": "0"}
_INTRO = """
## Members of a consumer group (KIP-848)

One member `m1`, static with instance id `i1`, per column, in a group with another member over a topic of 4 partitions,
without an assignment interval; one request or timer per row. A cell has the error, or the member's state, its epoch and
the number of partitions that it may use; then the group's state, with its epoch where that grew. `–`: no such timer.
`Behind` is STABLE below the target's epoch; `Away` left with epoch −2.

"""


@dataclass
class Asked:
    """A group after what it was asked; `error` is that of the last answer."""

    state: AnyGroup = field(default_factory=lambda: absent("g", Configs().with_settings(SETTINGS)))
    error: Error = Error.NONE

    @property
    def group(self) -> ConsumerGroup:
        """The consumer group."""
        assert isinstance(self.state, ConsumerGroup)
        return self.state

    @property
    def member(self) -> Member | None:
        """The member that the cells are about."""
        return self.group.members.get(MEMBER)

    def beat(self, member: str, epoch: int | None = None, **sent: Any) -> None:
        """A heartbeat, at the member's epoch unless another is given; its first one joins."""
        known = self.state.members.get(member)
        at = epoch if epoch is not None else _epoch(self, member) if isinstance(known, Member) else 0
        joins = {"topics": ("a",), "owned": (), "rebalance_timeout_ms": 60_000} if at == 0 else {}
        instance = INSTANCE if member == MEMBER else None
        fields: dict[str, Any] = {"request": 1, "member": member, "epoch": at, "instance_id": instance}
        self.tell(ConsumerHeartbeat(**fields | joins | sent))

    def tell(self, command: Any) -> None:
        """A request or a timer."""
        outcome = MACHINES[type(self.state)].decide(self.state, command.at(Context(0, TOPICS)))
        self.state = outcome.state
        answers = [r.answer.error for r in outcome.replies if isinstance(r.answer, ConsumerHeartbeatAnswer)]
        self.error = answers[0] if answers else Error.NONE


def _behind() -> Asked:
    asked = Asked()
    asked.beat(MEMBER)
    asked.beat("m2")
    return asked


def _unrevoked() -> Asked:
    asked = _behind()
    asked.beat(MEMBER)
    return asked


def _stable() -> Asked:
    asked = _unrevoked()
    asked.beat(MEMBER, owned=_kept(asked))
    asked.beat("m2")
    return asked


def _unreleased() -> Asked:
    asked = Asked()
    asked.beat("m2")
    asked.beat(MEMBER)
    return asked


def _away() -> Asked:
    asked = _stable()
    asked.beat(MEMBER, -2)
    return asked


def _kept(asked: Asked) -> Any:
    return tuple(asked.member.assigned) if asked.member else ()


def _timer(kind: type) -> Callable[[Asked], None]:
    def fire(asked: Asked) -> None:
        more: dict[str, Any] = {"epoch": asked.group.members[MEMBER].epoch} if kind is RebalanceTimedOut else {}
        asked.tell(kind(member=MEMBER, **more))

    return fire


def _epoch(asked: Asked, member: str = MEMBER) -> int:
    """That of the member, or of the target where the member is away."""
    own = asked.group.members[member].epoch
    return own if own > 0 else asked.group.target_epoch


COLUMNS: dict[str, Callable[[], Asked]] = {
    "STABLE": _stable,
    "Behind": _behind,
    "UNREVOKED": _unrevoked,
    "UNRELEASED": _unreleased,
    "Away": _away,
}
ROWS: dict[str, Callable[[Asked], None]] = {
    "heartbeat that says nothing": lambda asked: asked.beat(MEMBER),
    "heartbeat that owns what it may use": lambda asked: asked.beat(MEMBER, owned=_kept(asked)),
    "heartbeat with the epoch before": lambda asked: asked.beat(
        MEMBER, max(asked.group.members[MEMBER].previous_epoch, 1), owned=()
    ),
    "heartbeat with a later epoch": lambda asked: asked.beat(MEMBER, _epoch(asked) + 1),
    "heartbeat that subscribes to another topic": lambda asked: asked.beat(MEMBER, topics=("b",)),
    "join (epoch 0) with its id": lambda asked: asked.beat(MEMBER, 0),
    "join (epoch 0) without the instance id": lambda asked: asked.beat(MEMBER, 0, instance_id=None),
    "leave (epoch −1)": lambda asked: asked.beat(MEMBER, -1),
    "leave for a while (epoch −2)": lambda asked: asked.beat(MEMBER, -2),
    "another member joins": lambda asked: asked.beat("m3"),
    "the session ends": _timer(SessionExpired),
    REBALANCE_TIMEOUT: _timer(RebalanceTimedOut),
}


def section() -> str:
    """This part of the page."""
    lines = [f"| request | {' | '.join(COLUMNS)} |", "| --- |" + " --- |" * len(COLUMNS)]
    lines += [f"| {row} | {' | '.join(cell(column, row) for column in COLUMNS)} |" for row in ROWS]
    return _INTRO + "\n".join([*lines, ""])


def cell(column: str, row: str) -> str:
    """What comes of one request."""
    asked = COLUMNS[column]()
    if row == REBALANCE_TIMEOUT and column != "UNREVOKED":
        return "–"
    before = asked.group.epoch
    ROWS[row](asked)
    if asked.error is not Error.NONE:
        return asked.error.name
    member = asked.member
    left = "gone" if member is None else f"{member.state.value} {member.epoch}, {len(member.assigned)}"
    grown = f" {asked.group.epoch}" if asked.group.epoch != before else ""
    return f"{left}; {asked.group.phase.value}{grown}"
