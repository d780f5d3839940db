"""A member of a streams group in each state, and one request or timer of each kind: a part of docs/protocol.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.coordinator.commands import DeleteGroup
from groupsim.coordinator.config import Configs
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, absent
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.outcome import Answer
from groupsim.coordinator.streams.commands import StreamsHeartbeat
from groupsim.coordinator.streams.state import StreamsGroup
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.consumer import MemberState
from groupsim.events.streams import Subtopology, Topology

MEMBER, INSTANCE = "m1", "i1"
SETTINGS = {"group.streams.assignment.interval.ms": "0", "group.streams.initial.rebalance.delay.ms": "0"}
_TOPICS, _NO_TOPICS = Topics({"a": Topic("a", "a", 4)}, 1), Topics({}, 2)
_TOPOLOGY = Topology(epoch=0, subtopologies=(Subtopology(id="0", sources=("a",)),))
_OTHER = Topology(epoch=0, subtopologies=(Subtopology(id="0", sources=("b",)),))
_NOTHING: dict[str, Any] = {"active": (), "standby": (), "warmup": ()}
_INTRO = """
## Members of a streams group (KIP-1071)

One member `m1`, static with instance id `i1`, per column, in a group whose topology has 4 tasks without state; one
request or timer per row, without delays. It is alone (`STABLE`); `Behind` since `m2` came; it has to give tasks up
(`UNREVOKED`); it waits for tasks of `m2` (`UNRELEASED`); it left with epoch −2 (`Away`); it is alone and the source
topic was deleted (`NotReady`). A cell has the error, or the member's state, its epoch and the number of tasks that it
runs; then the group's state, with its epoch where that grew. `–`: no such timer.

"""


class Asked:
    """A group after what it was asked; `answer` is the last one."""

    def __init__(self) -> None:
        self.state: AnyGroup = absent("g", Configs().with_settings(SETTINGS))
        self.topics = _TOPICS
        self.answer: Answer | None = None

    def ask(self, command: Any) -> None:
        """A request or a timer."""
        outcome = MACHINES[type(self.state)].decide(self.state, command.at(Context(0, self.topics)))
        self.state = outcome.state
        self.answer = outcome.replies[0].answer if outcome.replies else None

    @property
    def member(self) -> Any:
        """The member of the table."""
        return self.state.members.get(MEMBER)

    def join(self, member: str = MEMBER, instance_id: str | None = INSTANCE, topology: Topology = _TOPOLOGY) -> None:
        """Its first request."""
        says: dict[str, Any] = {"topology": topology, "process": f"p-{member}", "tags": (), **_NOTHING}
        sent = {"member": member, "instance_id": instance_id, "rebalance_timeout_ms": 60_000, **says}
        self.ask(StreamsHeartbeat(request=1, epoch=0, **sent))

    def beat(self, epoch: int, member: str = MEMBER, instance_id: str | None = INSTANCE, **says: Any) -> None:
        """A heartbeat."""
        self.ask(StreamsHeartbeat(request=1, member=member, epoch=epoch, instance_id=instance_id, **says))

    def runs(self) -> dict[str, Any]:
        """What the member says of the tasks that it still runs."""
        return {**_NOTHING, "active": tuple(self.member.active)}


def _stable() -> Asked:
    asked = Asked()
    asked.join()
    return asked


def _behind() -> Asked:
    asked = _stable()
    asked.join("m2", None)
    return asked


def _unrevoked() -> Asked:
    asked = _behind()
    asked.beat(2)
    return asked


def _unreleased() -> Asked:
    asked = Asked()
    asked.join("m2", None)
    asked.join()
    return asked


def _away() -> Asked:
    asked = _stable()
    asked.beat(-2)
    return asked


def _not_ready() -> Asked:
    asked = _stable()
    asked.topics = _NO_TOPICS
    asked.beat(2)
    return asked


COLUMNS: dict[str, Callable[[], Asked]] = {
    "STABLE": _stable,
    "Behind": _behind,
    "UNREVOKED": _unrevoked,
    "UNRELEASED": _unreleased,
    "Away": _away,
    "NotReady": _not_ready,
}
REBALANCE = "the rebalance timeout ends"
ROWS: dict[str, Callable[[Asked], None]] = {
    "heartbeat that says nothing": lambda asked: asked.beat(max(asked.member.epoch, 1)),
    "heartbeat with the tasks that it runs": lambda asked: asked.beat(max(asked.member.epoch, 1), **asked.runs()),
    "heartbeat with the epoch before, and its tasks": lambda asked: asked.beat(
        max(asked.member.previous_epoch, 1), **asked.runs()
    ),
    "heartbeat with a later epoch": lambda asked: asked.beat(99),
    "heartbeat from another process": lambda asked: asked.beat(max(asked.member.epoch, 1), process="other"),
    "join (epoch 0) with its id": lambda asked: asked.join(),
    "join (epoch 0) without the instance id": lambda asked: asked.join(instance_id=None),
    "join of another member with its instance id": lambda asked: asked.join("m3"),
    "join with another topology": lambda asked: asked.join("m3", None, _OTHER),
    "leave (epoch −1)": lambda asked: asked.beat(-1),
    "leave for a while (epoch −2)": lambda asked: asked.beat(-2),
    "another member joins": lambda asked: asked.join("m3", None),
    "DeleteGroups": lambda asked: asked.ask(DeleteGroup(request=1)),
    "the session ends": lambda asked: asked.ask(SessionExpired(member=MEMBER)),
    REBALANCE: lambda asked: asked.ask(RebalanceTimedOut(member=MEMBER, epoch=asked.member.epoch)),
}


def section() -> str:
    """The part of the page."""
    lines = [f"| request | {' | '.join(COLUMNS)} |", "| --- |" + " --- |" * len(COLUMNS)]
    lines += [f"| {row} | {' | '.join(cell(column, row) for column in COLUMNS)} |" for row in ROWS]
    return _INTRO + "\n".join([*lines, ""])


def cell(column: str, row: str) -> str:
    """What comes of one request."""
    asked = COLUMNS[column]()
    if row == REBALANCE and asked.member.state is not MemberState.UNREVOKED_PARTITIONS:
        return "–"
    before = asked.state.epoch if isinstance(asked.state, StreamsGroup) else 0
    ROWS[row](asked)
    error = getattr(asked.answer, "error", None)
    if error is not None and error.value:
        return str(error.name)
    group, now = asked.state, asked.member
    assert isinstance(group, StreamsGroup)
    said = "gone" if now is None else f"{now.state.value.partition('-')[0]} {now.epoch}, {len(now.active)}"
    return f"{said}; {group.phase.value}{f' {group.epoch}' if group.epoch != before else ''}"
