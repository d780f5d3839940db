"""A Deployment's arithmetic, by what Kubernetes documents and its controller's own tests expect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.rolling_update import (
    Amount,
    Limits,
    ReplicaSet,
    limits,
    may_be_missing,
    new_replicas,
    old_replicas,
    scaled,
)

FENCE_POSTS = (  # max_surge, max_unavailable, replicas, both in pods
    ("0%", "0%", 0, 0, 1),
    ("39%", "39%", 10, 4, 3),
    (5, 1, 7, 5, 1),
    ("25%", "25%", 12, 3, 3),
    ("25%", "25%", 10, 3, 2),
    ("25%", "25%", 1, 1, 0),
    ("25%", "25%", 3, 1, 0),
    ("30%", "30%", 10, 3, 3),
    (0, 0, 10, 0, 1),
    ("0%", 0, 4, 0, 1),
    (1, 0, 12, 1, 0),
    (0, 1, 12, 0, 1),
    ("100%", "0%", 12, 12, 0),
    ("0%", "100%", 12, 0, 12),
    ("1%", "1%", 12, 1, 0),
    ("50%", "50%", 3, 2, 1),
    ("200%", "0%", 4, 8, 0),
)
NEW = (  # wanted, surge, old, new, the new set's next count
    (10, 0, 10, 0, 0),
    (10, 2, 10, 0, 2),
    (10, 2, 5, 0, 7),
    (10, 2, 10, 2, 2),
    (10, 2, 2, 11, 10),
    (10, 0, 8, 0, 2),
    (12, 3, 12, 0, 3),
    (12, 12, 12, 0, 12),
    (3, 1, 3, 1, 1),
    (3, 1, 0, 1, 3),
    (10, 2, 14, 3, 3),
)
OLD = (  # wanted, unavailable, old, new, available old, available new, the old set's next count
    (10, 0, 10, 0, 10, 0, 9),
    (10, 2, 10, 0, 10, 0, 8),
    (10, 2, 10, 0, 8, 0, 8),
    (10, 2, 10, 0, 9, 0, 8),
    (10, 2, 8, 2, 8, 0, 8),
    (10, 2, 8, 2, 8, 2, 6),
    (10, 2, 8, 2, 8, 1, 7),
    (10, 2, 0, 10, 0, 10, 0),
    (10, 2, 10, 0, 1, 0, 8),
    (3, 1, 3, 1, 3, 0, 2),
    (3, 1, 3, 1, 3, 1, 1),
)


@pytest.mark.parametrize(("surge", "unavailable", "replicas", "most", "least"), FENCE_POSTS)
def test_surge_is_rounded_up_and_unavailable_down(
    surge: Amount, unavailable: Amount, replicas: int, most: int, least: int
) -> None:
    assert limits(surge, unavailable, replicas) == Limits(most, least)


@pytest.mark.parametrize("amount", ["oops", "-25", "²", "-1%", "%", -1, 2.5, True, "²%", "1e3%"])
def test_what_is_neither_a_number_nor_a_percentage_is_refused(amount: object) -> None:
    with pytest.raises(BadScenario, match="a number of pods or a percentage"):
        scaled(amount, 10, up=True)  # type: ignore[arg-type]


def test_a_number_may_be_a_text_as_the_parameters_of_scenarios_are() -> None:
    assert limits("0", "1", 6) == limits(0, 1, 6)


def test_no_more_pods_can_be_missing_than_there_are() -> None:
    assert may_be_missing(limits(0, 10, 3), 3) == 3


@pytest.mark.parametrize(("wanted", "surge", "old", "new", "count"), NEW)
def test_the_new_set_grows_as_far_as_the_surge_lets_it(wanted: int, surge: int, old: int, new: int, count: int) -> None:
    found = new_replicas(wanted, limits(surge, 0, wanted), ReplicaSet(new, 0), [ReplicaSet(old, old)])
    assert found == count


@pytest.mark.parametrize(("wanted", "unavailable", "old", "new", "old_ready", "new_ready", "count"), OLD)
def test_the_old_set_shrinks_while_enough_are_available(
    wanted: int, unavailable: int, old: int, new: int, old_ready: int, new_ready: int, count: int
) -> None:
    found = old_replicas(
        wanted, limits(0, unavailable, wanted), ReplicaSet(new, new_ready), [ReplicaSet(old, old_ready)]
    )
    assert found == (count,)


@given(
    wanted=st.integers(1, 40),
    surge=st.integers(0, 100).map("{}%".format),
    unavailable=st.integers(0, 100).map("{}%".format),
    ready=st.lists(st.booleans(), min_size=400, max_size=400),
)
def test_every_rollout_ends_and_never_goes_beyond_its_limits(
    wanted: int, surge: str, unavailable: str, ready: list[bool]
) -> None:
    found = limits(surge, unavailable, wanted)
    new, old = ReplicaSet(0, 0), ReplicaSet(wanted, wanted)
    for becomes_ready in ready:
        if new.available == wanted and not old.replicas:
            break
        count = new_replicas(wanted, found, new, [old])
        assert count + old.replicas <= wanted + found.surge
        new = ReplicaSet(count, new.available)
        (left,) = old_replicas(wanted, found, new, [old])
        old = ReplicaSet(left, left)
        assert new.available + old.available >= wanted - may_be_missing(found, wanted)
        if becomes_ready and new.available < new.replicas:
            new = ReplicaSet(new.replicas, new.available + 1)
    else:
        assert sum(ready) < wanted
