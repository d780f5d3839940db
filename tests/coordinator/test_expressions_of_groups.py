"""Members that subscribe by regular expression: when topics are looked for, and what is made of what is found."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer, ResolveExpressions
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, absent
from groupsim.coordinator.outcome import Arm, Disarm
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.base import Event
from groupsim.events.consumer import ExpressionDropped, ExpressionResolved, GroupEpochBumped, ResolutionStarted

TEN_SECONDS = 10_000
REFRESH = {"group.consumer.regex.refresh.interval.ms": 60_000, "group.consumer.assignment.interval.ms": 0}


class Coordinator:
    """One group, its broker's topics, and resolutions that end when a test says so."""

    def __init__(self, *topics: str) -> None:
        self.group: Any = absent("g", Configs().with_settings(REFRESH))
        self.topics = Topics()
        self.resolution: ResolveExpressions | None = None
        self.facts: list[Event] = []
        for name in topics:
            self.create(name)

    def create(self, name: str) -> None:
        self.topics = self.topics.with_topic(Topic(name, name, 1))

    def take(self, command: Any, at_ms: int = 0) -> Any:
        """The answer; `facts` are those of this command."""
        if hasattr(command, "at"):
            command = command.at(Context(at_ms, self.topics))
        outcome = MACHINES[type(self.group)].decide(self.group, command)
        self.group, self.facts = outcome.state, list(outcome.events)
        for timer in outcome.timers:
            if isinstance(timer, Disarm) and timer.key == "expressions":
                self.resolution = None
            elif isinstance(timer, Arm) and isinstance(timer.command, ResolveExpressions):
                self.resolution = timer.command
        return outcome.replies[0].answer if outcome.replies else None

    def beat(self, at_ms: int, member: str = "a", *, resolves: bool = True, **more: Any) -> ConsumerHeartbeatAnswer:
        epoch = self.group.members[member].epoch if at_ms and "epoch" not in more else 0
        request = {"request": 1, "member": member, "epoch": epoch, **more}
        if request["epoch"] == 0:
            request = {"owned": (), "rebalance_timeout_ms": 1000, **request}
        answer: ConsumerHeartbeatAnswer = self.take(ConsumerHeartbeat(**request), at_ms)
        if resolves:
            self.resolve(at_ms)
        return answer

    def resolve(self, at_ms: int) -> None:
        if self.resolution is not None:
            command, self.resolution = self.resolution, None
            before = self.facts
            self.take(command, at_ms)
            self.facts = before + self.facts

    def resolved(self) -> dict[str, tuple[str, ...]]:
        """What the last command found."""
        return {fact.expression: fact.topics for fact in self.facts if isinstance(fact, ExpressionResolved)}

    @property
    def assigned(self) -> set[str]:
        return {p.topic for member in self.group.members.values() for p in member.assigned}


def test_topics_are_found_after_the_first_answer_and_assigned_with_the_next() -> None:
    coordinator = Coordinator("t1", "t2", "other")
    first = coordinator.beat(0, expression="t.")
    assert (first.epoch, first.assignment) == (1, ())
    assert coordinator.resolved() == {"t.": ("t1", "t2")}
    assert (coordinator.group.epoch, coordinator.group.target_epoch) == (2, 1)
    assert coordinator.beat(100).epoch == 2
    assert coordinator.assigned == {"t1", "t2"}


def test_an_expression_that_matches_nothing_is_resolved_and_bumps_nothing() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="x.*")
    assert coordinator.resolved() == {"x.*": ()}
    assert coordinator.group.epoch == 1


@pytest.mark.parametrize("expression", ["(", "(?=t)t1", r"(t)\1"])
def test_what_re2j_does_not_compile_is_refused_and_nothing_changes(expression: str) -> None:
    coordinator = Coordinator("t1")
    before = coordinator.group
    assert coordinator.beat(0, expression=expression).error.name == "INVALID_REGULAR_EXPRESSION"
    assert coordinator.group == before
    assert coordinator.resolution is None


def test_a_second_expression_waits_for_a_heartbeat_ten_seconds_after_the_first_resolution() -> None:
    coordinator = Coordinator("t1", "t2")
    coordinator.beat(0, expression="t1")
    coordinator.beat(0, "b", expression="t2")
    assert coordinator.resolved() == {}
    coordinator.beat(TEN_SECONDS)
    assert coordinator.resolved() == {}
    coordinator.beat(TEN_SECONDS + 1)
    assert coordinator.resolved() == {"t1": ("t1",), "t2": ("t2",)}


def test_a_known_expression_bumps_at_once_and_is_not_looked_for_again() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="t.")
    coordinator.beat(0, "b", expression="t.")
    assert coordinator.resolved() == {}
    assert coordinator.group.epoch == 3


