"""Times of a streams group: when a target may be computed again, and who has to give tasks up until when."""

from __future__ import annotations

from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.streams.state import StreamsGroup
from tests.coordinator.streams.test_properties import Application

REBALANCE_MS = 60_000


def test_the_assignment_interval_is_over_when_it_has_passed() -> None:
    group = Application(group_streams_initial_rebalance_delay_ms="0", group_streams_assignment_interval_ms="1000")
    group.send(0, 0)
    group.send(1, 0)
    group.env.run(until=999)
    assert "assignment interval" in dict(group.send(0, 2).status)["ASSIGNMENT_DELAYED"]
    group.env.run(until=1_000)
    assert group.send(0, 2).status == ()


def giving_up() -> Application:
    """Member m0 has to give tasks up since now, and does not."""
    group = Application(group_streams_initial_rebalance_delay_ms="0", group_streams_assignment_interval_ms="0")
    group.send(0, 0)
    group.send(2, 0)
    group.send(0, 2)
    return group


def stays(group: Application, until: int) -> bool:
    """Whether m0 is a member then; it only says that it is there."""
    while group.env.now < until:
        group.env.run(until=min(until, int(group.env.now) + 20_000))
        if group.member(0) is not None:
            group.send(0, group.member(0).epoch)
    assert isinstance(group.state, StreamsGroup)
    return "m0" in group.state.members


def test_who_does_not_give_up_what_it_has_to_is_removed_after_its_rebalance_timeout() -> None:
    group = giving_up()
    assert stays(group, REBALANCE_MS - 1)
    assert not stays(group, REBALANCE_MS + 1)


def test_after_a_failover_it_has_a_whole_rebalance_timeout_again() -> None:
    group = giving_up()
    group.env.run(until=10_000)
    group.host.handle("g", Unload())
    group.host.handle("g", Load())
    assert stays(group, 10_000 + REBALANCE_MS - 1)
    assert not stays(group, 10_000 + REBALANCE_MS + 1)
