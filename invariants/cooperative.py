"""Under a cooperative assignor, what a member still owns is not assigned to another one before it is revoked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.classic import AssignmentStored, MemberAdded, MemberRemoved, MemberReplaced, MemberUpdated
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from groupsim.events.types import MemberId, Protocol, TopicPartition
from groupsim.invariants.base import Violation


class _Subscriptions:
    """What each member sent when it last joined, by assignor: among it the partitions that it owned then."""

    def __init__(self) -> None:
        self._sent: dict[MemberId, dict[str, Protocol]] = {}

    def apply(self, event: Event) -> None:
        match event:
            case MemberAdded() | MemberUpdated():
                self._send(event.member, event.protocols)
            case MemberReplaced() if event.member is not None:
                self._sent.pop(event.old, None)
                self._send(event.member, event.protocols)
            case MemberRemoved():
                self._sent.pop(event.member, None)
            case CoordinatorLoaded() | GroupEmptied():
                self._sent.clear()  # a member that joins again sends again what it owns

    def _send(self, member: MemberId, protocols: tuple[Protocol, ...]) -> None:
        self._sent[member] = {p.name: p for p in protocols}

    def owners(self, assignor: str) -> dict[TopicPartition, list[tuple[int, MemberId]]]:
        """Who says it owns a partition, with the generation in which it did; the newest last."""
        owners_by_partition: dict[TopicPartition, list[tuple[int, MemberId]]] = {}
        for member, sent in self._sent.items():
            if assignor in sent:
                metadata = sent[assignor].metadata
                for tp in metadata.owned:
                    owners_by_partition.setdefault(tp, []).append((metadata.generation, member))
        return {tp: sorted(owners) for tp, owners in owners_by_partition.items()}


class WithheldUntilRevoked:
    """A cooperative assignor assigns no partition to one member while another still owns it (KIP-429).

    Of several members that own a partition, the one of the newest generation counts (KIP-792); an owner of an older
    generation than the member that gets the partition is no obstacle.
    """

    name = "withheld-until-revoked"
    note = ""
    reads: ClassVar[tuple[type[Event], ...]] = (
        MemberAdded,
        MemberUpdated,
        MemberReplaced,
        MemberRemoved,
        AssignmentStored,
        GroupEmptied,
        CoordinatorLoaded,
    )

    def __init__(self) -> None:
        self._groups: dict[str, _Subscriptions] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Keep what members own; compare every stored assignment with it."""
        name = group_of(fact.stream)
        if name is None:
            return
        subscriptions = self._groups.setdefault(name, _Subscriptions())
        event = fact.event
        if not isinstance(event, AssignmentStored):
            subscriptions.apply(event)
            return
        if event.assignment is None or not _is_cooperative(event.protocol):
            return
        owners = subscriptions.owners(event.protocol or "")
        for member, given in sorted(event.assignment.items()):
            for tp in given:
                others = [(generation, who) for generation, who in owners.get(tp, []) if who != member]
                own = max((generation for generation, who in owners.get(tp, []) if who == member), default=None)
                if others and (own is None or own <= others[-1][0]):
                    held = f"{tp} granted to {member} while {others[-1][1]} held it in generation {event.generation}"
                    yield Violation(self.name, fact.at_ms, fact.seq, f"{held} of {name}")

    def finish(self, at_ms: int, seq: int) -> Iterator[Violation]:
        """A run's end breaks nothing."""
        yield from ()


def _is_cooperative(assignor: str | None) -> bool:
    return assignor in ASSIGNORS and COOPERATIVE in ASSIGNORS[assignor].protocols
