"""sticky-stream-join where KIP-315's assumptions are broken, and that it takes away no more than fairness asks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.assignors.extra.stream_join import sticky_stream_join
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition


def owns(*numbers: int, topic: str = "x") -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(topic, number) for number in numbers)


def numbers(spec: Spec, member: str) -> set[int]:
    return {number for _, number in sticky_stream_join(spec)[member]}


def test_numbers_beyond_the_smallest_topic_stay_unassigned() -> None:
    spec = Spec((Member("a", ("x", "y")), Member("b", ("x", "y"))), {"x": 6, "y": 4})
    given_out = [number for assigned in sticky_stream_join(spec).values() for _, number in assigned]
    assert sorted(given_out) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_topic_that_one_member_tries_is_given_for_that_members_numbers_only() -> None:
    spec = Spec((Member("a", ("x", "new"), owns(0, 1), 1), Member("b", ("x",), owns(2, 3), 1)), {"x": 4, "new": 4})
    answer = sticky_stream_join(spec)
    assert {p for p in answer["a"] if p.topic == "new"} == set(owns(0, 1, topic="new"))
    assert all(p.topic == "x" for p in answer["b"])


def test_a_number_claimed_twice_belongs_to_the_higher_epoch() -> None:
    spec = Spec((Member("a", ("x",), owns(0, 1), 3), Member("b", ("x",), owns(0, 1), 4)), {"x": 4})
    assert numbers(spec, "b") == {0, 1}
    assert numbers(spec, "a") == {2, 3}


def test_a_new_member_steals_from_the_longest_list() -> None:
    spec = Spec(
        (Member("a", ("x",), owns(0, 1, 2, 3), 1), Member("b", ("x",), owns(4, 5), 1), Member("c", ("x",))), {"x": 6}
    )
    assert numbers(spec, "b") == {4, 5}
    assert numbers(spec, "c") < {0, 1, 2, 3}


def test_topics_without_partitions_and_members_without_topics_do_not_stop_the_others() -> None:
    spec = Spec((Member("a", ("x", "missing")), Member("b", ())), {"x": 2})
    assert numbers(spec, "a") == {0, 1}
    assert numbers(spec, "b") == set()


@settings(deadline=None)
@given(st.lists(st.integers(-1, 5), min_size=1, max_size=14), st.integers(1, 6))
def test_sizes_are_fair_and_no_more_numbers_change_hands_than_fairness_asks(owners: list[int], members: int) -> None:
    lists = {i: [n for n, owner in enumerate(owners) if owner == i] for i in range(members)}
    spec = Spec(tuple(Member(f"m{i}", ("x",), owns(*lists[i]), 1) for i in lists), {"x": len(owners)})
    found = {i: numbers(spec, f"m{i}") for i in lists}
    low, over = divmod(len(owners), members)
    assert sorted(map(len, found.values())) == [low] * (members - over) + [low + 1] * over
    kept = sum(len(found[i].intersection(lists[i])) for i in lists)
    best = sum(min(len(had), low) for had in lists.values()) + min(over, sum(len(had) > low for had in lists.values()))
    assert kept == best
