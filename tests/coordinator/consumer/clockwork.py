"""A group of any protocol with a clock and records of its own, that checks the machines' properties at every step."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.groups.records import Recorder
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.commands import Load, Situated
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, absent
from groupsim.coordinator.modern.state import AWAY_EPOCH
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.consumer import MemberState
from groupsim.events.group import CoordinatorLoaded, GroupDeleted
from tests.coordinator.consumer.driven import TOPICS
from tests.coordinator.consumer.written import Written, found_by, kept_of

BEGINS_ANEW = (
    facts.ConsumerGroupCreated,
    facts.GroupUpgraded,
    facts.GroupDowngraded,
    facts.EmptyGroupDropped,
    facts.EmptyGroupForgotten,
    GroupDeleted,
)
"""After these facts epochs have nothing to do with those before."""


class Clockwork:
    """`state` is live state; `log` every fact; `written` what stands in the log of offsets."""

    def __init__(self, **settings: str) -> None:
        named = {name.replace("_", "."): value for name, value in settings.items()}
        self.initial: AnyGroup = absent("g", Configs().with_settings(named))
        self.state = self.initial
        self.topics = TOPICS
        self.log: list[Event] = []
        self.now = 0
        self.written: Written = {}
        self._recorder = Recorder(lambda member: member)
        self._epochs: dict[str, int] = {}
        self._once_classic: set[str] = set()
        self._alarms: dict[str, tuple[int, int, Any]] = {}
        self._armed = 0

    @property
    def members(self) -> list[str]:
        """Ids of the present members."""
        return sorted(self.state.members)

    def do(self, command: Any) -> Outcome[Any]:
        """Give a command to the machine and check every property."""
        if isinstance(command, Situated):
            command = command.at(Context(self.now, self.topics))
        if isinstance(command, Load):
            self._alarms.clear()
        before, machine = self.state, MACHINES[type(self.state)]
        outcome = machine.decide(before, command)
        self._write(before, outcome)
        for event in outcome.events:
            self._apply(event)
        assert outcome.state == self.state, "the decision leads where its facts lead"
        self._set_alarms(before, outcome)
        self.check()
        return outcome

    def ring(self) -> bool:
        """Let the next alarm ring; False if none is set."""
        if not self._alarms:
            return False
        key = min(self._alarms, key=lambda k: self._alarms[k])
        at_ms, _, command = self._alarms.pop(key)
        self.now = max(self.now, at_ms)
        self.do(command)
        return True

    def ring_due(self) -> None:
        """Let all alarms ring that are due now: the end of a join phase without a delay, a resolution."""
        while any(at_ms <= self.now for at_ms, _, _ in self._alarms.values()):
            self.ring()

    def _write(self, before: AnyGroup, outcome: Outcome[Any]) -> None:
        """Left out: a group in a forgotten one's place that writes no epoch of its own would find the former's."""
        if any(isinstance(event, facts.ConsumerGroupCreated) for event in outcome.events):
            self.written.clear()
        for kind, key, value in self._recorder.records(before, outcome.events, self.topics):
            place = (kind, str(sorted(key.items())))
            if value is None and kind == "GroupMetadata":
                self.written.clear()  # it ends the group, whatever is left of one of the other protocol before it
            elif value is None:
                self.written.pop(place, None)
            else:
                self.written[place] = (key, value)

    def _apply(self, event: Event) -> None:
        before, self.state = self.state, MACHINES[type(self.state)].evolve(self.state, event)
        self.log.append(event)
        if isinstance(event, facts.ConsumerMemberUpdated) and event.classic is not None:
            self._once_classic.add(event.member)
        if isinstance(event, BEGINS_ANEW) or not isinstance(self.state, ConsumerGroup):
            self._epochs = {}
            return
        assert isinstance(before, ConsumerGroup), "only a conversion makes a consumer group of a classic one"
        assert self.state.epoch >= before.epoch, "a group epoch never goes back"
        assert self.state.target_epoch >= before.target_epoch, "nor that of the target"
        if isinstance(event, facts.StaticMemberReplaced):
            self._epochs.pop(event.old, None)
        for member in self.state.members.values():
            if member.epoch > 0:
                assert member.epoch >= self._epochs.get(member.id, 0), "nor that of a member"
                self._epochs[member.id] = member.epoch
        self._epochs = {m: epoch for m, epoch in self._epochs.items() if m in self.state.members}

    def _set_alarms(self, before: AnyGroup, outcome: Outcome[Any]) -> None:
        """As the host does: a conversion drops all timers."""
        timers = outcome.timers
        if type(self.state) is not type(before):
            self._alarms.clear()
            timers = (*MACHINES[type(self.state)].resume(self.state), *timers)
        for timer in timers:
            kept = isinstance(timer, Arm) and timer.keeps and timer.key in self._alarms
            if kept:
                continue
            self._alarms.pop(timer.key, None)
            if isinstance(timer, Arm):
                self._armed += 1
                self._alarms[timer.key] = (self.now + max(timer.after_ms, 0), self._armed, timer.command)

    def check(self) -> None:
        """What holds of every state."""
        loaded = MACHINES[type(self.state)].evolve(self.state, CoordinatorLoaded())
        assert kept_of(loaded) == found_by(self.written, self.initial.configs), "a new coordinator knows the records"
        if isinstance(self.state, ConsumerGroup):
            self._check_holders(self.state)
            self._check_counts(self.state)
            if self.state.loaded:
                self._check_watched(self.state)

    def _check_holders(self, group: ConsumerGroup) -> None:
        held = [p for member in group.members.values() for p in (*member.assigned, *member.pending)]
        assert len(held) == len(set(held)), "no partition is held by two members"
        assert all(p in group.owners for p in held)
        assert sum(map(sum, group.owners.by_topic.values())) == len(held)
        targets = [p for target in group.targets.values() for p in target]
        assert len(targets) == len(set(targets)), "nor in the targets of two"
        assert set(group.targets) <= set(group.members)
        assert group.target_epoch <= group.epoch
        for member in group.members.values():
            assert member.epoch in (0, AWAY_EPOCH) or 0 < member.epoch <= group.target_epoch
            pending = member.state is MemberState.UNREVOKED_PARTITIONS
            assert pending or not member.pending, "only an unrevoked member has something to give up"
            assert all(0 <= epoch <= group.target_epoch for epoch in member.assigned.values())

    def _check_counts(self, group: ConsumerGroup) -> None:
        members = group.members.values()
        statics = {m.instance_id: m.id for m in members if m.instance_id is not None}
        assert dict(group.statics) == statics, "everybody with an instance id is found by it"
        expressions = [m.expression for m in members if m.expression]
        assert dict(group.expressions) == {x: expressions.count(x) for x in expressions}
        votes = [m.assignor for m in members if m.assignor]
        assert dict(group.votes) == {name: votes.count(name) for name in votes}
        assert set(group.resolved) <= set(group.expressions)

    def _check_watched(self, group: ConsumerGroup) -> None:
        """Nobody stays for ever. A classic member has no rebalance timer, nor has it when it becomes native."""
        for member in group.members.values():
            assert f"session/{member.id}" in self._alarms, f"{member.id} is watched"
            native = member.classic is None and member.id not in self._once_classic
            if native and member.epoch > 0 and member.state is MemberState.UNREVOKED_PARTITIONS:
                assert f"rebalance/{member.id}" in self._alarms, f"{member.id} has to give something up in time"

    def finish(self) -> None:
        """Let every alarm ring: nobody comes back, so the group ends empty."""
        if isinstance(self.state, ConsumerGroup) and not self.state.loaded:
            self.do(Load())
        if isinstance(self.state, ClassicGroup) and self.state.phase is Phase.DEAD:
            self.do(Load())
        for _ in range(500):
            if not self.ring():
                break
        assert not self.state.members
