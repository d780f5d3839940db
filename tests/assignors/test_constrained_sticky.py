"""constrained-cooperative-sticky step by step, as its KIP describes it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.assignors.errors import Refused
from groupsim.assignors.extra.constrained_sticky import constrained_cooperative_sticky
from groupsim.assignors.spec import Answer, Member, Spec
from groupsim.events.types import TopicPartition


def tps(text: str) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(word[:2], int(word[3:])) for word in text.split())


def group(counts: dict[str, int], /, **owned: str) -> Spec:
    members = (Member(name, tuple(counts), tps(text), 5 if text else -1) for name, text in owned.items())
    return Spec(tuple(members), counts)


def words(answer: Answer) -> dict[str, str]:
    return {member: " ".join(f"{t}p{n}" for t, n in assigned) for member, assigned in sorted(answer.items())}


def test_unassigned_partitions_go_by_number_across_topics_and_fill_one_member_after_the_other() -> None:
    spec = group({"t0": 2, "t1": 2, "t2": 1}, a="", b="")
    assert words(constrained_cooperative_sticky(spec)) == {"a": "t0p0 t1p0 t1p1", "b": "t2p0 t0p1"}


def test_a_full_member_keeps_the_ceiling_and_the_rest_is_withheld() -> None:
    spec = group({"t0": 5}, a="t0p0 t0p1 t0p2 t0p3", b="t0p4")
    assert words(constrained_cooperative_sticky(spec)) == {"a": "t0p0 t0p1 t0p2", "b": "t0p4"}


def test_full_members_give_one_each_when_partitions_run_out() -> None:
    spec = group({"t0": 7}, a="t0p0 t0p1 t0p2", b="t0p3 t0p4 t0p5", c="t0p6")
    assert words(constrained_cooperative_sticky(spec)) == {"a": "t0p1 t0p2", "b": "t0p3 t0p4 t0p5", "c": "t0p6"}


def test_after_the_follow_up_the_withheld_partition_has_its_new_owner() -> None:
    spec = group({"t0": 7}, a="t0p1 t0p2", b="t0p3 t0p4 t0p5", c="t0p6")
    assert words(constrained_cooperative_sticky(spec))["c"] == "t0p6 t0p0"


def test_a_member_of_an_old_generation_keeps_nothing_and_stops_its_partitions_from_being_given() -> None:
    spec = Spec(
        (Member("a", ("t0",), tps("t0p0 t0p1"), 4), Member("b", ("t0",), tps("t0p2 t0p3"), 5)),
        {"t0": 4},
    )
    assert words(constrained_cooperative_sticky(spec)) == {"a": "t0p0 t0p1", "b": "t0p2 t0p3"}
    swapped = Spec((Member("a", ("t0",), tps("t0p0 t0p3"), 5), Member("b", ("t0",), tps("t0p1"), 4)), {"t0": 3})
    assert words(constrained_cooperative_sticky(swapped)) == {"a": "t0p0 t0p2", "b": "t0p1"}


def test_unequal_subscriptions_are_refused_with_both_members_named() -> None:
    spec = Spec((Member("a", ("t0",)), Member("b", ("t1",))), {"t0": 1, "t1": 1})
    with pytest.raises(Refused, match="'a' and 'b' differ"):
        constrained_cooperative_sticky(spec)


def test_an_empty_group_has_an_empty_answer() -> None:
    assert constrained_cooperative_sticky(Spec((), {"t0": 3})) == {}


@given(st.randoms(use_true_random=False))
def test_the_answer_does_not_depend_on_the_order_of_the_input(chance: random.Random) -> None:
    counts = {f"t{i}": chance.randint(0, 7) for i in range(chance.randint(1, 4))}
    every = [TopicPartition(topic, n) for topic, count in counts.items() for n in range(count + 1)]
    members = [
        Member(f"m{i}", tuple(counts), tuple(chance.sample(every, min(len(every), chance.randint(0, 6)))), generation)
        for i, generation in enumerate(chance.choices([-1, 3, 4, 4, 4], k=chance.randint(1, 5)))
    ]
    shuffled = [
        Member(
            m.id,
            tuple(chance.sample(m.topics, len(m.topics))),
            tuple(chance.sample(m.owned, len(m.owned))),
            m.generation,
        )
        for m in chance.sample(members, len(members))
    ]
    one, other = (
        Spec(tuple(members), counts),
        Spec(tuple(shuffled), dict(chance.sample([*counts.items()], len(counts)))),
    )
    assert words(constrained_cooperative_sticky(one)) == words(constrained_cooperative_sticky(other))
