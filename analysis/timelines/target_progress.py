"""A consumer group at every instant: its target, who holds what, and how far each member has come (KIP-848)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.events.consumer import MemberState
from groupsim.events.types import MemberId, TopicPartition

T = TypeVar("T")


@dataclass(slots=True)
class Series(Generic[T]):
    """A value that changes at instants (ms of the run)."""

    at_ms: list[int] = field(default_factory=list)
    values: list[T] = field(default_factory=list)

    def put(self, at_ms: int, value: T) -> None:
        """From now on it is this; the last one of an instant counts."""
        if self.at_ms and self.at_ms[-1] == at_ms:
            self.values[-1] = value
        elif not self.values or self.values[-1] is not value:
            self.at_ms.append(at_ms)
            self.values.append(value)

    def at(self, at_ms: int) -> T | None:
        """What it was then; None before it was anything."""
        place = bisect_right(self.at_ms, at_ms) - 1
        return self.values[place] if place >= 0 else None


class Target(NamedTuple):
    """The target of `epoch`: who is to have what. `due`: the group's epoch is a later one."""

    epoch: int
    due: bool
    owners: Mapping[TopicPartition, MemberId]


class Stage(NamedTuple):
    """One partition at one instant: who holds it and who is to have it (member ids).

    `due`: a new target has to be computed. `at_target`: whoever is to have it was informed of the target; `revokes`:
    that member has to give other partitions up first.
    """

    holder: MemberId | None
    target: MemberId | None
    due: bool
    at_target: bool = False
    revokes: bool = False


@dataclass(slots=True)
class TargetProgress:
    """`consumer`: whether the group is a consumer group. `names`: the process of each member, where one is known."""

    consumer: Series[bool] = field(default_factory=Series[bool])
    targets: Series[Target] = field(default_factory=Series[Target])
    holders: dict[TopicPartition, Series[MemberId | None]] = field(default_factory=dict)
    members: dict[MemberId, Series[tuple[int, MemberState]]] = field(default_factory=dict)
    changes_ms: list[int] = field(default_factory=list)
    names: dict[MemberId, str] = field(default_factory=dict)

    def begin(self, at_ms: int) -> None:
        """It is a consumer group from now on; nobody holds anything yet."""
        self.consumer.put(at_ms, True)
        for series in self.holders.values():
            series.put(at_ms, None)

    def remember(self, state: ConsumerGroupState, member: MemberId | None, new_target: bool, at_ms: int) -> None:
        """The state after a fact about `member`; `new_target`: the epoch or the target changed."""
        if not self.changes_ms or self.changes_ms[-1] != at_ms:
            self.changes_ms.append(at_ms)
        for partition in state.moved:
            self.holders.setdefault(partition, Series()).put(at_ms, state.owner(partition))
        if new_target:
            owners = {tp: m for m, given in state.targets.items() for tp in given}
            self.targets.put(at_ms, Target(state.target_epoch, state.epoch > state.target_epoch, owners))
        member_state = state.members.get(member) if member else None
        if member and member_state is not None:
            self.members.setdefault(member, Series()).put(at_ms, (member_state.epoch, member_state.state))

    def name(self, member: MemberId | None) -> str | None:
        """The process of a member, or its id where none is known."""
        return self.names.get(member, member) if member else None

    def cuts(self, from_ms: int, to_ms: int) -> Iterator[tuple[int, int]]:
        """[from_ms, to_ms) in pieces in which nothing changes."""
        at = from_ms
        for place in range(bisect_right(self.changes_ms, from_ms), len(self.changes_ms)):
            if self.changes_ms[place] >= to_ms:
                break
            yield at, self.changes_ms[place]
            at = self.changes_ms[place]
        if at < to_ms:
            yield at, to_ms

    def stage(self, partition: TopicPartition, at_ms: int) -> Stage:
        """How far the partition has come."""
        target = self.targets.at(at_ms)
        holder = self.holders[partition].at(at_ms) if partition in self.holders else None
        if target is None:
            return Stage(holder, None, False)
        owner = target.owners.get(partition)
        reached = self.members[owner].at(at_ms) if owner in self.members else None
        if owner is None or reached is None:
            return Stage(holder, owner, target.due)
        revokes = reached[1] is MemberState.UNREVOKED_PARTITIONS
        return Stage(holder, owner, target.due, revokes or reached[0] >= target.epoch, revokes)
