"""The first line of a what-if: the best choice, those that are as good, and what became of the others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.sentences.all_choices import best, headline
from groupsim.replay.sentences.one_choice import sentence
from groupsim.replay.verdict import verdict
from tests.replay.test_answer import COSTS, SURE, result


def test_the_headline_is_the_best_choice_or_says_that_none_helps() -> None:
    base = [20_000] * 10
    as_recorded = result(base, base, "as recorded")
    good, better, bad = (
        result([15_000] * 10, base, "a"),
        result([5_000] * 10, base, "b"),
        result([40_000] * 10, base, "c"),
    )
    assert headline([as_recorded, good, better, bad], SURE).startswith("Best of 3: b would have cost 5.0")
    assert headline([as_recorded, bad, as_recorded], SURE).startswith(
        "None of the 2 choices would have helped (c +100 %"
    )
    level = headline([as_recorded, good, result([6_000] * 5 + [5_500] * 5, base, "d"), better], SURE)
    assert level.startswith(
        "Best of 3: b or d, with no difference worth having between them, would have cost 5.0 to 5.8 partition-seconds"
        " instead of 20.0 (−71 to −75 %, −70 to −75 % over 10 seeds); next is a with 15.0; trust the direction, and"
        " 4.5 to 6.6 as the amount: "
    )
    often = headline([as_recorded, result([5_000] * 9 + [19_000], base, "e"), good], SURE)
    assert "; next is a with 15.0, which costs less in 1 of 10 seeds; " in often
    refused = ChoiceResult(choice="d", costs=(), baseline=(), refused="nobody restarts")
    assert headline([as_recorded, refused], SURE) == "d can't be answered from this record: nobody restarts."
    said = headline([as_recorded, bad, refused], SURE)
    assert said.startswith("c would have cost 40.0 partition-seconds instead of 20.0 (+100 % over 10 seeds); trust ")
    assert said.endswith("; d can't be answered.")
    impossible = replace(refused, choice="e", impossible=True)
    assert headline([as_recorded, good, bad, refused, impossible], SURE).startswith("Best of 2: a would have cost")
    assert headline([as_recorded, good, bad, refused, impossible], SURE).endswith(
        "; d can't be answered, e is not possible."
    )
    assert sentence(impossible, SURE) == "e is not possible: nobody restarts."


@given(st.lists(COSTS, min_size=1, max_size=4))
def test_the_headline_names_the_best_and_all_that_are_as_good(found: list[list[int]]) -> None:
    base = [20_000] * 10
    results = [result(base, base, "as recorded"), *(result(v, base, f"<{n}>") for n, v in enumerate(found))]
    said = headline(results, SURE)
    named = best(results, SURE)
    assert all(each.choice in said for each in named)
    assert all(each.choice in said for each in results[1:] if not named)
    for each in named:
        assert verdict(each, SURE).helps
        assert each.unavailable_partition_ms.median >= named[0].unavailable_partition_ms.median
    assert said.count(" % off") == 1
    assert said.endswith(".")
    assert ". " not in said
