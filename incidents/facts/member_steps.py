"""How members of a consumer group (KIP-848) followed their targets, by what their own logs say.

A broker's log has neither targets by name nor who has reached them. A client's log has both: what it was given, what it
gave up, when it had done so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from groupsim.events import client as c
from groupsim.events import consumer as k
from groupsim.events.base import group_of
from groupsim.events.client import MemberPhase
from groupsim.events.types import Held, MemberId, Partitions, ProcessId
from groupsim.incidents.facts.builder import PendingFact


class Step(NamedTuple):
    """One step of a member. `given`: it was given the target `partitions`, else it has come to it.

    `revokes`: what it has to give up first. `fact`: what its log says.
    """

    fact: PendingFact
    given: bool
    partitions: Partitions
    revokes: Partitions = ()


class MemberSteps:
    """The steps of all logged members of one group, and what each held."""

    def __init__(self, facts: Iterable[PendingFact], group: str) -> None:
        self._steps: dict[MemberId, list[Step]] = defaultdict(list)
        self._views: dict[MemberId, list[tuple[int, Partitions]]] = defaultdict(list)
        self.topics: dict[MemberId, tuple[str, ...]] = {}
        self._member: dict[ProcessId, MemberId] = {}
        self._view: dict[ProcessId, Partitions] = {}
        self._subscribed: dict[ProcessId, tuple[str, ...]] = {}
        self._awaited: dict[ProcessId, Step] = {}
        for fact in facts:
            if isinstance(fact.event, c.ClientEvent) and group_of(fact.stream) == group:
                self._apply(fact, fact.event)

    def logged(self, member: MemberId) -> bool:
        """Whether some client's log names it as its own."""
        return member in self._views

    def held(self, member: MemberId, position: int) -> Partitions:
        """What it held before the row at a position, by its own log."""
        views = self._views.get(member, [])
        place = bisect_left(views, position, key=lambda view: view[0])
        return views[place - 1][1] if place else ()

    def between(self, member: MemberId, begin: int, end: int | None) -> list[Step]:
        """Its steps at rows from one position up to, but not including, another."""
        return [
            step
            for step in self._steps.get(member, ())
            if begin <= step.fact.position and (end is None or step.fact.position < end)
        ]

    def _apply(self, fact: PendingFact, event: c.ClientEvent) -> None:
        process = event.process
        match event:
            case c.ProcessStarted(topics=topics):
                self._subscribed[process] = topics
            case c.JoinSent(member=member) | c.JoinOk(member=member) | c.EpochReceived(member=member):
                self._use(process, member, fact.position)
            case c.TargetReceived(member=member, partitions=partitions):
                self._use(process, member, fact.position)
                revokes = tuple(tp for tp in self._view.get(process, ()) if tp not in partitions)
                self._steps[member].append(Step(fact, True, partitions, revokes))
                self._awaited[process] = self._steps[member][-1]
            case c.StateChanged(state=MemberPhase.ACKNOWLEDGING | MemberPhase.STABLE) if process in self._awaited:
                given = self._awaited.pop(process)
                self._steps[self._member[process]].append(Step(fact, False, given.partitions))
            case c.SyncOk(member=member, assignment=assignment):
                self._use(process, member, fact.position)
                self._steps[member].append(Step(fact, False, assignment or ()))
            case c.ViewChanged(partitions=partitions):
                self._view[process] = partitions
                if process in self._member:
                    self._views[self._member[process]].append((fact.position, partitions))
            case _:
                pass

    def _use(self, process: ProcessId, member: MemberId, position: int) -> None:
        if member and self._member.get(process) != member:
            self._member[process] = member
            self.topics[member] = self._subscribed.get(process, ())
            self._views[member].append((position, self._view.get(process, ())))


def reconciled(
    member: MemberId, epoch: int, before: int, state: k.MemberState, assigned: Partitions, pending: Partitions = ()
) -> k.MemberReconciled:
    """The step as a fact; the epoch of a partition is that in which the member was given it, by what is known."""
    return k.MemberReconciled(
        member=member,
        epoch=epoch,
        previous_epoch=before,
        state=state,
        assigned=_held(assigned, epoch),
        pending=_held(pending, before),
    )


def _held(partitions: Partitions, epoch: int) -> Held:
    return tuple(sorted((tp.topic, tp.partition, epoch) for tp in partitions))
