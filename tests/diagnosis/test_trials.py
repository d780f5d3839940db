"""What is said of a remedy that was simulated: what it saves, also in rebalances, and what it costs."""

from __future__ import annotations

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.trying import Effect, effect_of, with_trials
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.cost import Cost
from tests.diagnosis.test_answers import EXAMPLES


def result(values: list[int], base: list[int], rebalances: tuple[int, int]) -> ChoiceResult:
    """A choice and the record, by what each seed cost and how many rebalances it had."""
    costs, baseline = (
        tuple(
            Cost(rebalances=number, unavailable_partition_ms=ms, p95_partition_ms=0, max_partitions=0, unsafe_ms=0)
            for ms in each
        )
        for each, number in ((values, rebalances[0]), (base, rebalances[1]))
    )
    return ChoiceResult(choice="a=b", costs=costs, baseline=baseline)


@pytest.mark.parametrize(
    ("values", "rebalances", "sign", "said"),
    [
        ([4_000] * 3, (2, 8), -1, "about 4.0 instead of 8.0 partition-seconds (4.0 in 3 simulated runs), and 6"
                                  " rebalances fewer (2 instead of 8)"),
        ([20_000] * 3, (7, 8), 1, "1 rebalance fewer (7 instead of 8), but costs more here, about 20.0 instead of 8.0"
                                  " partition-seconds (20.0 in 3 simulated runs)"),
        ([4_000] * 3, (9, 8), -1, "about 4.0 instead of 8.0 partition-seconds (4.0 in 3 simulated runs), 9 rebalances"
                                  " instead of 8"),
    ],
)  # fmt: skip
def test_rebalances_that_a_remedy_saves_are_counted(
    values: list[int], rebalances: tuple[int, int], sign: int, said: str
) -> None:
    found = effect_of(result(values, [8_000] * 3, rebalances), alike=True, counted_alike=True)
    assert found is not None
    assert (found.verdict, found.said) == (sign, f"simulated with a=b: {said}")
    assert found.cost_ms == (8_000, values[0])


def test_a_group_that_costs_something_else_when_simulated_has_its_rebalances_still() -> None:
    tried = result([4_000] * 3, [8_000] * 3, (2, 8))
    assert effect_of(tried, alike=False, counted_alike=True) == Effect(
        None,
        "simulated with a=b: 6 rebalances fewer (2 instead of 8) in 3 simulated runs; its cost is not given: simulated"
        " as recorded, the group costs something else",
    )
    assert effect_of(tried, alike=False, counted_alike=False) is None
    free = result([0] * 3, [0] * 3, (2, 8))
    assert effect_of(free, alike=True, counted_alike=True) == Effect(
        None, "simulated with a=b: 6 rebalances fewer (2 instead of 8) in 3 simulated runs",
    )  # fmt: skip


def test_a_rare_record_has_the_direction_but_no_amount() -> None:
    found = effect_of(result([20_000] * 10, [8_000] * 10, (2, 8)), alike=False, counted_alike=True, directed=True)
    assert found is not None
    assert found.verdict == 1
    assert found.said.startswith("simulated with a=b: costs more here in 10 of 10 simulated runs; no amount is given")
    same = effect_of(result([8_000] * 10, [8_000] * 10, (8, 8)), alike=False, counted_alike=True, directed=True)
    assert same is None


def test_a_rolling_restart_of_a_dynamic_group_says_how_many_rebalances_static_members_save() -> None:
    reading = read_files(sorted((EXAMPLES / "rolling-restart-range").glob("*.log.gz")))
    explanation = explain_reading(reading)
    assert explanation is not None
    do = with_trials(explanation, reading).groups[0].findings[0].do
    (static,) = [remedy for remedy in do if "group.instance.id" in remedy.settings]
    assert "6 rebalances fewer (2 instead of 8), but costs more here" in (static.effect or "")
