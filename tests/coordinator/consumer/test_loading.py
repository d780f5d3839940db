"""A new coordinator of a consumer group: a whole session and a whole rebalance timeout for everybody."""

from __future__ import annotations

from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.modern.loading import timers
from tests.coordinator.consumer.driven import TOPICS, Driven


def test_who_has_to_give_something_up_is_removed_by_the_new_coordinator_too() -> None:
    kafka = Driven(group_consumer_assignment_interval_ms="0")
    kafka.beat("m1", 0, rebalance_timeout_ms=7_000)
    kafka.beat("m2", 0)
    kafka.beat("m1", kafka.group.members["m1"].epoch)
    found = {timer.key: timer for timer in timers(kafka.group, 45_000)}
    assert sorted(found) == ["rebalance/m1", "session/m1", "session/m2"]
    assert isinstance(found["session/m2"].command, SessionExpired)
    timeout = found["rebalance/m1"]
    assert timeout.after_ms == 7_000
    assert isinstance(timeout.command, RebalanceTimedOut)
    older = RebalanceTimedOut(member="m1", epoch=timeout.command.epoch - 1)
    kafka.send(older.at(Context(kafka.at_ms, TOPICS)))
    assert list(kafka.group.members) == ["m1", "m2"]
    kafka.send(timeout.command.at(Context(kafka.at_ms + 7_000, TOPICS)))
    assert list(kafka.group.members) == ["m2"]
