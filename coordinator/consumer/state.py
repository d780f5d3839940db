"""The state of a consumer group: immutable, changed by `evolve` alone (Kafka: ConsumerGroup, ConsumerGroupMember)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from groupsim.coordinator.config import ConsumerGroupConfig
from groupsim.coordinator.consumer.owners import Owners
from groupsim.coordinator.modern.state import Holding, ModernGroup, ModernMember
from groupsim.events.consumer import ClassicMetadata
from groupsim.events.types import MemberId, Partitions, Plan


class Member(ModernMember, frozen=True, kw_only=True):
    """A member. `classic` is what its JoinGroup said if it speaks the classic protocol, else None.

    `topics` are the subscribed names, sorted and distinct; `expression` is empty for none. `assigned` it may use,
    `pending` it has to give up.
    """

    topics: tuple[str, ...] = ()
    expression: str = ""
    assignor: str | None = None
    classic: ClassicMetadata | None = None
    assigned: Holding = msgspec.field(default_factory=dict)
    pending: Holding = msgspec.field(default_factory=dict)

    @property
    def vote(self) -> str:
        """The assignor it votes for, empty for none. One that becomes classic keeps it: defect `kept-vote`."""
        return self.assignor or ""

    @property
    def may_be_replaced(self) -> bool:
        """A classic member may be replaced at any time, as in a classic group."""
        return self.classic is not None or super().may_be_replaced

    def away(self) -> Member:
        """What it has to give up is free at once."""
        return replace(super().away(), assigned=dict.fromkeys(self.assigned, 0), pending={})


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """The topics an expression matched, at this version of the broker's topics; `at_ms` when resolution began."""

    topics: tuple[str, ...]
    version: int
    at_ms: int


class ConsumerGroup(ModernGroup[Member, Partitions], frozen=True, kw_only=True):
    """A group as its coordinator knows it.

    `owners`: which partitions somebody holds. `expressions`, `votes`: how many members have each; `resolving`: topics
    are being looked for (not durable). `forgotten`: the records are there, but requests are answered as if the group
    did not exist (not durable).
    """

    owners: Owners = msgspec.field(default_factory=Owners)
    expressions: Mapping[str, int] = msgspec.field(default_factory=dict)
    votes: Mapping[str, int] = msgspec.field(default_factory=dict)
    resolved: Mapping[str, Resolved] = msgspec.field(default_factory=dict)
    resolving: bool = False
    forgotten: bool = False

    @property
    def config(self) -> ConsumerGroupConfig:
        """The settings of consumer groups."""
        return self.configs.consumer

    @property
    def assignment(self) -> Plan:
        """The partitions each member may use, sorted by member id; topics by id."""
        return {m: tuple(sorted(self.members[m].assigned)) for m in sorted(self.members)}

    @property
    def classic_epoch(self) -> int:
        """A classic member below this epoch has to rejoin: since 4.3 that of the target, before, the group's."""
        return self.target_epoch if self.behaviour.classic_members_wait_for_target else self.epoch

    @property
    def commits_by_assignment_epoch(self) -> bool:
        """Since 4.3 (KIP-1251)."""
        return self.behaviour.commits_by_assignment_epoch

    def placed(self, member: Member) -> ConsumerGroup:
        """Who holds what, who has which expression and who votes for what follows, too."""
        before = self.members.get(member.id)
        group = super().placed(member)
        former = before.expression if before is not None else ""
        if former != member.expression:
            group = replace(group, expressions=_counted(group.expressions, dropped=former, added=member.expression))
        voted = before.vote if before is not None else ""
        if voted != member.vote:
            group = replace(group, votes=_counted(group.votes, dropped=voted, added=member.vote))
        if before is not None and before.assigned is member.assigned and before.pending is member.pending:
            return group
        released = (*before.assigned, *before.pending) if before is not None else ()
        return replace(group, owners=group.owners.after(released, (*member.assigned, *member.pending)))

    def without(self, member: MemberId) -> ConsumerGroup:
        """What it held is free."""
        gone = self.members[member]
        return replace(
            super().without(member),
            expressions=_counted(self.expressions, dropped=gone.expression),
            votes=_counted(self.votes, dropped=gone.vote),
            owners=self.owners.after((*gone.assigned, *gone.pending), ()),
        )


def _counted(had: Mapping[str, int], *, dropped: str = "", added: str = "") -> dict[str, int]:
    """How many members have each expression, or vote for each assignor, after one member changed; empty for none."""
    counts = dict(had)
    if added:
        counts[added] = counts.get(added, 0) + 1
    if dropped:
        counts[dropped] -= 1
    return {text: count for text, count in counts.items() if count}
