"""librdkafka's sticky assignor, where it deals from the first partition and where from the last one."""

from __future__ import annotations

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import Partitions, TopicPartition
from groupsim.simulation.clients.classic import librdkafka_sticky

ASSIGN = ASSIGNORS["cooperative-sticky"].assign


def _orders(*numbers: int) -> Partitions:
    return tuple(TopicPartition("orders", n) for n in numbers)


def test_founders_share_from_the_first_partition_on() -> None:
    """Recorded with librdkafka 2.16 on Kafka 4.4: three members found a group together."""
    trio = tuple(Member(name, ("orders",)) for name in ("m1", "m2", "m3"))
    assert librdkafka_sticky.assign(ASSIGN, Spec(trio, {"orders": 12})) == {
        "m1": _orders(0, 3, 6, 9),
        "m2": _orders(1, 4, 7, 10),
        "m3": _orders(2, 5, 8, 11),
    }


def test_who_is_left_shares_from_the_last_partition_on() -> None:
    """Recorded with librdkafka 2.16 on Kafka 4.4: m2 has left that group."""
    pair = (
        Member("m1", ("orders",), _orders(0, 3, 6, 9), 1),
        Member("m3", ("orders",), _orders(2, 5, 8, 11), 1),
    )
    assert librdkafka_sticky.assign(ASSIGN, Spec(pair, {"orders": 12})) == {
        "m1": _orders(0, 3, 4, 6, 9, 10),
        "m3": _orders(1, 2, 5, 7, 8, 11),
    }


def test_members_that_want_different_topics_are_served_as_java_serves_them() -> None:
    members = (Member("m1", ("a", "b"), (TopicPartition("a", 0),), 1), Member("m2", ("a",)))
    spec = Spec(members, {"a": 4, "b": 3})
    assert librdkafka_sticky.assign(ASSIGN, spec) == dict(ASSIGN(spec))
