"""Every assignor keeps what it promises, on drawn problems; a user's own function is held to the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from groupsim.assignors import ASSIGNORS, Assignor, NotAdmitted, register
from groupsim.assignors.errors import AssignorError, Refused
from groupsim.assignors.properties import CHECKS, broken, deterministic, exclusive, same_topics, subscribed_only, trials
from groupsim.assignors.spec import EAGER, Answer, Spec
from groupsim.events.types import TopicPartition
from tests.assignors.strategies import specs

OWN = ("constrained-cooperative-sticky", "sticky-stream-join", "fairest-sticky", "optimal-sticky")


@pytest.mark.parametrize("name", sorted(ASSIGNORS))
@settings(deadline=None)
@given(spec=specs(honest=True))
def test_every_promise_is_kept(name: str, spec: Spec) -> None:
    assert list(broken(ASSIGNORS[name], spec)) == []


@pytest.mark.parametrize("name", OWN)
@settings(deadline=None)
@given(spec=specs())
def test_ours_stay_exclusive_and_within_subscriptions_whatever_members_claim(name: str, spec: Spec) -> None:
    assignor = replace(ASSIGNORS[name], protocols=(EAGER,))
    for check in (exclusive, subscribed_only, deterministic):
        try:
            assert check(assignor, spec) is None
        except Refused:
            assert not same_topics(spec)


def mine(name: str, assign: object, *properties: str) -> Assignor:
    return Assignor(name, assign, (EAGER,), "client", "a user", "", properties)  # type: ignore[arg-type]


def everything_to_the_first(spec: Spec) -> Answer:
    answer: dict[str, list[TopicPartition]] = {member.id: [] for member in spec.members}
    for topic in sorted({topic for member in spec.members for topic in member.topics}):
        first = next(member.id for member in spec.members if topic in member.topics)
        answer[first] += [TopicPartition(topic, number) for number in range(spec.partitions.get(topic, 0))]
    return answer


def test_a_users_own_function_is_admitted_by_what_it_promises() -> None:
    register(mine("greedy", everything_to_the_first, "complete", "exclusive", "subscribed-only", "deterministic"))
    try:
        assert ASSIGNORS["greedy"].assign(next(trials()))
    finally:
        del ASSIGNORS["greedy"]


def test_a_users_own_function_may_answer_with_plain_pairs() -> None:
    def pairs(spec: Spec) -> dict[str, list[tuple[str, int]]]:
        return {member: [tuple(p) for p in assigned] for member, assigned in everything_to_the_first(spec).items()}  # type: ignore[misc]

    register(mine("pairs", pairs, "complete", "exclusive"))
    try:
        answer = ASSIGNORS["pairs"].assign(next(spec for spec in trials() if any(spec.partitions.values())))
        given = [partition for assigned in answer.values() for partition in assigned]
        assert given
        assert all(isinstance(partition, TopicPartition) for partition in given)
    finally:
        del ASSIGNORS["pairs"]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("balanced", "has"),
        ("balanced-when-equal", "sizes range from 0"),
        ("no-such-property", "the properties are complete"),
    ],
)
def test_a_broken_promise_is_named(name: str, wrong: str) -> None:
    with pytest.raises(NotAdmitted, match=wrong):
        register(mine("greedy", everything_to_the_first, name))
    assert "greedy" not in ASSIGNORS


def test_a_name_is_given_once() -> None:
    with pytest.raises(NotAdmitted, match="'range' already"):
        register(mine("range", everything_to_the_first))


def test_a_function_that_crashes_is_not_admitted() -> None:
    def crash(spec: Spec) -> Answer:
        raise KeyError("oops")

    with pytest.raises(NotAdmitted, match="KeyError"):
        register(mine("crash", crash, "complete"))


def test_a_function_that_throws_what_kafka_would_is_not_admitted() -> None:
    def give_up(spec: Spec) -> Answer:
        raise AssignorError("java.lang.IllegalStateException", "no")

    with pytest.raises(NotAdmitted, match=r"it throws java.lang.IllegalStateException: no"):
        register(mine("give-up", give_up, "complete"))


def doubled(spec: Spec) -> Answer:
    every = [TopicPartition(t, n) for t in sorted(spec.partitions) for n in range(spec.partitions[t])]
    return {member.id: every for member in spec.members}


def nothing(spec: Spec) -> Answer:
    return {member.id: () for member in spec.members}


def nobody(spec: Spec) -> Answer:
    return {}


COUNTER = [0]


def moody(spec: Spec) -> Answer:
    COUNTER[0] += 1
    return {member.id: (TopicPartition("t0", COUNTER[0] % 2),) for member in spec.members}


@pytest.mark.parametrize(
    ("assign", "name"),
    [
        (doubled, "exclusive"),
        (nothing, "complete"),
        (nobody, "subscribed-only"),
        (doubled, "subscribed-only"),
        (moody, "deterministic"),
        (moody, "sticky"),
    ],
)
def test_each_property_can_be_broken(assign: object, name: str) -> None:
    with pytest.raises(NotAdmitted, match=repr(name)):
        register(mine("bad", assign, name))


def test_forgetful_assignors_are_not_sticky() -> None:
    for name in ("range", "roundrobin", "server-range"):
        assert any(CHECKS["sticky"](ASSIGNORS[name], spec) for spec in trials())
