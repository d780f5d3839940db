"""Member: the incarnations that belong together, because one client was stopped and started again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from groupsim.replay.reconstruct.applications.program import Program
from groupsim.replay.reconstruct.incarnation import Incarnation


@dataclass(frozen=True, slots=True)
class Member:
    """One consumer through all its incarnations, in order, and the program that it runs."""

    name: str
    incarnations: tuple[Incarnation, ...]
    program: Program = field(default_factory=Program)

    @property
    def instance(self) -> str | None:
        """Its group.instance.id, if it is static."""
        return next((each.instance for each in self.incarnations if each.instance), None)


def members_of(incarnations: Sequence[Incarnation], *, of_streams: bool = False) -> list[Member]:
    """Incarnations of one client (or static member) that do not overlap are one member.

    `of_streams`: an instance of Kafka Streams without a disk has a new process id, and with it a new client id, when it
    comes back: whoever comes next after one has ended, and nobody else, is taken for it.
    """
    chains: list[list[Incarnation]] = []
    for incarnation in sorted(incarnations, key=lambda i: (-1 if i.starts_ms is None else i.starts_ms, i.name)):
        before = [chain for chain in chains if _follows(chain[-1], incarnation)]
        if of_streams and not before and incarnation.instance is None:
            before = [chain for chain in chains if _has_ended(chain[-1], incarnation)][:1]
        if not before:
            chains.append([incarnation])
            continue
        chain = max(before, key=lambda each: each[-1].ends_ms or 0)
        last = chain[-1]
        if last.ending is None:
            _continue_as(last, incarnation)
            continue
        if last.ends_ms is None:
            last.ends_ms = max((incarnation.starts_ms or 0) - 1, 0)
        chain.append(incarnation)
    return [Member(chain[0].instance or chain[0].client, tuple(chain)) for chain in chains]


def _has_ended(last: Incarnation, incarnation: Incarnation) -> bool:
    return (
        last.ending is not None
        and last.ends_ms is not None
        and incarnation.starts_ms is not None
        and last.ends_ms <= incarnation.starts_ms
    )


def _follows(last: Incarnation, incarnation: Incarnation) -> bool:
    same = {last.instance, last.disk} & {incarnation.instance, incarnation.disk} - {None}
    named = last.instance or incarnation.instance
    if incarnation.starts_ms is None or not (same or (not named and last.client == incarnation.client)):
        return False
    if last.ending is not None:
        return last.ends_ms is None or last.ends_ms <= incarnation.starts_ms
    stall = last.stalls[-1] if last.stalls else None
    left = (
        stall is not None and stall.to_ms is None and (stall.expired_ms or stall.from_ms or 0) <= incarnation.starts_ms
    )
    return left and not last.logged and not incarnation.logged


def _continue_as(last: Incarnation, incarnation: Incarnation) -> None:
    """The same process under a new member id: it left for being slow and came back."""
    last.stalls[-1].to_ms = incarnation.starts_ms
    last.member_ids += incarnation.member_ids
    last.ends_ms, last.ending, last.expired_ms = incarnation.ends_ms, incarnation.ending, incarnation.expired_ms
    last.stalls += incarnation.stalls
