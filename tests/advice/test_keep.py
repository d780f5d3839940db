"""What is set now is kept unless a choice is better by enough; of choices as good, the smallest change is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.advice.advice import Advice
from groupsim.advice.advising import advised
from groupsim.advice.as_data import as_data
from groupsim.advice.choices import Choice
from groupsim.advice.current_settings import Present, apart, of_values
from groupsim.advice.selection import Goal, Row, Sample
from groupsim.advice.sentences import answer
from groupsim.advice.unknown import Unknown

NOW = {"session": "10000", "static": "false"}
CHOICES = [
    {"session": "45000", "static": "true"},
    {"session": "6000", "static": "false"},
    {"session": "8000", "static": "false"},
    {"session": "10000", "static": "false"},
]


class Costs:
    """A scenario whose choices cost what is said, and a little by the seed; the last is the settings as they are."""

    def __init__(self, costs: Sequence[float], name: str = "partition_ms") -> None:
        self._costs, self._name = costs, name

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] | None = None) -> Sample:
        assert len(choices) == len(self._costs)
        return lambda asked: [self._row(i, seed) for i, seed in asked]

    def _row(self, choice: int, seed: int) -> Row:
        return {
            self._name: self._costs[choice] * (1 + (seed * 7919 % 10 - 4.5) / 1_000),
            "max_partitions": choice,
            "detection_ms": 0,
        }


def asked(costs: Sequence[float], goal: Goal | None = None, choices: Sequence[Choice] = CHOICES) -> Advice:
    wanted = goal or Goal()
    return advised(Costs(costs, wanted.minimise), choices, wanted, {}, 50 * len(choices), of_values(NOW, choices))


@pytest.mark.parametrize(
    ("costs", "begins"),
    [
        (
            [19_700, 25_000, 25_000, 20_000],
            "Keep session=10000 and static=false, as it is: about 20 partition-seconds. ",
        ),
        ([900, 1_100, 1_100, 1_200], "Keep session=10000 and static=false, as it is: about 1.2 partition-seconds. "),
        (
            [21_000, 25_000, 25_000, 20_000],
            "Keep session=10000 and static=false, as it is: about 20 partition-seconds. At ",
        ),
        (
            [15_000, 25_000, 25_000, 20_000],
            "Take session=45000 and static=true: about 15 partition-seconds; with the present settings 20. ",
        ),
        (
            [15_000, 15_100, 15_200, 20_000],
            "Take session=8000 and static=false: about 15 partition-seconds; with the present settings 20. ",
        ),
        (
            [18_700, 18_800, 19_200, 20_000],
            "Take session=6000 and static=false: about 19 partition-seconds; with the present settings 20. ",
        ),
    ],
)
def test_what_is_set_is_kept_unless_the_gain_is_worth_a_change_and_the_smallest_change_is_taken(
    costs: Sequence[float], begins: str
) -> None:
    found = asked([*costs, costs[-1]])
    assert answer(found).startswith(begins)
    assert as_data(found)["keep"] == begins.startswith("Keep")
    assert (as_data(found)["take"] is None) == begins.startswith("Keep")


def test_what_is_set_need_not_be_among_the_choices() -> None:
    sentence = answer(asked([19_700, 25_000, 25_000, 20_000], choices=CHOICES[:3]))
    assert sentence.startswith("Keep the settings as they are: about 20 partition-seconds. ")
    assert ". The best of the 3 choices, session=45000 and static=true, has 19.7 partition-seconds (-2%), " in sentence
    assert " % sure that this is the best of the 3 choices, or as good as the best (within 5 %)." in sentence
    assert " (-2%), which is not worth a change" in sentence
    assert "a gain has to be more than 5 % and 0.5 partition-seconds" in sentence


def test_what_is_set_is_not_kept_where_it_breaks_a_bound() -> None:
    bounded = Goal(bounds={"max_partitions": 2.5})
    found = asked([30_000, 31_000, 31_000, 20_000, 20_000], bounded)
    assert answer(found).startswith(
        "Take session=8000 and static=false: about 31 partition-seconds; with the present settings 20. "
    )
    assert " The settings as they are do not keep the bound: max_partitions is 4.0." in answer(found)


def test_of_what_is_counted_one_half_is_the_least_gain() -> None:
    goal = Goal("rebalances")
    assert asked([2.6, 9, 9, 3, 3], goal).keeps
    assert not asked([2.4, 9, 9, 3, 3], goal).keeps


def test_the_smallest_change_is_the_fewest_values_then_the_nearest_numbers() -> None:
    present = of_values(NOW, CHOICES)
    assert list(present.changed) == [2, 1, 1, 0]
    assert present.order == [3, 2, 1, 0]
    assert present.own == 3
    assert of_values({"a": "True", "b": "1.0"}, [{"a": "true", "b": "1"}]).own == 0
    assert of_values({}, [{"heartbeat.interval.ms": "3000"}]).own is None
    assert apart({"a": "1000"}, {"a": "2000"}) == pytest.approx(apart({"a": "1000"}, {"a": "500"}))
    assert Present((), ()).own is None


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=4, max_size=4))
def test_what_is_taken_is_within_the_zone_of_the_best_and_worth_it(costs: list[int]) -> None:
    whole = [1_000.0 * cost for cost in [*costs, costs[-1]]]
    found = asked(whole)
    least, now = min(whole), whole[-1]
    assert found.selection.evidence is not None
    best = whole[found.selection.evidence.best]
    assert best <= 1.05 * least + 1e-6
    worth = max(0.05 * now, 500)
    assert found.keeps == (now - best <= worth)
    if found.keeps:
        assert now - least <= worth


class Alike(Costs):
    """Choices whose other measures are equal."""

    def _row(self, choice: int, seed: int) -> Row:
        return {**super()._row(choice, seed), "max_partitions": 1.0}


def test_choices_with_equal_runs_are_said_to_do_the_same_and_are_not_the_next_best() -> None:
    costs, goal = [15_000, 15_000, 25_000, 20_000, 20_000], Goal()
    found = advised(Alike(costs), CHOICES, goal, {}, 200, of_values(NOW, CHOICES))
    data, runs = as_data(found), len(found.selection.rows[0])
    assert data["same"] == [CHOICES[0]]
    assert data["runner_up"]["session"] == "10000"
    assert data["equal"] is None
    assert f"session=45000 static=true does the same in all {runs} simulations. Next is session=10000" in " ".join(
        data["rests_on"]
    )
    differs = as_data(asked(costs))  # the most partitions at once do
    assert differs["same"] == []
    assert "does the same" not in " ".join(differs["rests_on"])
    every = as_data(advised(Alike([7_000] * 5), CHOICES, goal, {}, 200, of_values(NOW, CHOICES)))
    assert "session=45000 static=true and 2 others do the same in all " in " ".join(every["rests_on"])
    assert every["runner_up"] is None
