"""Problems that are none, or odd ones: Kafka's own answer where it has one, else a sentence that names the culprit."""

from __future__ import annotations

import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.errors import AssignorError, BadSpec, Refused
from groupsim.assignors.spec import Answer, Member, Spec
from groupsim.events.errors import GroupsimError
from groupsim.events.types import TopicPartition

EVERY = sorted(ASSIGNORS)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (Spec((Member("a", ("t",)), Member("a", ("t",))), {"t": 1}), "member 'a' stands twice in the group"),
        (Spec((Member("a", ("t",)),), {"t": -1}), "topic 't' has -1 partitions"),
        (
            Spec((Member("a", ("t",), (TopicPartition("t", -3),)),), {"t": 1}),
            "member 'a' says it owns partition -3 of topic 't'",
        ),
        (
            Spec((Member("a", ("t",), (TopicPartition("t", 1 << 40),)),), {"t": 1}),
            "member 'a' says it owns partition 1099511627776 of topic 't'",
        ),
        (
            Spec((Member("a", ("t",)),), {"s": 3, "t": 20_000_000}),
            "20,000,003 partitions are more than 20,000,000; topic 't' has most of them",
        ),
        (
            Spec((Member("a", ("t",), (), 1 << 31),), {"t": 1}),
            "member 'a' has generation 2147483648, which is no 32-bit number",
        ),
    ],
)
def test_a_wrong_problem_is_refused_by_name(name: str, spec: Spec, sentence: str) -> None:
    with pytest.raises(BadSpec) as caught:
        ASSIGNORS[name].assign(spec)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, GroupsimError)


EMPTY_GROUP = {
    "sticky": "java.lang.ArithmeticException: / by zero",
    "cooperative-sticky": "java.lang.ArithmeticException: / by zero",
    "roundrobin": "java.lang.IllegalArgumentException: CircularIterator can only be used on non-empty lists",
}


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_group_ends_as_it_does_in_kafka(name: str) -> None:
    spec = Spec((), {"t": 3})
    if name in EMPTY_GROUP:
        with pytest.raises(AssignorError) as caught:
            ASSIGNORS[name].assign(spec)
        assert str(caught.value) == EMPTY_GROUP[name]
    else:
        assert ASSIGNORS[name].assign(spec) == {}


@pytest.mark.parametrize("name", EVERY)
def test_unknown_topics_give_nothing(name: str) -> None:
    answer = ASSIGNORS[name].assign(Spec((Member("a", ("missing",)), Member("b", ("missing",))), {"t": 3}))
    assert answer == {"a": (), "b": ()}


@pytest.mark.parametrize("name", EVERY)
def test_a_member_without_subscription_gets_nothing(name: str) -> None:
    spec = Spec((Member("b", ("t",)), Member("a", ())), {"t": 2})
    assert [m.id for m in spec.members] == ["b", "a"]
    try:
        answer: Answer = ASSIGNORS[name].assign(spec)
    except Refused:
        assert name == "constrained-cooperative-sticky"
        return
    if name in ("sticky", "cooperative-sticky"):
        assert len(answer["a"]) == 1, "Kafka's own defect: an empty subscription met first does not count as unequal"
    elif name == "RoundRobinAssigner":
        assert answer == {"a": (("t", 0),), "b": (("t", 1),)}, "KafkaJS gives to everybody, and nobody reads that"
    else:
        assert set(answer["b"]) == {("t", 0), ("t", 1)}
        assert answer["a"] == ()


@pytest.mark.parametrize(
    "name", ["constrained-cooperative-sticky", "fairest-sticky", "optimal-sticky", "sticky-stream-join"]
)
def test_owned_partitions_that_do_not_exist_are_forgotten_by_ours(name: str) -> None:
    owned = (TopicPartition("t", 9), TopicPartition("gone", 0), TopicPartition("t", 0))
    answer = ASSIGNORS[name].assign(Spec((Member("a", ("t",), owned, 1), Member("b", ("t",))), {"t": 2}))
    assert answer == {"a": (TopicPartition("t", 0),), "b": (TopicPartition("t", 1),)}


def test_kafkas_sticky_keeps_them_and_runs_into_its_own_check() -> None:
    owned = tuple(TopicPartition("t", n) for n in (7, 8, 9))
    spec = Spec((Member("a", ("t",), owned, 1), Member("b", ("t",))), {"t": 4})
    with pytest.raises(AssignorError, match="No more unfilled consumers to be assigned"):
        ASSIGNORS["cooperative-sticky"].assign(spec)


def test_a_target_in_which_a_partition_has_two_owners_is_not_run_on_the_server_side() -> None:
    owned = (TopicPartition("t", 0),)
    spec = Spec((Member("a", ("t",), owned, 1), Member("b", ("t",), owned, 1)), {"t": 2})
    for name in ("uniform", "server-range"):
        with pytest.raises(AssignorError, match="skipped: a partition has two owners"):
            ASSIGNORS[name].assign(spec)
