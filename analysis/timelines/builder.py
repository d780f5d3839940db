"""From facts to group timelines: one fold over a run, which the tables, blame and the report share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.analysis.classic_group_state import STABLE, ClassicGroupState
from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.group_state import BEGINS, ENDS, converted
from groupsim.analysis.log_coverage import CLIENT, CONSUMER, COORDINATOR
from groupsim.analysis.process_state import Processes
from groupsim.analysis.timelines.epochs import Epochs
from groupsim.analysis.timelines.group_timeline import GroupCondition, GroupTimeline, Removal
from groupsim.analysis.timelines.partition_moves import PartitionMoves
from groupsim.analysis.timelines.process_timeline import BROKER, Activity, ProcessTimeline
from groupsim.analysis.timelines.rebalance import FOLLOW_UP_CAUSES, Phase, PhaseEnd, PhaseName, Rebalance
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import network
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.tasks_as_partitions import as_partitions
from groupsim.events.types import MemberId

_FAILOVER = (CoordinatorUnloaded, CoordinatorLoaded)
CLOCK_TOLERANCE_MS = 50
"""A broker writes the removal of a member and the end of the join phase as two lines, up to so long apart."""


def group_timelines(facts: Iterable[Recorded]) -> dict[str, GroupTimeline]:
    """The timeline of every group that has facts, by name. Facts of any kind, in the order of the log."""
    folds: dict[str, _Fold] = {}
    for fact in as_partitions(facts):
        event, group = fact.event, group_of(fact.stream)
        if isinstance(event, network.LinkCut | network.LinkHealed):
            for fold in folds.values():
                fold.apply_link(event, fact.at_ms)
        elif group is not None:
            if group not in folds:
                folds[group] = _Fold(GroupTimeline(group))
            folds[group].apply(fact)
    return {name: folds[name].finished() for name in sorted(folds)}


def rebalances(facts: Iterable[Recorded], timelines: Mapping[str, GroupTimeline] | None = None) -> list[Rebalance]:
    """One row per RebalanceStarted, by group and time. `timelines` are the run's, where the caller has them already.

    Of a group that only clients report: one row per generation they joined, from the first JoinGroup to the last
    answer to SyncGroup; its cause is `unknown`.
    """
    known = group_timelines(facts) if timelines is None else timelines
    return [row for timeline in known.values() for row in (*timeline.rebalances, *timeline.reported)]


@dataclass(slots=True)
class _ClientReports:
    """Generations where only clients' logs are at hand: from the first JoinGroup to the last answer to SyncGroup."""

    group: str
    asked_ms: int | None = None
    by_generation: dict[int, Rebalance] = field(default_factory=dict)

    def apply(self, event: p.ClientEvent, at_ms: int) -> None:
        """Fold one fact of a client."""
        match event:
            case p.JoinSent():
                self.asked_ms = at_ms if self.asked_ms is None else self.asked_ms
            case p.JoinOk():
                self._generation(event.generation, at_ms)
            case p.AssignorRan() if event.generation >= 0:  # the log may begin after the leader had joined
                self._generation(event.generation, at_ms)
            case p.SyncOk():
                self._generation(event.generation, at_ms).phases[-1].to_ms = at_ms
                self.asked_ms = None

    def _generation(self, number: int, at_ms: int) -> Rebalance:
        if number not in self.by_generation:
            first_ms = at_ms if self.asked_ms is None else self.asked_ms
            self.by_generation[number] = Rebalance(self.group, "unknown", [Phase(PhaseName.JOINING, first_ms)], number)
        return self.by_generation[number]


class _Change(NamedTuple):
    """The last change of the membership: a join (`by` is JOIN) or a removal with its cause."""

    at_ms: int
    by: PhaseEnd
    member: str
    cause: str | None = None


