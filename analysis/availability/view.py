"""The facts of one group, folded one by one; after each, which of its partitions may have another label."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from groupsim.analysis.availability.coverage_rules import Knowledge, RecordedKnowledge, SimulatedKnowledge
from groupsim.analysis.availability.current_group import DATA, CurrentGroup
from groupsim.analysis.availability.labels import Verdict
from groupsim.analysis.availability.rules import decide, rules_for
from groupsim.analysis.availability.situation import Situation
from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.group_state import ENDS
from groupsim.analysis.log_coverage import LogCoverage
from groupsim.analysis.partition_sets import by_value
from groupsim.analysis.process_state import HOLDING, MEMBERSHIP, Process
from groupsim.events import classic, client, consumer
from groupsim.events.base import Event
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId, TopicPartition


class Changes(NamedTuple):
    """What happened to a group since it was last asked.

    `moved`: partitions whose condition may be another one; of each set those that were in one condition are in one
    condition again, unless they differ in which other sets have them. `affected`: partitions whose verdict may have
    changed though their condition is the same; `all_affected`: so may every partition's.
    """

    moved: list[set[TopicPartition]]
    affected: set[TopicPartition]
    all_affected: bool


class GroupView:
    """Folds the facts of one group, and says which of its partitions may have another label by them."""

    def __init__(self, coverage: LogCoverage) -> None:
        self.coverage = coverage
        self.group = CurrentGroup.classic(coverage)
        self.knowledge: Knowledge = (RecordedKnowledge if coverage.recorded else SimulatedKnowledge)(self.group)
        self._rules = rules_for(coverage.recorded)
        self._moved: list[set[TopicPartition]] = []
        self._affected: set[TopicPartition] = set()
        self._all_affected = False
        self._common: tuple[object, ...] | None = None

    def take_changes(self) -> Changes | None:
        """What happened since the last call; None if nothing did."""
        if self._common is not None:
            self._all_affected = self._all_affected or self._common != self._common_now()
            self._common = None
        if not (self._moved or self._affected or self._all_affected):
            return None
        changes = Changes(self._moved, self._affected, self._all_affected)
        self._moved, self._affected, self._all_affected = [], set(), False
        return changes

    def grew(self) -> bool:
        """There are new partitions; whether the group has another cause by that. One that rebalances keeps its."""
        if self.group.state.rebalancing or self.group.owed:
            return False
        before = self.group.causes.now
        self.group.causes.grew()
        return self.group.causes.now != before

    def _move_alike(self, partitions: set[TopicPartition]) -> None:
        """What happened to one of these happened to all of them."""
        if partitions:
            self._moved.append(partitions)

    def condition(self, tp: TopicPartition) -> Hashable:
        """All that a verdict asks of the partition itself: partitions in equal condition have the same verdict."""
        group = self.group
        holders, surrendered, owed = group.holders.get(tp), group.surrendered_by.get(tp), group.owed
        held: object = None
        if holders:
            held = [_held(x, tp) for x in holders.values()]  # mostly one
            held = held[0] if len(held) == 1 else tuple(sorted(held))
        return (
            group.state.owners.get(tp),
            held,
            tuple(sorted(surrendered)) if surrendered else None,
            bool(owed) and tp in owed,
            tp.topic,
        )

    def apply(self, event: Event) -> None:
        """Fold one fact of the group's own streams."""
        if isinstance(event, client.ClientEvent):
            self._apply_client(event)
            return
        reconciled = self._reconciles(event)
        if reconciled is not None and self._common is None:
            self._common = self._common_now()
        self.group.causes.apply(event, self.group.processes, bool(self.group.owed))
        owners = self.group.state.owners
        member = None if self.knowledge.decides_all else _member_added_or_removed(event)
        topics = self.group.state.topics if member else None
        self.group.convert(event)
        if self.group.state.apply(event):
            only = member if member and self.group.state.topics == topics else reconciled
            if only:
                self._affected.update(self._of_member(only))
            else:
                self._all_affected = True
        self._owners_changed(owners)
        self.group.processes.register(event)
        if isinstance(event, classic.AssignmentStored):
            self._granted(sorted(self.group.state.members))
            for process, surrendered in self.group.processes.assigned_anew():
                self._surrendered_changed(process, surrendered)
            self._set_owed(self._left_out())
        elif isinstance(event, classic.MemberReplaced):
            if event.member and event.request is None and self.group.state.stable:  # it was answered at once
                self._granted((event.member,))
        elif isinstance(event, (GroupEmptied, *ENDS)):
            self._set_owed(set())
        elif isinstance(self.group.state, ConsumerGroupState):
            if isinstance(event, consumer.MemberReconciled):
                self._granted((event.member,))
            self._moved += self.group.state.moved_alike
            if self.group.owed is not self.group.state.withheld:  # it was not a consumer group before
                self._set_owed(self.group.state.withheld)

    def _reconciles(self, event: Event) -> MemberId | None:
        """The member of a consumer group that this fact gives or takes partitions, if no other one is affected by it.

        There are as many such facts as members in each rebalance: to ask all partitions after each is quadratic.
        """
        if self.knowledge.decides_all or not isinstance(event, consumer.MemberReconciled):
            return None
        return event.member if event.epoch >= 0 and self.group.state.may_commit(event.member) else None

    def _common_now(self) -> tuple[object, ...]:
        """What the rules ask of the whole group, and a member that reconciles may change."""
        state = self.group.state
        return state.rebalancing, state.empty, self.group.causes.now

    def _granted(self, members: Iterable[MemberId]) -> None:
        for process, surrendered in self.group.processes.granted(members):
            self._surrendered_changed(process, surrendered)

    def _of_member(self, member: MemberId) -> set[TopicPartition]:
        """What it was assigned, and what its process holds or was assigned under any id: nothing else depends on it,
        if it subscribes like others.
        """
        process = self.group.processes.of(member)
        own = {*process.view, *self.group.assigned(process)} if process else ()
        return {*self.group.state.assigned(member), *own}

    def link(self, a: str, b: str, cut: bool) -> None:
        """A link of a process is cut or healed. Only the link to `data` stops what it serves."""
        for name, other in ((a, b), (b, a)):
            if other == DATA:
                (self.group.cut.add if cut else self.group.cut.discard)(name)
            for process in self.group.processes.named(name):
                if cut and process.alive:
                    process.trouble = "cut"
                elif process.trouble == "cut" and self.group.state.may_commit(process.member):
                    process.trouble = None
                self._affected.update(process.view, self.group.assigned(process))

    def _apply_client(self, event: client.ClientEvent) -> None:
        kind, known = type(event), self.group.processes.all.get(event.process)
        formal = kind in MEMBERSHIP
        view, surrendered = (known.view, known.surrendered) if known else (set(), set())
        standing = known.standing if known and formal else None
        self._move_alike(set(_flagged(event, known)))
        process = self.group.processes.apply(event)
        if process is None:
            return
        if process.view is not view:
            self._view_changed(process, view)
        if process.surrendered is not surrendered:
            self._surrendered_changed(process, surrendered)
        if not process.alive:
            self._serves_no_more(process)
        if isinstance(event, client.Thawed) and self.group.state.may_commit(process.member) and not process.fenced:
            process.trouble = None
        if self.knowledge.decides_all:
            owners = self.group.state.owners
            self.knowledge.learn(process, event)
            self._owners_changed(owners)
            self._all_affected = True
        elif formal and process.standing == standing:  # of what it holds this changes nothing
            self._affected.update({*self.group.assigned(process)} - process.view)
        elif kind in HOLDING:
            self._affected.update(process.view)
        else:
            self._affected.update(view, process.view, self.group.assigned(process))

    def _view_changed(self, process: Process, before: set[TopicPartition]) -> None:
        for tp in before - process.view:
            self.group.holders[tp].pop(process.id, None)
        for tp in process.view - before:
            self.group.holders.setdefault(tp, {})[process.id] = process
        self._move_alike(before - process.view)
        came = process.view - before
        self._move_alike(came)
        for flagged in (process.positioned, process.pending, process.restoring, process.paused):
            self._move_alike(came & flagged)

    def _serves_no_more(self, process: Process) -> None:
        """A dead process has its partitions on paper alone. There may be thousands in a crash loop."""
        held = {tp for tp in process.view if self.group.holders.get(tp, {}).pop(process.id, None) is not None}
        self._move_alike(held)

    def _surrendered_changed(self, process: Process, before: set[TopicPartition]) -> None:
        for tp in before - process.surrendered:
            self.group.surrendered_by[tp].discard(process.id)
        for tp in process.surrendered - before:
            self.group.surrendered_by.setdefault(tp, set()).add(process.id)
        self._move_alike(before - process.surrendered)
        self._move_alike(process.surrendered - before)

    def _owners_changed(self, before: Mapping[TopicPartition, tuple[MemberId, ...]]) -> None:
        now = self.group.state.owners
        if now is not before:
            changed = {tp for tp, _ in now.items() ^ before.items()}
            self._moved += by_value(changed, now.get)

    def _set_owed(self, owed: set[TopicPartition]) -> None:
        self._move_alike(self.group.owed ^ owed)
        self.group.owed = owed

    def _left_out(self) -> set[TopicPartition]:
        """Left out of the new assignment because a cooperative member still has to let go of it (KIP-429)."""
        kept = {
            tp
            for process in self.group.processes.all.values()
            if process.alive and process.member in self.group.state.members
            for tp in process.view
        }
        return kept - self.group.state.owners.keys()

    def verdict(self, tp: TopicPartition) -> Verdict:
        """The label of a partition now, by the first rule that holds."""
        return decide(self._rules, Situation(self.group, self.knowledge, tp))


def _member_added_or_removed(event: Event) -> MemberId | None:
    """The one member that comes or goes by this fact; None for all other facts."""
    return event.member if isinstance(event, classic.MemberAdded | classic.MemberRemoved) else None


def _held(x: Process, tp: TopicPartition) -> tuple[str, bool, bool, bool, bool]:
    """The condition of a partition in a process's view; what is mostly empty is looked at before it is searched."""
    return (
        x.id,
        tp in x.positioned,
        bool(x.pending) and tp in x.pending,
        bool(x.restoring) and tp in x.restoring,
        bool(x.paused) and tp in x.paused,
    )


def _flagged(event: client.ClientEvent, process: Process | None) -> Iterable[TopicPartition]:
    """The partitions whose condition in the process's view this fact may change, but for those that come and go."""
    match event:
        case client.RevocationPending() | client.RestoreStart() | client.RestoreEnd() | client.Paused():
            return event.partitions
        case client.Resumed():
            return event.partitions
        case client.PositionReady():
            return [TopicPartition(topic, partition) for topic, partition, _ in event.offsets]
        case client.CallbackStart() if event.kind == "assigned" and process is not None:
            return process.pending
    return ()
