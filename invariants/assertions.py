"""What a cooperative member keeps is not given to anybody else before it has let go of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE
from groupsim.events import classic as c
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, GroupEmptied
from groupsim.events.types import MemberId, Protocol, TopicPartition
from groupsim.invariants.base import Violation

Claims = dict[MemberId, dict[str, Protocol]]
"""What each member said of itself when it last joined, by assignor."""


@dataclass(slots=True)
class _Group:
    claims: Claims = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        match event:
            case c.MemberAdded() | c.MemberUpdated():
                self._claim(event.member, event.protocols)
            case c.MemberReplaced() if event.member is not None:
                self.claims.pop(event.old, None)
                self._claim(event.member, event.protocols)
            case c.MemberRemoved():
                self.claims.pop(event.member, None)
            case CoordinatorLoaded() | GroupEmptied():
                self.claims.clear()  # whoever joins again says again what it holds

    def _claim(self, member: MemberId, protocols: tuple[Protocol, ...]) -> None:
        self.claims[member] = {p.name: p for p in protocols}

    def held(self, assignor: str) -> dict[TopicPartition, list[tuple[int, MemberId]]]:
        """Who claims a partition, with the generation of the claim; the newest last."""
        found: dict[TopicPartition, list[tuple[int, MemberId]]] = {}
        for member, said in self.claims.items():
            if assignor in said:
                metadata = said[assignor].metadata
                for tp in metadata.owned:
                    found.setdefault(tp, []).append((metadata.generation, member))
        return {tp: sorted(claims) for tp, claims in found.items()}


class WithheldUntilRevoked:
    """Under a cooperative assignor no partition is granted to one member while another still holds it (appendix D.5).

    Of several who claim a partition the newest generation is believed (KIP-792); a claim that loses to the grantee's
    own, newer one is no obstacle.
    """

    name = "withheld-until-revoked"
    note = ""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def observe(self, fact: Recorded) -> Iterator[Violation]:
        """Remember claims; hold every stored assignment against them."""
        name = group_of(fact.stream)
        if name is None:
            return
        group = self._groups.setdefault(name, _Group())
        event = fact.event
        if not isinstance(event, c.AssignmentStored):
            group.apply(event)
            return
        if event.assignment is None or not _is_cooperative(event.protocol):
            return
        held = group.held(event.protocol or "")
        for member, given in sorted(event.assignment.items()):
            for tp in given:
                claims = held.get(tp, [])
                others = [other for _, other in claims if other != member]
                mine = max((generation for generation, who in claims if who == member), default=None)
                newest = max((generation for generation, who in claims if who != member), default=None)
                if newest is not None and (mine is None or mine <= newest):
                    said = f"{tp} granted to {member} while {others[-1]} held it in generation {event.generation}"
                    yield Violation(self.name, fact.at_ms, fact.seq, f"{said} of {name}")

    def finish(self) -> Iterator[Violation]:
        """Nothing is left to say."""
        yield from ()


def _is_cooperative(assignor: str | None) -> bool:
    return assignor in ASSIGNORS and COOPERATIVE in ASSIGNORS[assignor].protocols
