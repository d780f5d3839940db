"""How long a replay goes on after the record's end, and what is said where it ends too early."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from groupsim.replay.aftermath import LONGEST_MS, tail_ms
from groupsim.replay.choice import Choice
from groupsim.replay.choice_settings import choice_of
from groupsim.replay.player import replay_incident
from groupsim.replay.sentences.one_choice import sentence
from groupsim.replay.verdict import Verdict, verdict
from groupsim.replay.what_if import compare_choices
from tests.replay.test_answer import near, result
from tests.replay.test_replayed_incidents import SEEDS, example, measure, results

LONG = {
    "group.protocol": "consumer",
    "group.consumer.session.timeout.ms": "45000",
    "group.consumer.heartbeat.interval.ms": "5000",
}


def chosen(**settings: str) -> Choice:
    """A choice of these settings (`__` stands for a dot)."""
    given = {key.replace("__", "."): value for key, value in settings.items()}
    return choice_of(given, "x", "--set")


def test_a_longer_session_of_the_broker_is_waited_for_to_its_end() -> None:
    """98 partition-seconds were "the amount to trust": the simulation ended before the death was noticed."""
    _, long = results("kill9-range", choice_of(LONG, "long", "--set"))
    assert long.unavailable_partition_ms.least > 4 * 39_000
    assert long.rebalances.least >= 1


@pytest.mark.parametrize(
    ("settings", "more_ms"),
    [
        ({"session__timeout__ms": "50000"}, 39_000),
        ({"protocol": "consumer", "group__consumer__session__timeout__ms": "50000"}, 39_000),
        ({"protocol": "consumer", "group__consumer__min__session__timeout__ms": "50000"}, 39_000),
        ({"protocol": "consumer", "group__consumer__heartbeat__interval__ms": "5000"}, 11_900),
        ({"protocol": "consumer", "group__consumer__assignment__interval__ms": "20000"}, 59_000),
        ({"group__initial__rebalance__delay__ms": "30000"}, 30_000),
    ],
)
def test_all_that_a_choice_makes_longer_is_waited_for(settings: dict[str, str], more_ms: int) -> None:
    incident = example("kill9-range")
    usual = tail_ms(incident, [])
    assert tail_ms(incident, [chosen(**settings)]) >= usual + more_ms


def test_a_restart_is_waited_for() -> None:
    incident = example("rolling-restart-range")
    assert tail_ms(incident, [chosen(restart__ms="90000")]) >= tail_ms(incident, []) + 90_000


def test_a_group_that_is_classic_does_not_wait_for_the_brokers_session() -> None:
    incident = example("kill9-range")
    assert tail_ms(incident, [chosen(group__consumer__session__timeout__ms="50000")]) == tail_ms(incident, [])


def test_no_choice_is_waited_for_without_end() -> None:
    assert tail_ms(example("kill9-range"), [chosen(session__timeout__ms="9000000")]) <= LONGEST_MS + 10_000


def test_where_the_simulation_ends_too_early_the_amount_is_a_lower_bound_and_never_trusted() -> None:
    incident = example("kill9-range")
    session = Choice(name="15 min", settings={"session.timeout.ms": "900000"})
    before, long = compare_choices(
        partial(replay_incident, incident, tail_ms=tail_ms(incident, [])), measure(incident), [session], SEEDS
    )
    assert (before.unfinished, long.unfinished) == (0, len(SEEDS))
    sure = near(before.values)
    said = sentence(long, sure)
    assert "6 of 6 simulations end before all partitions are held again" in said
    assert "so the amount is a lower bound" in said
    assert "expect" not in said
    assert verdict(long, sure) is Verdict.WORSE  # it costs even more than is seen


def test_a_gain_that_may_be_the_end_of_the_simulation_is_not_sure() -> None:
    base = result([20_000] * 10, [20_000] * 10)
    for lower, other in ((True, False), (True, True)):
        found = replace(
            base,
            costs=tuple(replace(each, unavailable_partition_ms=9_000, unfinished=lower) for each in base.costs),
            baseline=tuple(replace(each, unfinished=other) for each in base.costs),
        )
        assert verdict(found, near([20_000])) is Verdict.NOT_SURE
        assert "a lower bound" in sentence(found, near([20_000]))
    gained = replace(base, costs=tuple(replace(each, unavailable_partition_ms=9_000) for each in base.costs))
    ended = replace(gained, baseline=tuple(replace(each, unfinished=True) for each in base.costs))
    assert verdict(ended, near([20_000])) is Verdict.BETTER
    assert "as recorded, 10 of 10 simulations" in sentence(ended, near([20_000]))
