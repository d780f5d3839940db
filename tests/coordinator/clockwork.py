"""A group with a clock of its own, that checks the machine's properties at every step."""

from __future__ import annotations

from copy import deepcopy
from functools import reduce
from typing import Any

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.coordinator.classic import ClassicGroup, Phase, decide, evolve
from groupsim.coordinator.classic.commands import SessionExpired
from groupsim.coordinator.classic.state import TRANSITIONS
from groupsim.coordinator.commands import Load
from groupsim.coordinator.config import ClassicGroupConfig, Configs
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.events import classic as facts
from groupsim.events.base import Event
from groupsim.events.group import CoordinatorLoaded

SETTLED = {Phase.STABLE: Phase.STABLE, Phase.EMPTY: Phase.EMPTY}


class Clockwork:
    """`group` is live state; `log` every fact; `open` the requests that have no answer yet; `dropped` those excused."""

    def __init__(self, config: ClassicGroupConfig) -> None:
        self.initial = ClassicGroup(id="g", configs=Configs(classic=config))
        self.group = self.initial
        self.analysed = ClassicGroupState()
        self.log: list[Event] = []
        self.open: set[int] = set()
        self.dropped: set[int] = set()
        self.replaced: set[str] = set()
        self.now = 0
        self._alarms: dict[str, tuple[int, int, Any]] = {}
        self._armed = 0

    def do(self, command: Any) -> Outcome[ClassicGroup]:
        """Give a command to the machine and check every property."""
        request = getattr(command, "request", None)
        if request is not None:
            self.open.add(request)
        if isinstance(command, Load):  # what a crashed broker had parked is gone with its connections
            self._drop(set(self.open))
            self._alarms.clear()
        before = deepcopy(self.group)
        outcome = decide(self.group, command)
        assert decide(self.group, command) == outcome, "decide is repeatable"
        assert self.group == before, "decide changes nothing"
        for event in outcome.events:
            self._apply(event)
        assert outcome.state == self.group, "the decision leads where its facts lead"
        self._answer(outcome)
        self._set_alarms(outcome)
        self.check()
        return outcome

    def ring(self) -> bool:
        """Let the next alarm ring; False if none is set."""
        if not self._alarms:
            return False
        key = min(self._alarms, key=lambda k: self._alarms[k])
        self.now, _, command = self._alarms.pop(key)
        self.do(command)
        return True

    def _apply(self, event: Event) -> None:
        before, self.group = self.group, evolve(self.group, event)
        self.log.append(event)
        self.analysed.apply(event)
        loaded = isinstance(event, CoordinatorLoaded)
        after = self.group
        assert loaded or after.phase is before.phase or after.phase in TRANSITIONS[before.phase], "a legal move"
        assert loaded or after.generation >= before.generation, "generations do not go back"
        match event:
            case (
                facts.MemberUpdated() | facts.SyncParked()
            ):  # an older one of the same member is forgotten, as in Kafka
                kind = "join_request" if isinstance(event, facts.MemberUpdated) else "sync_request"
                self._drop({getattr(before.members[event.member], kind)})
            case facts.MemberReplaced():
                self.replaced.add(event.old)
            case facts.MemberRemoved(cause="left"):  # so is what a leaver has parked for its SyncGroup
                self._drop({before.members[event.member].sync_request})

    def _drop(self, requests: set[int | None]) -> None:
        self.dropped |= {r for r in requests if r is not None}
        self.open -= self.dropped

    def _answer(self, outcome: Outcome[ClassicGroup]) -> None:
        for reply in outcome.replies:
            assert reply.request in self.open, f"request {reply.request} is answered at most once"
            self.open.discard(reply.request)

    def _set_alarms(self, outcome: Outcome[ClassicGroup]) -> None:
        for timer in outcome.timers:
            self._alarms.pop(timer.key, None)
            if isinstance(timer, Arm):
                assert timer.after_ms >= 0
                self._armed += 1
                self._alarms[timer.key] = (self.now + timer.after_ms, self._armed, timer.command)

    def check(self) -> None:
        """What holds of every state."""
        g = self.group
        joins = {m.join_request for m in g.members.values()} - {None}
        syncs = {m.sync_request for m in g.members.values()} - {None}
        assert joins | syncs == self.open, "whoever has no answer is parked, and nobody else"
        assert len(joins) == g.awaiting_join
        assert g.pending_sync <= set(g.members) | self.replaced
        assert not g.pending & set(g.members)
        assert dict(g.statics) == {m.instance_id: m.id for m in g.members.values() if m.instance_id is not None}
        assert all(key == member.id for key, member in g.members.items())
        assert g.leader is None or g.leader in g.members
        if g.phase is Phase.EMPTY:
            assert not g.members
        if g.phase is Phase.STABLE:
            assert g.members
            assert not joins | syncs
        if g.phase is Phase.COMPLETING_REBALANCE:
            assert not joins
            assert g.leader is None or g.members[g.leader].sync_request is None, "the leader's word is never parked"
        self._watched()
        self._agrees_with_analysis()

    def _watched(self) -> None:
        """Nobody stays for ever: every member has an alarm, or a phase that ends gives it one."""
        g = self.group
        if g.phase is Phase.DEAD:
            return
        for name in [*g.members, *g.pending]:
            parked = name in g.members and (g.members[name].join_request or g.members[name].sync_request) is not None
            assert parked or f"heartbeat/{name}" in self._alarms, f"{name} is watched"
        if g.phase is Phase.PREPARING_REBALANCE:
            assert "join" in self._alarms
        if g.phase is Phase.COMPLETING_REBALANCE and g.pending_sync:
            assert "sync" in self._alarms

    def _agrees_with_analysis(self) -> None:
        """analysis.classic_group_state tells the same from the same facts."""
        g, analysed = self.group, self.analysed
        assert (analysed.state, analysed.generation, analysed.leader) == (g.phase.value, g.generation, g.leader)
        assert set(analysed.members) == set(g.members)
        if g.phase in SETTLED:
            assert dict(analysed.plan()) == g.assignment
            assert analysed.protocol == g.protocol

    def finish(self) -> None:
        """Fold the log anew; then let every alarm ring: nobody comes back, so the group ends empty."""
        assert reduce(evolve, self.log, self.initial) == self.group, "the folded log is the live state"
        if self.group.phase is Phase.DEAD:
            return
        for _ in range(500):
            if not self.ring():
                break
        assert self.group.phase is Phase.EMPTY
        assert not self.group.pending
        assert not self.open
        self.do(SessionExpired("nobody"))
