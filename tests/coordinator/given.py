"""Groups as folds over facts, requests in one line, and outcomes read as plain words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from groupsim.coordinator.classic import ClassicGroup, decide, evolve
from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Leaving, Sync
from groupsim.coordinator.commands import Commit
from groupsim.coordinator.config import ClassicGroupConfig, Configs
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.events import classic as facts
from groupsim.events.base import Event
from groupsim.events.group import CoordinatorUnloaded, GroupCreated, GroupEmptied
from groupsim.events.types import Partitions, Protocol, Subscription, TopicPartition

SESSION, REBALANCE = 10_000, 60_000
NEW_MEMBER = 300_000
OFFSETS = (("orders", 0, 7),)


def tps(*numbers: int) -> Partitions:
    """Partitions of one topic."""
    return tuple(TopicPartition("orders", n) for n in numbers)


def offer(*names: str, topic: str = "orders") -> tuple[Protocol, ...]:
    """Assignors with a subscription."""
    return tuple(Protocol(name, Subscription(topics=(topic,))) for name in names)


RANGE = offer("range")


def after(*events: Event, config: ClassicGroupConfig | None = None, id: str = "g") -> ClassicGroup:
    """The group these facts lead to."""
    return reduce(evolve, events, ClassicGroup(id=id, configs=Configs(classic=config or ClassicGroupConfig())))


def added(member: str, request: int | None = None, **more: Any) -> facts.MemberAdded:
    """A member with the usual timeouts; `instance_id`, `protocols`, … by name."""
    usual: dict[str, Any] = {
        "client_id": member,
        "client_host": "h",
        "session_timeout_ms": SESSION,
        "rebalance_timeout_ms": REBALANCE,
        "protocol_type": "consumer",
        "protocols": RANGE,
    }
    return facts.MemberAdded(member=member, request=request, **{**usual, **more})


def updated(member: str, request: int, **more: Any) -> facts.MemberUpdated:
    """A member joined again."""
    usual: dict[str, Any] = {"session_timeout_ms": SESSION, "rebalance_timeout_ms": REBALANCE, "protocols": RANGE}
    return facts.MemberUpdated(member=member, request=request, **{**usual, **more})


def started(generation: int = 0, *, initial: bool = False) -> facts.RebalanceStarted:
    """To PreparingRebalance."""
    return facts.RebalanceStarted(generation=generation, cause="unknown", reason="", initial=initial)


def joined(generation: int, *members: str, protocol: str = "range") -> facts.JoinPhaseCompleted:
    """To CompletingRebalance; the first one leads."""
    return facts.JoinPhaseCompleted(
        generation=generation, protocol=protocol, leader=members[0], members=members, size=len(members)
    )


def stored(generation: int, **plan: Partitions) -> facts.AssignmentStored:
    """To Stable."""
    return facts.AssignmentStored(generation=generation, assignment=dict(plan))


def issued(member: str) -> facts.MemberIdIssued:
    """A pending id."""
    return facts.MemberIdIssued(member=member, session_timeout_ms=SESSION)


CREATED = (GroupCreated(),)
INITIAL = (*CREATED, added("a", 1), started(initial=True))
"""One founder waits for the initial delay."""
COMPLETING = (*CREATED, added("a", 1), started(initial=True), added("b", 2), joined(1, "a", "b"))
"""Leader a and follower b at generation 1; nobody has synced."""
FOLLOWER_WAITS = (*COMPLETING, facts.SyncParked(member="b", request=3))
STABLE = (
    *FOLLOWER_WAITS,
    facts.SyncParked(member="a", request=4),
    stored(1, a=tps(0, 1), b=tps(2)),
)
PREPARING = (*STABLE, started(1))
"""A rebalance that nobody has joined yet."""
STATIC = (
    *CREATED,
    added("a", 1, instance_id="ia"),
    started(initial=True),
    added("b", 2, instance_id="ib"),
    joined(1, "a", "b"),
    facts.SyncParked(member="b", request=3),
    facts.SyncParked(member="a", request=4),
    stored(1, a=tps(0, 1), b=tps(2)),
)
"""Stable, two static members; a leads."""
EMPTIED = (
    *PREPARING,
    facts.MemberRemoved(member="a", cause="left"),
    facts.MemberRemoved(member="b", cause="left"),
    GroupEmptied(generation=2),
)
"""Everybody left."""
DEAD = (*STABLE, CoordinatorUnloaded())


def join(member: str = "", request: int = 9, **more: Any) -> Join:
    """JoinGroup v9."""
    usual: dict[str, Any] = {
        "new_member": "n",
        "client_id": "c",
        "session_timeout_ms": SESSION,
        "rebalance_timeout_ms": REBALANCE,
        "protocols": RANGE,
    }
    return Join(request=request, member=member, **{**usual, **more})


def sync(member: str, generation: int = 1, request: int = 9, **more: Any) -> Sync:
    """SyncGroup v5."""
    usual: dict[str, Any] = {"protocol_type": "consumer", "protocol": "range"}
    return Sync(request=request, member=member, generation=generation, **{**usual, **more})


def beat(member: str, generation: int = 1, instance_id: str | None = None) -> Heartbeat:
    """Heartbeat."""
    return Heartbeat(request=9, member=member, generation=generation, instance_id=instance_id)


def leave(*members: str | tuple[str, str]) -> Leave:
    """LeaveGroup of ids, or of (id, instance id)."""
    entries = (Leaving(m) if isinstance(m, str) else Leaving(*m) for m in members)
    return Leave(request=9, members=tuple(entries))


def commit(member: str = "", generation: int = -1, **more: Any) -> Commit:
    """OffsetCommit v9."""
    return Commit(request=9, member=member, generation=generation, offsets=OFFSETS, **more)


class Then:
    """What a command led to."""

    def __init__(self, group: ClassicGroup, command: Any) -> None:
        self.outcome: Outcome[ClassicGroup] = decide(group, command)
        self.group = self.outcome.state

    @property
    def facts(self) -> list[str]:
        """The names of the new facts."""
        return [type(event).__name__ for event in self.outcome.events]

    @property
    def answers(self) -> dict[int, Any]:
        """Answer by request number; each request at most once."""
        found = {reply.request: reply.answer for reply in self.outcome.replies}
        assert len(found) == len(self.outcome.replies)
        return found

    @property
    def errors(self) -> dict[int, str]:
        """Error name by request number."""
        return {request: answer.error.name for request, answer in self.answers.items()}

    @property
    def error(self) -> str:
        """The error name of request 9."""
        return self.errors[9]

    @property
    def timers(self) -> dict[str, int | None]:
        """What was last said of each alarm: when it rings, None where it was disarmed."""
        return {t.key: t.after_ms if isinstance(t, Arm) else None for t in self.outcome.timers}

    @property
    def state(self) -> str:
        """Kafka's name of the phase it is in now."""
        return self.group.phase.value

    def fact(self, kind: type[Event]) -> Any:
        """The one new fact of this type."""
        (found,) = [event for event in self.outcome.events if isinstance(event, kind)]
        return found


def when(given: Sequence[Event], command: Any, config: ClassicGroupConfig | None = None) -> Then:
    """Fold the facts, decide the command."""
    return Then(after(*given, config=config), command)
