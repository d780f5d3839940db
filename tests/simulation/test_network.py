"""Links: latency, order, cuts, slowness and rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.events.base import Event
from groupsim.events.network import LinkCut, LinkHealed, LinkSlowed, MessageDelivered, MessageDropped
from groupsim.simulation.network import DROP, PASS, Deliver, Message, Network
from groupsim.simulation.rng import Rng


@dataclass(frozen=True)
class End:
    """Something with an address."""

    address: str


A, B, C = End("a"), End("b"), End("c")


class _Bench:
    def __init__(self, latency: tuple[int, int] = (1, 1)) -> None:
        self.env = simpy.Environment()
        self.facts: list[Event] = []
        self.network = Network(self.env, Rng(1), self._record, latency)
        self.arrived: list[tuple[int, str, int]] = []
        for end in (A, B, C):
            self.network.attach(end.address, self._receive(end.address))

    def _record(self, stream: str, events: Sequence[Event]) -> None:
        assert stream == "network"
        self.facts += events

    def _receive(self, address: str):  # type: ignore[no-untyped-def]
        return lambda message: self.arrived.append((int(self.env.now), address, message.number))

    def send(self, source: End, target: End, number: int, *, connection: int = 0) -> None:
        self.network.send(Message(source.address, target.address, "Heartbeat", number, None, connection))

    def at(self, ms: int) -> None:
        self.env.run(until=ms)


def test_a_message_takes_its_latency() -> None:
    bench = _Bench((4, 4))
    bench.send(A, B, 1)
    bench.at(100)
    assert bench.arrived == [(4, "b", 1)]
    assert bench.facts == [MessageDelivered(source="a", target="b", api="Heartbeat", number=1, sent_ms=0)]


def test_a_cut_stops_both_ways_of_one_link_and_heals() -> None:
    bench = _Bench()
    with bench.network.cut(A, B):
        bench.send(A, B, 1)
        bench.send(B, A, 2)
        bench.send(A, C, 3)
        bench.send(C, B, 4)
        bench.at(10)
    bench.send(A, B, 5)
    bench.at(20)
    assert [number for _, _, number in bench.arrived] == [3, 4, 5]
    assert [type(f) for f in bench.facts if not isinstance(f, MessageDelivered)] == [
        LinkCut,
        MessageDropped,
        MessageDropped,
        LinkHealed,
    ]


def test_what_is_on_its_way_when_a_link_is_cut_arrives() -> None:
    bench = _Bench((5, 5))
    bench.send(A, B, 1)
    with bench.network.cut(A, B):
        bench.at(10)
    assert bench.arrived == [(5, "b", 1)]


def test_a_cut_ends_although_the_block_fails() -> None:
    bench = _Bench()
    with pytest.raises(RuntimeError), bench.network.cut(A, B):
        raise RuntimeError
    bench.send(A, B, 1)
    bench.at(10)
    assert len(bench.arrived) == 1


def test_two_cuts_of_one_link_heal_one_by_one() -> None:
    bench = _Bench()
    first, second = bench.network.cut_link(A, B), bench.network.cut_link(A, B)
    first()
    bench.send(A, B, 1)
    second()
    bench.send(A, B, 2)
    bench.at(10)
    assert [number for _, _, number in bench.arrived] == [2]


def test_a_slow_link_is_slow_in_both_directions_only_inside_the_block() -> None:
    bench = _Bench()
    with bench.network.slow(A, B, 100):
        bench.send(A, B, 1)
        bench.send(B, A, 2)
        bench.send(A, C, 3)
        bench.at(200)
    bench.send(A, B, 4)
    bench.at(300)
    assert bench.arrived == [(1, "c", 3), (101, "b", 1), (101, "a", 2), (201, "b", 4)]
    assert [f.extra_ms for f in bench.facts if isinstance(f, LinkSlowed)] == [100, 0]


def test_nobody_overtakes_on_one_connection() -> None:
    bench = _Bench()
    with bench.network.slow(A, B, 100):
        bench.send(A, B, 1)
    bench.send(A, B, 2)
    bench.send(A, B, 3, connection=1)
    bench.send(B, A, 4)
    bench.at(300)
    assert bench.arrived == [(1, "b", 3), (1, "a", 4), (101, "b", 1), (101, "b", 2)]


def test_the_first_rule_that_does_not_pass_wins() -> None:
    bench = _Bench()
    bench.network.add_rule(lambda m: PASS)
    remove = bench.network.add_rule(lambda m: Deliver(10) if m.number == 1 else PASS)
    bench.network.add_rule(lambda m: DROP)
    bench.send(A, B, 1)
    bench.send(A, B, 2)
    remove()
    bench.send(A, B, 3)
    bench.at(100)
    assert bench.arrived == [(11, "b", 1)]


def test_a_message_to_nobody_is_lost() -> None:
    bench = _Bench()
    bench.send(A, B, 1)
    bench.network.detach("b")
    bench.at(10)
    assert bench.arrived == []
    assert [type(f) for f in bench.facts] == [MessageDropped]


@settings(deadline=None)  # a busy machine is no defect
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2), st.booleans()), max_size=40))
def test_latency_lies_within_its_bounds_and_order_within_a_connection(sent: list[tuple[int, int, bool]]) -> None:
    bench = _Bench((2, 20))
    now = 0
    for number, (gap, connection, back) in enumerate(sent):
        now += gap
        if gap:
            bench.at(now)
        source, target = (B, A) if back else (A, B)
        bench.send(source, target, number, connection=connection)
    bench.at(now + 1_000)
    when = {number: at for at, _, number in bench.arrived}
    links: dict[tuple[int, bool], list[int]] = {}
    for number, (_, connection, back) in enumerate(sent):
        links.setdefault((connection, back), []).append(number)
    order = [number for _, _, number in bench.arrived]
    for numbers in links.values():
        assert [n for n in order if n in numbers] == numbers
    for fact in bench.facts:
        assert isinstance(fact, MessageDelivered)
        assert 2 <= when[fact.number] - fact.sent_ms <= 20
