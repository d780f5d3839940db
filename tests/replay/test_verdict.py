"""One verdict per choice: what the sentence says beside it, and never says."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.sentences.all_choices import best, headline
from groupsim.replay.sentences.one_choice import sentence
from groupsim.replay.verdict import Verdict, verdict
from tests.replay.test_answer import COSTS, SURE, near, result


def test_seeds_that_say_the_opposite_are_counted() -> None:
    said = sentence(result([30_000] * 9 + [14_000], [20_000] * 10), SURE)
    assert said.endswith(
        "; it is likely to cost more (9 of 10 simulations); expect anything from 12.6 to 33.0 partition-seconds:"
        " the replay of the record is 3 % off (20.6 instead of 20.0 partition-seconds)."
    )
    noisy = sentence(result([30_000] * 6 + [10_000] * 4, [20_000] * 10), SURE)
    assert (
        "Whether assignor=range would have helped is not sure: simulated, it costs 30.0 partition-seconds instead"
    ) in noisy
    assert "; it cost less in 4 of 10 simulations and more in 6, which may be chance: the replay" in noisy


def test_a_direction_takes_as_many_seeds_as_the_sign_test() -> None:
    """Three seeds of three were "sure"; five agree by chance once in 16 times."""
    for seeds, found in ((3, Verdict.NOT_SURE), (5, Verdict.NOT_SURE), (6, Verdict.BETTER)):
        assert verdict(result([10_000] * seeds, [20_000] * seeds), SURE) is found
    few = sentence(result([10_000] * 3, [20_000] * 3), SURE)
    assert (
        "; it cost less in 3 of 3 simulations, and fewer than 6 simulations do not show which it is: the replay" in few
    )
    for agree, of, found in (
        (8, 10, Verdict.NOT_SURE),
        (9, 10, Verdict.LIKELY_BETTER),
        (26, 40, Verdict.NOT_SURE),
        (27, 40, Verdict.LIKELY_BETTER),
    ):
        values = [10_000] * agree + [25_000] * (of - agree)
        assert verdict(result(values, [20_000] * of), SURE) is found


def test_none_would_have_helped_only_where_the_seeds_show_it() -> None:
    """It was said of choices that saved half in 8 of 10 simulations."""
    base = [20_000] * 10
    maybe, same = result([10_000] * 8 + [25_000] * 2, base, "a"), result([20_100] * 10, base, "b")
    said = headline([result(base, base, "as recorded"), maybe, same], SURE)
    assert said == (
        "Tried one by one, none of the 2 choices clearly costs less than what was set; assignor=a comes"
        " nearest. It cost less in 8 of 10 simulations and more in 2, which may be chance."
    )
    small = result([17_800] * 4 + [18_500] * 6, base, "c")
    assert "and the difference may be too small to be worth having" in sentence(small, SURE)
    lower = headline([result(base, base, "as recorded"), maybe, result([14_000] * 10, base, "d")], SURE)
    assert lower.startswith("Best: assignor=d would have cost about 14 instead of 20 partition-seconds. ")


def test_a_likely_choice_of_unknown_amount_is_perhaps_the_best() -> None:
    base = [20_000] * 10
    wide = result([6_000] * 9 + [60_000], base, "a")
    said = headline([result(base, base, "as recorded"), wide, result(base, base, "b")], SURE)
    assert said.startswith("Perhaps best: assignor=a would have cost about 6.0 instead of 20 partition-seconds. ")
    assert "It is likely to cost less (9 of 10 simulations), but the amount is unknown" in said


@given(COSTS, COSTS)
def test_no_difference_is_said_only_where_the_seeds_show_none(values: list[int], base: list[int]) -> None:
    found = result(values, base)
    if verdict(found, near(base)) is Verdict.NO_DIFFERENCE:
        assert abs(found.unavailable_partition_ms.median - found.base.median) <= max(0.1 * found.base.median, 500)
        assert sum(abs(ms) < max(0.1 * found.base.median, 500) + 1 for ms in found.moved) >= 8


def test_a_choice_that_only_moves_time_to_owners_that_do_not_poll_is_not_recommended() -> None:
    def stuck(values: list[int], unpolled: list[int]) -> ChoiceResult:
        found = result(values, [20_000] * 10, "max.poll.interval.ms=900000")
        own = tuple(replace(c, unpolled_partition_ms=ms) for c, ms in zip(found.costs, unpolled, strict=True))
        return replace(
            found, costs=own, baseline=tuple(replace(c, unpolled_partition_ms=9_000) for c in found.baseline)
        )

    moved = stuck([5_000] * 10, [24_000] * 10)
    assert verdict(moved, SURE) is Verdict.MOVED
    assert best([result([20_000] * 10, [20_000] * 10, "as recorded"), moved], SURE) == []
    said = "held, but not polled (the owner is stuck in a batch): 24.0 partition-seconds instead of 9.0"
    assert said in sentence(moved, SURE)
    assert sentence(moved, SURE).startswith("max.poll.interval.ms=900000 only moves time: it would have cost 5.0 ")
    saved = stuck([5_000] * 10, [13_000] * 10)  # more is held by stuck owners, but much less than is saved
    assert verdict(saved, SURE) is Verdict.BETTER
    assert "instead of 9.0" in sentence(saved, SURE)
    same = stuck([5_000] * 10, [9_000] * 10)
    assert verdict(same, SURE) is Verdict.BETTER
    assert "not polled" not in sentence(same, SURE)
    worse = stuck([30_000] * 10, [24_000] * 10)
    assert verdict(worse, SURE) is Verdict.WORSE


def test_amounts_so_wide_that_they_say_nothing_are_said_to_be_unknown() -> None:
    base = [20_000, 21_000, 19_000, 70_000, 6_000] * 2
    apart = result([ms * 4 // 5 for ms in base], base)
    unknown = "the amount is unknown (anything from 4.3 to 61.6 partition-seconds is possible): "
    assert f"; it is sure to cost less, but {unknown}" in sentence(apart, SURE)
    opposed = sentence(result([30_000] * 9 + [10_000], [20_000] * 10), SURE)
    assert "; it is likely to cost more (9 of 10 simulations), but the amount is unknown (anything from 9.0" in opposed
    known = sentence(result([5_000] * 9 + [17_000], [20_000] * 10), SURE)
    assert "; it is sure to cost less; expect 4.5 to 18.7 partition-seconds: " in known


def test_choices_whose_medians_differ_are_never_said_to_be_alike() -> None:
    """7.3 and 12.2 were: by seed their differences had no sure sign."""
    base = [16_000] * 10
    low, high = [7_300] * 6 + [13_000] * 4, [12_200] * 10
    found = [result(base, base, "as recorded"), result(low, base, "a"), result(high, base, "b")]
    assert [each.choice for each in best(found, near(base))] == ["a"]
    said = headline(found, near(base))
    assert said.startswith("Best: assignor=a would have cost about 7.3 instead of 16 partition-seconds. ")
    assert "no difference" not in said


LARGE = st.lists(st.integers(1_000, 200_000), min_size=10, max_size=10)
NEVER_BESIDE = {
    Verdict.NOT_SURE: ("is sure to cost", "is likely to cost", "no difference worth having:"),
    Verdict.NO_DIFFERENCE: ("trust", " sure", "is likely to cost"),
    Verdict.SAME: ("is sure", "would have cost", "no difference"),
}


@given(COSTS, COSTS, st.integers(0, 60_000), st.sampled_from([(), ("m1.0",)]), st.booleans())
def test_the_verdict_and_the_sentence_never_contradict_each_other(
    values: list[int], base: list[int], replayed: int, stopped: tuple[str, ...], same: bool
) -> None:
    trusted = replace(near(base), replayed_ms=replayed, stopped=stopped)
    found = replace(result(values, base), as_recorded=same)
    decided, said = verdict(found, trusted), sentence(found, trusted)
    sure = decided in (Verdict.BETTER, Verdict.WORSE)
    likely = decided in (Verdict.LIKELY_BETTER, Verdict.LIKELY_WORSE)
    assert sure == ("it is sure to cost " in said)
    assert likely == ("it is likely to cost " in said)
    assert (decided is Verdict.NOT_SURE) == ("not sure" in said)
    assert (decided is Verdict.SAME) == same == ("is what the record has" in said)
    assert trusted.low == said.startswith("Low fidelity")
    assert not any(word in said for word in NEVER_BESIDE.get(decided, ()))


@given(COSTS, COSTS)
def test_no_answer_has_a_negative_zero_and_each_is_one_sentence(values: list[int], base: list[int]) -> None:
    found, trusted = result(values, base), near(base)
    said = sentence(found, trusted)
    assert not re.search(r"[−+-]0 %", said)
    assert said.endswith(".")
    assert ". " not in said
    assert "\n" not in said
    assert ("no difference worth having" in said) == (verdict(found, trusted) is Verdict.NO_DIFFERENCE)


@given(COSTS, COSTS)
def test_better_is_never_more_and_worse_never_less(values: list[int], base: list[int]) -> None:
    found = result(values, base)
    decided = verdict(found, near(base))
    assert not decided.helps or found.unavailable_partition_ms.median < found.base.median
    assert decided is not Verdict.WORSE or found.unavailable_partition_ms.median > found.base.median
    assert verdict(result(base, base), near(base)) in (Verdict.NO_DIFFERENCE, Verdict.NOT_SURE)


def test_where_seeds_cost_nothing_as_recorded_no_percentage_is_taken_of_the_others_alone() -> None:
    """It read `+246 %, 0 to +94 % over 6 simulations`."""
    base, values = [0, 0, 300, 300, 8_000, 8_000], [900, 950, 1_000, 1_100, 8_000, 8_000]
    said = sentence(result(values, base), near(base))
    assert "(+250 % over 6 simulations; as recorded, 2 of them cost nothing)" in said
    assert "; it is sure to cost more, but the amount is unknown (anything from 0.8 to 8.8 partition-seconds is" in said
    zero = sentence(result([2_000] * 6, [0] * 6), near([0] * 6))
    assert zero.startswith(
        "assignor=range would have cost 2.0 partition-seconds instead of 0.0 (over 6 simulations; as recorded, 6 of"
        " them cost nothing)"
    )


@given(LARGE, LARGE)
def test_the_change_of_the_medians_lies_between_the_changes_by_seed(values: list[int], base: list[int]) -> None:
    found = result(values, base)
    assert found.changes is not None
    assert found.versus_baseline is not None
    low, high = found.changes
    assert low - 0.002 * (1 + low) <= found.versus_baseline <= high * 1.002 + 0.002
