"""Times of a streams group: when a target may be computed again, and who has to give tasks up until when."""

from __future__ import annotations

from groupsim.coordinator import streams
from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.outcome import Disarm
from groupsim.coordinator.streams.commands import InternalTopicsFailed, StreamsHeartbeat
from groupsim.coordinator.streams.state import StreamsGroup
from tests.coordinator.streams.test_properties import SESSION_MS, Application

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


def test_a_member_that_speaks_up_has_a_whole_session_again_and_one_that_does_not_is_gone_when_it_ends() -> None:
    group = Application(group_streams_initial_rebalance_delay_ms="0", group_streams_assignment_interval_ms="0")
    group.heal()
    settled = int(group.env.now) - 4_000
    group.env.run(until=settled + SESSION_MS - 1)
    short = group.short
    group.send(0, group.member(0).epoch)
    assert group.short == short + 1
    assert len(group.state.members) == 4
    group.env.run(until=settled + SESSION_MS + 1)
    assert sorted(group.state.members) == ["m0"]


def test_members_learn_for_two_heartbeat_intervals_why_internal_topics_were_not_made() -> None:
    group = Application(group_streams_initial_rebalance_delay_ms="0")
    group.topics = group.topics.without("log")
    made = group.send(0, 0)
    group.host.handle("g", InternalTopicsFailed(reasons=(("log", "no"),)))
    group.env.run(until=2 * made.heartbeat_interval_ms - 1)
    heard = group.send(0, 2)
    assert (heard.status[0][1].endswith("Creation failed: log (no)."), heard.creates) == (True, ())
    group.env.run(until=2 * made.heartbeat_interval_ms)
    again = group.send(0, 2)
    assert "Creation failed" not in again.status[0][1]
    assert [topic.name for topic in again.creates] == ["log"]


def test_a_wish_for_the_end_of_the_application_is_forgotten_by_a_new_coordinator() -> None:
    group = Application(group_streams_initial_rebalance_delay_ms="0", group_streams_assignment_interval_ms="0")
    group.send(0, 0)
    assert "SHUTDOWN_APPLICATION" in dict(group.send(0, 2, shutdown=True).status)
    assert "SHUTDOWN_APPLICATION" in dict(group.send(0, 2).status)
    assert "SHUTDOWN_APPLICATION" in dict(group.send(1, 0).status)
    group.send(2, -1, shutdown=True)
    assert "member m0 encountered" in dict(group.send(0, 0).status)["SHUTDOWN_APPLICATION"], "the first one counts"
    group.host.handle("g", Unload())
    group.host.handle("g", Load())
    assert group.send(1, group.member(1).epoch).status == ()


def test_a_coordinator_that_goes_ends_every_timer_it_has() -> None:
    group = Application(group_streams_assignment_interval_ms="0")
    group.send(0, 0)
    assert isinstance(group.state, StreamsGroup)
    ended = {timer.key for timer in streams.decide(group.state, Unload()).timers if isinstance(timer, Disarm)}
    assert {"session/m0", "rebalance/m0", "initial-delay"} == ended


def test_a_rebalance_timeout_of_an_epoch_that_the_member_has_left_behind_means_nothing() -> None:
    group = giving_up()
    member = group.member(0)
    before = len(group.log)
    group.host.handle("g", RebalanceTimedOut(member="m0", epoch=member.epoch - 1))
    assert len(group.log) == before
    group.host.handle("g", RebalanceTimedOut(member="m0", epoch=member.epoch))
    assert "m0" not in group.state.members


def test_a_group_that_is_empty_in_between_waits_no_longer_for_its_first_target() -> None:
    """Kafka: timer.scheduleIfAbsent in streamsGroupHeartbeat."""
    group = Application(group_streams_initial_rebalance_delay_ms="3000")
    group.send(0, 0)
    group.env.run(until=1_000)
    group.send(0, -1)
    group.env.run(until=2_000)
    epoch = group.send(1, 0).epoch
    group.env.run(until=2_999)
    assert group.send(1, epoch).tasks is None
    group.env.run(until=3_001)
    assert group.send(1, epoch).tasks.active != ()


def test_a_member_that_leaves_has_no_timer_any_more() -> None:
    group = giving_up()
    assert isinstance(group.state, StreamsGroup)
    gone = StreamsHeartbeat(request=0, member="m0", epoch=-1).at(Context(0, group.topics))
    ended = [timer.key for timer in streams.decide(group.state, gone).timers if isinstance(timer, Disarm)]
    assert ended == ["session/m0", "rebalance/m0"]


def test_who_has_given_up_what_it_had_to_has_no_rebalance_timeout_any_more() -> None:
    group = giving_up()
    assert isinstance(group.state, StreamsGroup)
    said = {"active": group.member(0).tasks.active, "standby": (), "warmup": ()}
    done = StreamsHeartbeat(request=0, member="m0", epoch=2, **said).at(Context(0, group.topics))
    ended = [timer.key for timer in streams.decide(group.state, done).timers if isinstance(timer, Disarm)]
    assert ended == ["rebalance/m0"]


def test_a_negative_rebalance_timeout_is_over_at_once() -> None:
    group = Application(group_streams_initial_rebalance_delay_ms="0", group_streams_assignment_interval_ms="0")
    group.send(0, 0, rebalance_timeout_ms=-2)
    group.send(2, 0)
    group.send(0, 2)
    assert isinstance(group.state, StreamsGroup)
    assert "m0" in group.state.members
    group.env.run(until=group.env.now + 1)
    assert "m0" not in group.state.members


def test_a_timer_means_nothing_to_a_coordinator_that_gave_the_group_up() -> None:
    group = giving_up()
    group.host.handle("g", Unload())
    before = len(group.log)
    group.host.handle("g", SessionExpired(member="m0"))
    group.host.handle("g", RebalanceTimedOut(member="m0", epoch=group.member(0).epoch))
    assert len(group.log) == before
