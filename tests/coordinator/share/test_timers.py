"""Times of a share group: when the share coordinator is asked again, and what a coordinator that goes leaves behind."""

from __future__ import annotations

from groupsim.coordinator import share
from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.outcome import Disarm
from groupsim.coordinator.share.state import ShareGroup
from groupsim.events.share import ShareStateInitializing
from tests.coordinator.share.test_properties import INITIALIZED_MS, NAMES, SESSION_MS, Group

RETRY_MS = 30_000


def asked_and_lost() -> Group:
    """The state of partitions was asked for at 0 ms; the coordinator moved before the answer."""
    group = Group()
    group.beat(0, 0, NAMES[0])
    group.host.handle("g", Unload())
    group.host.handle("g", Load())
    return group


def asked(group: Group) -> int:
    return sum(isinstance(event, ShareStateInitializing) for event in group.log)


def test_what_the_share_coordinator_says_to_a_coordinator_that_went_is_lost() -> None:
    group = asked_and_lost()
    group.env.run(until=2 * INITIALIZED_MS)
    assert isinstance(group.state, ShareGroup)
    assert group.state.initializing
    assert not group.state.initialized


def test_it_is_asked_again_when_the_retry_interval_has_passed() -> None:
    group = asked_and_lost()
    group.env.run(until=RETRY_MS - 1)
    group.beat(0, group.epochs[0])
    assert asked(group) == 1
    group.env.run(until=RETRY_MS)
    group.beat(0, group.epochs[0])
    assert asked(group) == 2


def test_a_coordinator_that_goes_ends_every_timer_it_has() -> None:
    group = Group()
    group.beat(0, 0, NAMES[0])
    group.beat(1, 0, NAMES[1])
    state = group.state
    assert isinstance(state, ShareGroup)
    ended = {timer.key for timer in share.decide(state, Unload()).timers if isinstance(timer, Disarm)}
    assert {"session/m0", "session/m1"} <= ended
    assert len([key for key in ended if key.startswith("share-state/")]) == len({*state.initializing})


def test_a_member_that_speaks_up_has_a_whole_session_again_and_one_that_does_not_is_gone_when_it_ends() -> None:
    group = Group(group_share_assignment_interval_ms="0")
    for slot in (0, 1):
        group.beat(slot, 0, NAMES[0])
    for _ in range(4):
        group.env.run(until=group.env.now + INITIALIZED_MS)
        for slot in (0, 1):
            group.beat(slot, group.epochs[slot])
    settled = int(group.env.now)
    group.env.run(until=settled + SESSION_MS - 1)
    group.beat(0, group.epochs[0])
    assert sorted(group.state.members) == ["m0", "m1"]
    group.env.run(until=settled + SESSION_MS + 1)
    assert sorted(group.state.members) == ["m0"]
