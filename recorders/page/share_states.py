"""A share group in each state, and one request of each kind; what other protocols meet: parts of docs/protocol.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from groupsim.coordinator.classic.commands import Join
from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE
from groupsim.coordinator.commands import Commit, DeleteGroup
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, absent
from groupsim.coordinator.modern.commands import SessionExpired
from groupsim.coordinator.outcome import Arm
from groupsim.coordinator.share.commands import AlterShareOffsets, DeleteShareOffsets, ShareHeartbeat, StateInitialized
from groupsim.coordinator.share.state import ShareGroup
from groupsim.coordinator.streams.commands import StreamsHeartbeat
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.streams import Subtopology, Topology
from groupsim.events.types import Protocol, Subscription

MEMBER = "m1"
TOPICS = Topics({"a": Topic("a", "a", 4), "b": Topic("b", "b", 2)}, 1)
SETTINGS = {"group.share.assignment.interval.ms": "0", "group.initial.rebalance.delay.ms": "0"}
_INTRO = """
## Share groups (KIP-932)

One group per column: `m1` has `Joined` a moment ago and nothing is initialised yet; it is `Alone`; it is `Behind` the
target since `m2` came; both are at the target (`Stable`); everybody has left (`Empty`). One request or timer per row. A
cell has the error, or the epoch of `m1` and the number of partitions it may use; then the group's state, with its epoch
where that grew. The topic has 4 partitions. `–`: no such timer.

"""
_OTHERS = """
## What the first request of one protocol meets in a group of another

`ok`: the group is, or becomes, one of the request's protocol.

"""


@dataclass
class Asked:
    """A group after what it was asked; `answer` is the last one."""

    state: AnyGroup = field(default_factory=lambda: absent("g", Configs().with_settings(SETTINGS)))
    answer: Any = None

    def tell(self, command: Any) -> Any:
        """A request or a timer. What the share coordinator is asked for is done when the next request comes."""
        outcome = MACHINES[type(self.state)].decide(self.state, command.at(Context(0, TOPICS)))
        self.state = outcome.state
        self.answer = outcome.replies[0].answer if outcome.replies else None
        waiting = (timer.command for timer in outcome.timers if isinstance(timer, Arm))
        return next((each for each in waiting if isinstance(each, StateInitialized)), None)

    def beat(self, member: str, epoch: int | None = None, topics: tuple[str, ...] | None = None) -> Any:
        """A heartbeat, at the member's epoch unless another is given; its first one joins."""
        known = self.state.members.get(member)
        at = epoch if epoch is not None else getattr(known, "epoch", 0)
        return self.tell(ShareHeartbeat(request=1, member=member, epoch=at, topics=("a",) if at == 0 else topics))


def _joined() -> Asked:
    asked = Asked()
    asked.beat(MEMBER)
    return asked


def _alone() -> Asked:
    asked = Asked()
    asked.tell(asked.beat(MEMBER))
    asked.beat(MEMBER)
    return asked


def _behind() -> Asked:
    asked = _alone()
    asked.beat("m2")
    return asked


def _stable() -> Asked:
    asked = _behind()
    asked.beat(MEMBER)
    return asked


def _empty() -> Asked:
    asked = _alone()
    asked.beat(MEMBER, -1)
    return asked