class _Fold:
    """Folds one group's facts into its timeline."""

    def __init__(self, timeline: GroupTimeline) -> None:
        self.timeline = timeline
        self.processes = Processes()
        self.group_state = ClassicGroupState()
        self.epochs = Epochs(timeline, self.processes)
        self.moves = PartitionMoves()
        self.reports = _ClientReports(timeline.group)
        self.running: Rebalance | None = None
        self.started_by: str | None = None
        self.last_change: _Change | None = None
        self.last_joined: MemberId | None = None

    def apply(self, fact: Recorded) -> None:
        """Fold one fact, in the order of the log."""
        event, kind = fact.event, type(fact.event)
        self.timeline.recorded |= fact.source is not None
        if isinstance(event, p.ClientEvent):
            if kind in CLIENT:
                self.processes.apply(event)
            self.reports.apply(event, fact.at_ms)
            self._process(event.process).apply(event, fact.at_ms)
            self.epochs.said(event, fact.at_ms)
            if isinstance(event, p.JoinSent) and fact.source is not None:  # a broker's log does not have all joins
                self._arrived(event.process, fact.at_ms)
        elif kind in CONSUMER or (self.epochs.state is not None and isinstance(event, _FAILOVER)):
            self._apply_to_consumer_group(event, fact.at_ms)
        elif kind in COORDINATOR or isinstance(event, c.PendingMemberRemoved | c.SyncTimeout):
            self.processes.register(event)
            if isinstance(event, c.RebalanceStarted):
                self._start(event, fact.at_ms)
                self.started_by = fact.source
            elif isinstance(event, c.JoinPhaseCompleted) and self.running is not None:
                one_record = fact.source is not None and fact.source == self.started_by
                self.running.at_least = one_record and self.running.started_ms == fact.at_ms
            if isinstance(event, c.AssignmentStored | GroupEmptied):
                self.moves.remember(self.group_state)
            self.group_state.apply(event)
            self._apply_to_membership(event, fact.at_ms)
            self._apply_to_rebalance(event, fact.at_ms)

    def _apply_to_consumer_group(self, event: Event, at_ms: int) -> None:
        """A fact of KIP-848; by some of them the group changes its protocol."""
        self.processes.register(event)
        if isinstance(event, BEGINS):
            if self.running is not None:
                self._end(self.running, at_ms, moved=0, revoked=0)
            state = converted(self.group_state, event)
            assert isinstance(state, ConsumerGroupState)
            self.epochs.begin(event, state, self.moves.last_owner, at_ms)
        if self.epochs.state is not None and not isinstance(event, ENDS):
            self.epochs.apply(event, at_ms)
        elif isinstance(event, ENDS):
            self.epochs.end(at_ms)
            self.moves = PartitionMoves(last_owner=self.epochs.last_owners)
            self.group_state = ClassicGroupState()
            self.group_state.apply(event)
            self._load(at_ms)

    def apply_link(self, event: network.LinkCut | network.LinkHealed, at_ms: int) -> None:
        """A process is cut off from the coordinator, or reaches it again."""
        for name, other in ((event.a, event.b), (event.b, event.a)):
            for process in self.processes.named(name) if other == BROKER else ():
                self._process(process.id).apply(event, at_ms)

    def finished(self) -> GroupTimeline:
        """The timeline, with every member named by its process, also where a later fact says which process it is."""
        if not self.group_state.has_coordinator_facts and not self.epochs.all:
            self.timeline.reported = [rebalance for _, rebalance in sorted(self.reports.by_generation.items())]
        named = {member: process.id for member, process in self.processes.process_of.items()}
        self.epochs.finished(named)
        for r in self.timeline.rebalances:
            if r.by_epoch:
                continue
            self._rename(r, named)
            join = r.join_phase
            if join.ended_by == PhaseEnd.JOIN:
                join.waited_for = self._last_to_join(r)
                if self.timeline.recorded and r.joined_ms is not None and r.ended_ms is not None:
                    r.slowest_member = r.leader if r.assignment_took_longer else join.waited_for
            r.slowest_member = None if r.at_least else r.slowest_member  # nothing shows how long the join phase took
            for phase in r.phases[1:]:
                phase.waited_for = r.leader
        self.timeline.removals = {named.get(x, x): removals for x, removals in self.timeline.removals.items()}
        self.timeline.returns_ms = {named.get(x, x): returns_ms for x, returns_ms in self.timeline.returns_ms.items()}
        if self.timeline.recorded:
            self.timeline.processes = {x: process for x, process in self.timeline.processes.items() if process.has_log}
        return self.timeline

    @staticmethod
    def _rename(r: Rebalance, named: dict[MemberId, str]) -> None:
        join = r.join_phase
        r.initiator, join.waited_for, r.leader = (
            named.get(x, x) if x else x for x in (r.initiator, join.waited_for, r.leader)
        )
        r.expected = tuple(sorted({named.get(x, x) for x in r.expected}))
        r.assignment = {tp: named.get(x, x) for tp, x in r.assignment.items()}
        arrived = sorted(r.arrived_ms.items(), key=lambda entry: entry[1])
        r.arrived_ms = {named.get(x, x): at for x, at in arrived}

    def _last_to_join(self, r: Rebalance) -> str | None:
        """Whoever joined last; None where a recorded log does not have all joins: it cannot say who was last."""
        if self.timeline.recorded and (not r.joined or len(r.arrived_ms) < r.joined):
            return None
        if r.join_phase.waited_for in r.arrived_ms and not self.timeline.recorded:
            return r.join_phase.waited_for
        return max(r.arrived_ms, key=lambda name: r.arrived_ms[name], default=None)

    def _process(self, process: str) -> ProcessTimeline:
        if process not in self.timeline.processes:
            self.timeline.processes[process] = ProcessTimeline(process)
        return self.timeline.processes[process]

    def _name(self, member: MemberId | None) -> str | None:
        process = self.processes.of(member)
        return process.id if process is not None else member

    def _start(self, event: c.RebalanceStarted, at_ms: int) -> None:
        last = self.timeline.rebalances[-1] if self.timeline.rebalances else None
        r = Rebalance(self.timeline.group, event.cause, [Phase(PhaseName.JOINING, at_ms)], initial=event.initial)
        r.initiator = self._name(event.member)
        if self.running is not None:
            self._end(self.running, at_ms, moved=0, revoked=0)
        elif last is not None and event.cause in FOLLOW_UP_CAUSES and self.group_state.state == STABLE:
            r.rounds = last.rounds + 1 if self.moves.is_follow_up(event.member) else 1
        if last is not None and last.stored and event.cause in FOLLOW_UP_CAUSES and self._withheld_by(last):
            r.follows = last.generation
        r.expected = tuple(sorted(str(self._name(m)) for m in self.group_state.members))
        if self.last_change is not None and self.last_change[:2] == (at_ms, PhaseEnd.JOIN):
            r.arrived_ms[self.last_change.member] = at_ms
        if self.timeline.recorded:  # a client's log says when it asked, which may be before the broker's line
            joining = (x for x in self.timeline.processes.values() if x.now == Activity.JOIN)
            r.arrived_ms |= {x.process: at_ms for x in joining}
        self.moves.nothing_before = event.initial or event.generation <= 0
        self.last_joined = event.member if "joined" in event.cause or event.cause == "static-replaced" else None
        self.running = r
        self.timeline.rebalances.append(r)
        self.timeline.enter(at_ms, GroupCondition.REBALANCING, r, PhaseName.JOINING)

    def _withheld_by(self, last: Rebalance) -> bool:
        """The last assignment left something out that a process still has to revoke, or has just revoked."""
        return any(tp not in last.assignment for x in self.processes.all.values() for tp in x.view | x.surrendered)

    def _apply_to_membership(self, event: Event, at_ms: int) -> None:
        match event:
            case c.MemberAdded() | c.MemberUpdated():
                self.last_joined = event.member
                self._arrived(event.member, at_ms)
            case c.MemberReplaced():
                self.timeline.returns_ms.setdefault(str(self._name(event.old)), []).append(at_ms)
                if event.member is not None:
                    self.moves.replace(event.old, event.member)
                    self.last_joined = event.member
                    self._arrived(event.member, at_ms)
            case c.MemberRemoved() | c.PendingMemberRemoved():
                name = str(self._name(event.member))
                self.last_change = _Change(at_ms, PhaseEnd.REMOVAL, name, event.cause)
                self.timeline.removals.setdefault(name, []).append(Removal(at_ms, event.cause))
                if self.running is None and not self.group_state.members:
                    self.timeline.enter(at_ms, GroupCondition.EMPTY, None)

    def _arrived(self, member: MemberId, at_ms: int) -> None:
        name = str(self._name(member))
        self.last_change = _Change(at_ms, PhaseEnd.JOIN, name)
        if self.running is not None and self.running.joined_ms is None:
            self.running.arrived_ms[name] = at_ms

    def _apply_to_rebalance(self, event: Event, at_ms: int) -> None:
        match event:
            case c.JoinPhaseCompleted() if self.running is not None:
                self._complete_join(self.running, event, at_ms)
            case c.SyncTimeout() if self.running is not None:
                self.running.leader = self._name(event.members[0]) if event.members else self.running.leader
                if self.running.phases[-1].name == PhaseName.COMPLETING:
                    self.running.phases[-1].ended_by = PhaseEnd.TIMEOUT
            case c.AssignmentStored():
                self._store(event, at_ms)
            case GroupEmptied():
                self._empty(event, at_ms)
            case CoordinatorUnloaded():
                self.timeline.enter(at_ms, GroupCondition.UNLOADED, self.running)
            case CoordinatorLoaded():
                self._load(at_ms)

    def _complete_join(self, r: Rebalance, event: c.JoinPhaseCompleted, at_ms: int) -> None:
        join = r.join_phase
        join.to_ms, r.generation, r.joined = at_ms, event.generation, event.size
        r.phases = [join, Phase(PhaseName.COMPLETING, at_ms)]
        r.leader = self._name(event.leader or self.group_state.leader)
        missing = (*event.dropped, *event.absent)
        last_joined = None if event.members is None else self.last_joined
        r.slowest_member = self._name(missing[0] if missing else last_joined)
        change = self.last_change
        if missing:
            join.ended_by, join.waited_for = PhaseEnd.TIMEOUT, self._name(missing[0])
        elif change is not None and change.by == PhaseEnd.REMOVAL and change.at_ms + self._tolerance_ms >= at_ms:
            join.ended_by, join.waited_for, r.removal_cause = PhaseEnd.REMOVAL, change.member, change.cause
        elif r.initial:
            join.ended_by = PhaseEnd.DELAY
        else:
            join.ended_by = PhaseEnd.JOIN
            join.waited_for = change.member if change is not None else None
        self.timeline.enter(at_ms, GroupCondition.REBALANCING, r, PhaseName.COMPLETING)

    @property
    def _tolerance_ms(self) -> int:
        return CLOCK_TOLERANCE_MS if self.timeline.recorded else 0

    def _store(self, event: c.AssignmentStored, at_ms: int) -> None:
        moved, revoked = self.moves.store(event, self.group_state)
        r = self.running
        if r is not None:
            leader = self._name(event.leader or self.group_state.leader)
            r.stored, r.generation, r.leader = True, event.generation, r.leader or leader
            r.assignment = {tp: str(self._name(m)) for m, tps in (event.assignment or {}).items() for tp in tps}
            self._end(r, at_ms, moved, revoked)
            last = r.phases[-1]
            if last.name == PhaseName.COMPLETING and last.ended_by is None:
                last.ended_by = PhaseEnd.STORED
            if r.assignment_took_longer:
                r.slowest_member = leader
        self.timeline.enter(at_ms, GroupCondition.SETTLED, r if r is not None else self._last_stored())

    def _empty(self, event: GroupEmptied, at_ms: int) -> None:
        if self.running is not None:
            self.running.generation, self.running.emptied = event.generation, True
            self._end(self.running, at_ms, moved=0, revoked=self.moves.assigned_before)
        self.timeline.enter(at_ms, GroupCondition.EMPTY, None)

    def _load(self, at_ms: int) -> None:
        if self.running is not None:
            self.running.generation = None
            self._end(self.running, at_ms, moved=0, revoked=0)
        condition = GroupCondition.SETTLED if self.group_state.members else GroupCondition.EMPTY
        self.timeline.enter(at_ms, condition, self._last_stored())

    def _end(self, r: Rebalance, at_ms: int, moved: int | None, revoked: int | None) -> None:
        r.phases[-1].to_ms, r.moved, r.revoked = at_ms, moved, revoked
        self.running = None

    def _last_stored(self) -> Rebalance | None:
        return next((r for r in reversed(self.timeline.rebalances) if r.stored), None)
