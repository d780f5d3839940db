"""A classic group becomes a consumer group and the other way round: who may, and what each member is afterwards."""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator.classic.commands import Join
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Error
from groupsim.events.types import Protocol, Subscription
from tests.coordinator.consumer.clockwork import Clockwork
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
