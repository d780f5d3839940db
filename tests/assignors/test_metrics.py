"""The golden metrics on hand-made answers, and the claims they count."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.assignors.metrics import balance, metrics
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition


def tps(*numbers: int) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition("t", number) for number in numbers)


SPEC = Spec((Member("a", ("t",), tps(0, 1), 5), Member("b", ("t",), tps(2), 5), Member("c", ("t",))), {"t": 5})


def test_kept_moved_and_unassigned_are_counted_apart() -> None:
    answer = {"a": tps(0, 2), "b": tps(3), "c": ()}
    assert metrics(SPEC, answer) == {"balance": 4, "claimed": 3, "kept": 1, "moved": 1, "unassigned": 2}


def test_a_claim_of_the_higher_generation_counts_and_a_tie_counts_for_nobody() -> None:
    newer = replace(SPEC, members=(*SPEC.members[:2], replace(SPEC.members[2], owned=tps(0, 1), generation=6)))
    answer = {"a": tps(0, 3), "b": tps(2, 4), "c": tps(1)}
    assert metrics(newer, answer) | {"balance": 0} == {
        "balance": 0,
        "claimed": 3,
        "kept": 2,
        "moved": 1,
        "unassigned": 0,
    }
    tied = replace(SPEC, members=(*SPEC.members[:2], replace(SPEC.members[2], owned=tps(0, 1), generation=5)))
    assert metrics(tied, answer)["claimed"] == 1


def test_what_does_not_exist_is_not_claimed() -> None:
    spec = replace(SPEC, members=(replace(SPEC.members[0], owned=(*tps(0, 9), TopicPartition("gone", 0))),))
    assert metrics(spec, {"a": tps(0, 1, 2, 3, 4)})["claimed"] == 1


def test_a_partition_given_twice_is_with_its_last_holder() -> None:
    found = metrics(SPEC, {"a": tps(0, 1), "b": tps(2, 0), "c": tps(3, 4)})
    assert (found["kept"], found["moved"], found["assigned_twice"]) == (2, 1, 1)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), max_size=12))
def test_the_score_is_the_sum_over_pairs(sizes: list[int]) -> None:
    pairs = [abs(a - b) for i, a in enumerate(sizes) for b in sizes[:i]]
    assert balance(sizes) == sum(pairs)