COLUMNS: dict[str, Callable[[], Asked]] = {
    "no group": Asked,
    "Joined": _joined,
    "Alone": _alone,
    "Behind": _behind,
    "Stable": _stable,
    "Empty": _empty,
}
SESSION = "the session of `m1` ends"
ROWS: dict[str, Callable[[Asked], Any]] = {
    "join (epoch 0)": lambda asked: asked.beat(MEMBER, 0),
    "heartbeat": lambda asked: asked.beat(MEMBER, max(getattr(asked.state.members.get(MEMBER), "epoch", 1), 1)),
    "heartbeat with the epoch before": lambda asked: asked.beat(
        MEMBER, max(getattr(asked.state.members.get(MEMBER), "previous_epoch", 1), 1)
    ),
    "heartbeat with a later epoch": lambda asked: asked.beat(MEMBER, 99),
    "heartbeat that names another topic": lambda asked: asked.beat(
        MEMBER, max(getattr(asked.state.members.get(MEMBER), "epoch", 1), 1), ("b",)
    ),
    "leave (epoch −1)": lambda asked: asked.beat(MEMBER, -1),
    "another member joins": lambda asked: asked.beat("m3"),
    SESSION: lambda asked: asked.tell(SessionExpired(member=MEMBER)),
    "AlterShareGroupOffsets": lambda asked: asked.tell(AlterShareOffsets(request=1, offsets=(("a", 0, 7),))),
    "DeleteShareGroupOffsets": lambda asked: asked.tell(DeleteShareOffsets(request=1, topics=("a",))),
    "DeleteGroups": lambda asked: asked.tell(DeleteGroup(request=1)),
    "OffsetCommit": lambda asked: asked.tell(Commit(request=1, offsets=(("a", 0, 1),))),
}
FIRST: dict[str, Any] = {
    "JoinGroup": Join(
        request=1,
        member="",
        new_member="c1",
        protocol_type=CONSUMER_PROTOCOL_TYPE,
        protocols=(Protocol("range", Subscription(topics=("a",))),),
        version=3,
    ),
    "ConsumerGroupHeartbeat": ConsumerHeartbeat(
        request=1, member="c1", epoch=0, topics=("a",), owned=(), rebalance_timeout_ms=60_000
    ),
    "StreamsGroupHeartbeat": StreamsHeartbeat(
        request=1,
        member="c1",
        epoch=0,
        rebalance_timeout_ms=60_000,
        topology=Topology(epoch=0, subtopologies=(Subtopology(id="0", sources=("a",)),)),
        active=(),
        standby=(),
        warmup=(),
        process="p1",
        tags=(),
    ),
    "ShareGroupHeartbeat": ShareHeartbeat(request=1, member="c1", epoch=0, topics=("a",)),
    "AlterShareGroupOffsets": AlterShareOffsets(request=1, offsets=(("a", 0, 7),)),
}
"""The first request of each protocol, and the one of an administrator that makes a group."""
LEAVES: dict[str, Any] = {
    "ConsumerGroupHeartbeat": ConsumerHeartbeat(request=1, member="c1", epoch=-1),
    "StreamsGroupHeartbeat": StreamsHeartbeat(request=1, member="c1", epoch=-1),
    "ShareGroupHeartbeat": ShareHeartbeat(request=1, member="c1", epoch=-1),
}


def section() -> str:
    """Both parts of the page."""
    lines = [f"| request | {' | '.join(COLUMNS)} |", "| --- |" + " --- |" * len(COLUMNS)]
    lines += [f"| {row} | {' | '.join(cell(column, row) for column in COLUMNS)} |" for row in ROWS]
    groups = ["no group", "offsets only", *(f"{kind}{empty}" for kind in LEAVES for empty in ("", ", empty"))]
    others = [f"| request | {' | '.join(map(_group, groups))} |", "| --- |" + " --- |" * len(groups)]
    others += [f"| {name} | {' | '.join(meets(name, group) for group in groups)} |" for name in FIRST]
    return _INTRO + "\n".join([*lines, ""]) + _OTHERS + "\n".join([*others, ""])


def cell(column: str, row: str) -> str:
    """What comes of one request."""
    asked = COLUMNS[column]()
    member = asked.state.members.get(MEMBER)
    if row == SESSION and member is None:
        return "–"
    before = getattr(asked.state, "epoch", 0)
    ROWS[row](asked)
    error = getattr(asked.answer, "error", None)
    if error is not None and error.value:
        return str(error.name)
    group = asked.state
    if not isinstance(group, ShareGroup):
        return "no group"
    now = group.members.get(MEMBER)
    left = "no `m1`" if now is None else f"{now.epoch}, {len(now.assigned)}"
    return f"{left}; {group.phase.value}{f' {group.epoch}' if group.epoch != before else ''}"


def meets(name: str, group: str) -> str:
    """What the request is answered in such a group."""
    asked = Asked()
    kind = group.removesuffix(", empty")
    if group == "offsets only":
        asked.tell(Commit(request=1, offsets=(("a", 0, 1),)))
    elif kind in FIRST:
        asked.tell(FIRST[kind])
        if kind != group:
            asked.tell(LEAVES[kind])
    asked.tell(FIRST[name])
    error = getattr(asked.answer, "error", None)
    return str(error.name) if error is not None and error.value else "ok"


def _group(group: str) -> str:
    return group.replace("GroupHeartbeat", " group").lower()