def test_a_changed_expression_counts_the_one_that_it_replaces_as_resolved() -> None:
    coordinator = Coordinator("t1", "t2")
    coordinator.beat(0, expression="t1")
    coordinator.beat(100, expression="t2")
    assert ExpressionDropped(expression="t1") in coordinator.facts
    assert coordinator.resolved() == {}
    coordinator.beat(200)
    assert coordinator.resolved() == {"t2": ("t2",)}


def test_a_changed_expression_is_resolved_at_once_after_ten_seconds() -> None:
    coordinator = Coordinator("t1", "t2")
    coordinator.beat(0, expression="t1")
    coordinator.beat(TEN_SECONDS + 1, expression="t2")
    assert coordinator.resolved() == {"t2": ("t2",)}


def test_a_topic_that_grew_during_a_resolution_bumps_at_its_end() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="t.")
    coordinator.create("other")
    coordinator.beat(TEN_SECONDS + 1, resolves=False)
    epoch = coordinator.group.epoch
    coordinator.topics = coordinator.topics.with_topic(Topic("t1", "t1", 2))
    coordinator.resolve(TEN_SECONDS + 2)
    assert (coordinator.resolved(), coordinator.group.epoch) == ({"t.": ("t1",)}, epoch + 1)
    coordinator.beat(TEN_SECONDS + 3)
    assert coordinator.group.epoch == epoch + 1


def test_created_topics_are_looked_for_after_ten_seconds_grown_ones_are_not() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="t.")
    coordinator.beat(1)
    coordinator.topics = coordinator.topics.with_topic(Topic("t1", "t1", 2))
    coordinator.beat(TEN_SECONDS + 1)
    assert coordinator.resolved() == {}
    assert coordinator.group.epoch == 3
    coordinator.create("other")
    coordinator.beat(TEN_SECONDS + 2)
    assert coordinator.resolved() == {"t.": ("t1",)}
    assert coordinator.group.epoch == 3
    coordinator.create("t2")
    coordinator.beat(2 * TEN_SECONDS + 3)
    assert coordinator.resolved() == {"t.": ("t1", "t2")}
    assert coordinator.group.epoch == 4


def test_an_old_resolution_is_refreshed_without_a_cause_and_finds_that_a_topic_is_gone() -> None:
    coordinator = Coordinator("t1", "t2")
    coordinator.beat(0, expression="t.")
    coordinator.topics = coordinator.topics.without("t2")
    coordinator.beat(60_000)
    assert coordinator.resolved() == {}
    epoch = coordinator.group.epoch
    coordinator.beat(60_001)
    assert coordinator.resolved() == {"t.": ("t1",)}
    assert coordinator.group.epoch == epoch + 1


def test_what_is_found_after_the_last_member_has_left_is_dropped() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="t.", resolves=False)
    coordinator.beat(1, epoch=-1, resolves=False)
    assert ExpressionDropped(expression="t.") in coordinator.facts
    epoch = coordinator.group.epoch
    coordinator.resolve(2)
    assert (coordinator.resolved(), coordinator.group.epoch) == ({}, epoch)


def test_only_one_resolution_runs_and_a_failover_forgets_it() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="t.", resolves=False)
    coordinator.beat(1, resolves=False)
    assert not any(isinstance(fact, ResolutionStarted) for fact in coordinator.facts)
    for command in (Unload(), Load()):
        coordinator.take(command, 2)
    assert coordinator.resolution is None
    coordinator.beat(3)
    assert coordinator.resolved() == {"t.": ("t1",)}


def test_a_new_coordinator_looks_once_more_as_every_topic_is_new_to_it() -> None:
    coordinator = Coordinator("t1")
    coordinator.beat(0, expression="t.")
    coordinator.beat(1)
    for command in (Unload(), Load()):
        coordinator.take(command, 2)
    coordinator.beat(TEN_SECONDS + 1)
    assert coordinator.resolved() == {"t.": ("t1",)}
    assert not any(isinstance(fact, GroupEpochBumped) for fact in coordinator.facts)
    coordinator.beat(2 * TEN_SECONDS + 2)
    assert coordinator.resolved() == {}


def test_other_topics_do_not_make_the_group_look_at_its_hash_while_an_expression_is_unresolved() -> None:
    coordinator = Coordinator("t1", "t2")
    coordinator.beat(0, expression="t1")
    coordinator.beat(100, expression="t2")
    epoch = coordinator.group.epoch
    coordinator.create("other")
    coordinator.beat(101, resolves=False)
    assert coordinator.group.epoch == epoch
