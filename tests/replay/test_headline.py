"""The first line of a what-if: the best choice, those that are as good, and what became of the others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.sentences.all_choices import best, headline, rests_on
from groupsim.replay.sentences.one_choice import sentence
from groupsim.replay.verdict import verdict
from groupsim.wording.first_sentence import first_sentence, size
from tests.replay.test_answer import COSTS, SURE, result


def test_the_headline_is_the_best_choice_or_says_that_none_helps() -> None:
    base = [20_000] * 10
    as_recorded = result(base, base, "as recorded")
    good, better, bad = (
        result([15_000] * 10, base, "a"),
        result([5_000] * 10, base, "b"),
        result([40_000] * 10, base, "c"),
    )
    assert headline([as_recorded, good, better, bad], SURE) == (
        "Best: assignor=b would have cost about 5.0 instead of 20 partition-seconds. It is sure to cost less;"
        " expect 4.5 to 5.5 partition-seconds."
        " The rest: assignor=a costs more than that, assignor=c costs more than as recorded."
    )
    assert headline([as_recorded, bad, replace(bad, choice="d")], SURE) == (
        "None of the 2 choices would have helped: the least is about 40 instead of 20 partition-seconds,"
        " with assignor=c."
    )
    level = headline([as_recorded, good, result([6_000] * 5 + [5_500] * 5, base, "d"), better], SURE)
    assert level == (
        "Best: assignor=b would have cost about 5.0 instead of 20 partition-seconds, and assignor=d about 5.8."
        " Each alone is sure to cost less; expect 4.5 to 6.6 partition-seconds, whichever you choose."
        " The rest: assignor=a costs more than that."
    )
    refused = ChoiceResult(choice="d", costs=(), baseline=(), refused="nobody restarts")
    assert headline([as_recorded, refused], SURE) == "assignor=d can't be answered from this record: nobody restarts."
    said = headline([as_recorded, bad, refused], SURE)
    assert said.startswith(
        "assignor=c would have cost about 40 instead of 20 partition-seconds. It is sure to cost more; "
    )
    assert said.endswith(" The others: assignor=d can't be answered.")
    impossible = replace(refused, choice="e", impossible=True)
    assert headline([as_recorded, good, bad, refused, impossible], SURE).startswith("Best: assignor=a would have cost")
    assert headline([as_recorded, good, bad, refused, impossible], SURE).endswith(
        " The others: assignor=d can't be answered, assignor=e is not possible."
    )
    assert sentence(impossible, SURE) == "assignor=e is not possible: nobody restarts."


@given(st.lists(COSTS, min_size=1, max_size=4))
def test_the_headline_names_the_best_and_all_that_are_as_good(found: list[list[int]]) -> None:
    base = [20_000] * 10
    results = [result(base, base, "as recorded"), *(result(v, base, f"<{n}>") for n, v in enumerate(found))]
    said = headline(results, SURE)
    named = best(results, SURE)
    assert all(each.choice in said for each in named[:2])
    assert ("others that are as good" in said) == (len(named) > 3)
    assert size(first_sentence(said), [each.choice for each in results]).fits
    for each in named:
        assert verdict(each, SURE).helps
        assert each.unavailable_partition_ms.median >= named[0].unavailable_partition_ms.median
    assert " % off" not in said
    assert "the replay of the record is 3 % off (20.6 instead of 20.0 partition-seconds)" in rests_on(results, SURE)
    assert said.endswith(".")
