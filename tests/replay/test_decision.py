"""Whether to change the protocol, in one sentence."""

from __future__ import annotations

import pytest

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.migration import Migration
from groupsim.replay.sentences.migration import decision
from tests.replay.test_answer import costs, near, result

BASE = [20_000] * 10


def change(ms: int, plain: int, form: str = "rolling") -> Migration:
    return Migration(
        protocol="consumer",
        form=form,
        costs=costs([ms] * 3),
        plain=costs([plain] * 3),
        downtime_ms=2_000,
        recorded=True,
        away="as in the record",
        step_ms=9_000,
        members=3,
    )


def said(found: ChoiceResult, of: Migration) -> str:
    return decision(found, near(BASE), "consumer protocol (uniform)", of)


@pytest.mark.parametrize(
    ("values", "begins"),
    [
        (
            [14_000] * 10,
            "change to the consumer protocol (uniform): it saves 6.0 partition-seconds each time this happens",
        ),
        ([14_000] * 9 + [25_000], "change to the consumer protocol (uniform): it saves 6.0"),
        ([30_000] * 10, "do not change to the consumer protocol (uniform) for this: it costs 10.0"),
        (BASE, "this is no reason to change to the consumer protocol (uniform): it would have saved nothing worth"),
        ([10_000] * 5 + [40_000] * 5, "this record does not decide whether to change"),
    ],
)
def test_it_says_what_the_verdict_says_and_what_the_change_costs(values: list[int], begins: str) -> None:
    sentence = said(result(values, BASE), change(25_000, 15_000))
    assert sentence.startswith(f"In short: {begins}")
    assert "the roll costs 25.0 once, 10.0 more than without another protocol" in sentence


def test_how_sure_it_is_and_when_it_has_paid_is_said() -> None:
    sure = said(result([14_000] * 10, BASE), change(25_000, 15_000))
    assert "(10 of 10 simulations)" in sure
    assert "which 2 such incidents make up for" in sure
    likely = said(result([14_000] * 9 + [25_000], BASE), change(25_000, 15_000))
    assert "(likely, 9 of 10 simulations)" in likely
    assert "make up for" not in said(result([14_000] * 10, BASE), change(15_000, 25_000, "stop-all"))
    assert "the stop of all members costs 15.0 once, 10.0 less than" in said(
        result([14_000] * 10, BASE), change(15_000, 25_000, "stop-all")
    )


def test_of_a_choice_without_an_answer_nothing_is_decided() -> None:
    refused = ChoiceResult(choice="c", costs=(), baseline=(), refused="no such client")
    assert said(refused, change(25_000, 15_000)) == ""
