"""The short way of a heartbeat that changes nothing comes to what the long way comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
from hypothesis import given, settings

from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.heartbeat import changes_nothing, heartbeat, step_by_step
from groupsim.coordinator.consumer.state import ConsumerGroup
from tests.coordinator.consumer.clients import STEPS, Crowd
from tests.coordinator.consumer.clockwork import Clockwork
from tests.coordinator.consumer.driven import Driven, parts

VARIANTS: tuple[dict[str, object], ...] = (
    {"owned": None},
    {"owned": parts(a=0)},
    {"epoch": 0},
    {"epoch": -1},
    {"member": "nobody"},
    {"member": ""},
    {"instance_id": None},
    {"instance_id": "i2"},
    {"instance_id": "i9"},
    {"instance_id": ""},
    {"topics": ("b",)},
    {"expression": "a|b"},
    {"assignor": "range"},
    {"assignor": "uniform"},
    {"assignor": "none"},
    {"rack": "r"},
    {"rack": ""},
    {"client_id": "c"},
    {"client_host": "h"},
    {"rebalance_timeout_ms": 1},
    {"rebalance_timeout_ms": 60_000},
)


def variants(cmd: ConsumerHeartbeat, group: ConsumerGroup) -> Iterator[ConsumerHeartbeat]:
    """The heartbeat, at every epoch that matters, and with one field that is another."""
    for epoch in sorted({cmd.epoch, group.epoch, group.target_epoch, group.epoch - 1}):
        sent = msgspec.structs.replace(cmd, epoch=epoch)
        yield sent
        for other in VARIANTS:
            yield msgspec.structs.replace(sent, **other)


class BothWays(Crowd):
    """Sends every heartbeat both ways. `short` counts which of them took the short way."""

    def __init__(self) -> None:
        super().__init__()
        self.short: Counter[bool] = Counter()

    def send(self, command: object) -> object:
        if isinstance(command, ConsumerHeartbeat) and isinstance(self.state, ConsumerGroup):
            for sent in variants(command, self.state):
                assert heartbeat(self.state, sent) == step_by_step(self.state, sent)
                self.short[changes_nothing(self.state, sent)] += 1
        return super().send(command)


@settings(max_examples=12, deadline=None)
@given(STEPS)
def test_both_ways_come_to_the_same(steps: list[tuple[int, str]]) -> None:
    crowd = BothWays()
    for slot, action in steps:
        crowd.do(slot, action)


def test_usual_heartbeats_take_the_short_way() -> None:
    crowd = BothWays()
    crowd.heal()
    assert set(crowd.short) == {True, False}
    member = crowd.group.members["m0"]
    usual = ConsumerHeartbeat(request=1, member="m0", epoch=member.epoch, context=crowd.now())
    assert changes_nothing(crowd.group, usual)
    for other in ({"rack": "r"}, {"assignor": "range"}, {"client_id": "c"}, {"topics": ("b",)}, {"epoch": 0}):
        assert not changes_nothing(crowd.group, msgspec.structs.replace(usual, **other))


def test_a_target_that_had_to_wait_is_computed_by_the_usual_heartbeat_of_anybody() -> None:
    driven = Driven(group_consumer_assignment_interval_ms="15000")
    assert driven.beat("m1", 0).epoch == 2
    assert driven.beat("m2", 0).epoch == 2  # the epoch is 3 by now, its target has to wait
    assert (driven.group.epoch, driven.group.target_epoch) == (3, 2)
    while driven.at_ms < 17_000:
        driven.beat("m1", 2)
    assert driven.group.target_epoch == 3
    assert driven.group.targets == {"m1": parts(a=range(2)), "m2": parts(a=(range(2, 4)))}


def test_an_expression_that_had_to_wait_is_resolved_by_the_usual_heartbeat_of_anybody() -> None:
    clock = Clockwork(group_consumer_assignment_interval_ms="0")

    def beat(member: str, epoch: int, **sent: object) -> None:
        clock.now += 1_000
        clock.do(ConsumerHeartbeat(request=1, member=member, epoch=epoch, **sent))  # type: ignore[arg-type]
        clock.ring_due()

    beat("m1", 0, topics=(), expression="a", owned=(), rebalance_timeout_ms=60_000)
    beat("m2", 0, topics=(), expression="b", owned=(), rebalance_timeout_ms=60_000)
    for _ in range(12):
        for member in ("m1", "m2"):
            assert isinstance(clock.state, ConsumerGroup)
            beat(member, clock.state.members[member].epoch)
    assert isinstance(clock.state, ConsumerGroup)
    assert {x: found.topics for x, found in clock.state.resolved.items()} == {"a": ("a",), "b": ("b",)}
    assert clock.state.members["m2"].assigned.keys() == set(parts(b=range(3)))
