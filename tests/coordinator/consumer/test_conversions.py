"""A classic group becomes a consumer group and the other way round: who may, and what each member is afterwards."""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator.classic.commands import Heartbeat, HeartbeatAnswer, Join, Sync
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.outcome import Error
from groupsim.events.consumer import MemberState
from groupsim.events.types import Protocol, Subscription
from tests.coordinator.consumer.clockwork import Clockwork
from tests.coordinator.consumer.driven import parts
from tests.coordinator.consumer.healing import follow, sync

OFFER = (Protocol("range", Subscription(topics=("a",))),)


def classic_pair(**settings: str) -> Clockwork:
    """c1 and c2 in a Stable classic group; the leader has all partitions of a."""
    clock = Clockwork(group_initial_rebalance_delay_ms="0", group_consumer_assignment_interval_ms="0", **settings)
    for member in ("c1", "c2"):
        clock.do(Join(request=1, new_member=member, protocols=OFFER, version=3))
        clock.ring_due()
    follow(clock, "c1")
    for member in ("c1", "c2"):
        sync(clock, member)
    assert isinstance(clock.state, ClassicGroup)
    assert clock.state.phase is Phase.STABLE
    return clock


def native_joins(clock: Clockwork) -> Error:
    beat = ConsumerHeartbeat(request=2, member="n1", epoch=0, topics=("a",), owned=(), rebalance_timeout_ms=60_000)
    answers = [r.answer for r in clock.do(beat).replies if isinstance(r.answer, ConsumerHeartbeatAnswer)]
    return answers[0].error


def test_an_upgraded_member_is_stable_at_the_generation_with_what_it_was_assigned() -> None:
    clock = classic_pair()
    before = clock.state
    assert isinstance(before, ClassicGroup)
    assert native_joins(clock) is Error.NONE
    group = clock.state
    assert isinstance(group, ConsumerGroup)
    assert group.epoch == before.generation + 1
    for member_id in ("c1", "c2"):
        member = group.members[member_id]
        assert member.classic is not None
        assert (member.epoch, member.previous_epoch) == (before.generation, before.generation)
        assert member.assigned == dict.fromkeys(before.assignment[member_id], before.generation)


def test_a_group_above_the_limit_of_consumer_groups_is_not_upgraded_and_one_at_the_limit_takes_nobody_more() -> None:
    above = classic_pair(group_consumer_max_size="1")
    assert native_joins(above) is Error.GROUP_ID_NOT_FOUND
    at_limit = classic_pair(group_consumer_max_size="2")
    assert native_joins(at_limit) is Error.GROUP_MAX_SIZE_REACHED
    assert isinstance(at_limit.state, ClassicGroup)


def test_a_downgraded_group_has_the_epoch_and_the_targets_and_rebalances() -> None:
    clock = classic_pair()
    native_joins(clock)
    assert isinstance(clock.state, ConsumerGroup)
    epoch, targets = clock.state.epoch, clock.state.targets
    clock.do(ConsumerHeartbeat(request=3, member="n1", epoch=-1))
    group = clock.state
    assert isinstance(group, ClassicGroup)
    assert (group.phase, group.protocol, group.generation) == (Phase.PREPARING_REBALANCE, "range", epoch)
    assert group.assignment == {member: targets[member] for member in ("c1", "c2")}


def test_a_group_above_the_limit_of_classic_groups_is_not_downgraded() -> None:
    clock = classic_pair()
    native_joins(clock)
    small = clock.initial.configs.with_settings({"group.max.size": 1})
    assert isinstance(clock.state, ConsumerGroup)
    clock.state = replace(clock.state, configs=small)
    clock.do(ConsumerHeartbeat(request=3, member="n1", epoch=-1))
    assert isinstance(clock.state, ConsumerGroup)
    assert clock.members == ["c1", "c2"]


def test_a_group_whose_leader_gave_one_partition_to_two_members_is_not_upgraded() -> None:
    clock = classic_pair()
    follow(clock, "c1")
    clock.do(Join(request=1, member="c2", protocols=OFFER, version=3))
    clock.ring_due()
    assert isinstance(clock.state, ClassicGroup)
    twice = (("c1", parts(a=range(3))), ("c2", parts(a=range(2, 4))))
    for member in ("c1", "c2"):
        clock.do(Sync(request=1, member=member, generation=clock.state.generation, assignment=twice, version=3))
    assert clock.state.phase is Phase.STABLE
    assert native_joins(clock) is Error.UNKNOWN_SERVER_ERROR
    assert isinstance(clock.state, ClassicGroup)


def test_a_classic_member_that_works_rejoins_only_when_nobody_holds_any_longer_what_it_waits_for() -> None:
    clock = classic_pair()
    plans = [{"c1": parts(a=0), "c2": (), "n1": parts(a=range(1, 4))}]
    clock.state = replace(clock.state, assign=lambda problem: plans[-1])

    def member(member_id: str) -> Member:
        assert isinstance(clock.state, ConsumerGroup)
        return clock.state.members[member_id]

    def heartbeat(member_id: str) -> Error:
        clock.now += 2_000
        command = Heartbeat(request=4, member=member_id, generation=member(member_id).epoch)
        (answer,) = [r.answer for r in clock.do(command).replies if isinstance(r.answer, HeartbeatAnswer)]
        return answer.error

    native_joins(clock)
    for _ in range(3):
        clock.now += 2_000
        for member_id in clock.members:
            follow(clock, member_id)
    assert member("c1").assigned.keys() == set(parts(a=0))
    plans.append({"c1": parts(a=range(2)), "c2": (), "n1": parts(a=range(2, 4))})
    follow(clock, "c2", ("a", "b"))
    follow(clock, "c1")
    assert (member("c1").state, set(member("c1").assigned)) == (MemberState.UNRELEASED_PARTITIONS, set(parts(a=0)))
    assert heartbeat("c1") is Error.NONE  # n1 has it
    n1 = member("n1")
    follow(clock, "n1")
    assert heartbeat("c1") is Error.NONE  # n1 knows that it has to give it up
    clock.do(ConsumerHeartbeat(request=3, member="n1", epoch=n1.epoch, owned=parts(a=range(2, 4))))
    assert heartbeat("c1") is Error.REBALANCE_IN_PROGRESS
