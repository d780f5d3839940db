"""The answer in one sentence: what it says of drawn costs, and what it never says."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from hypothesis import strategies as st

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.cost import Cost
from groupsim.replay.sentences.all_choices import headline, rests_on
from groupsim.replay.sentences.one_choice import line, sentence
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, verdict

COSTS = st.lists(st.integers(0, 200_000), min_size=10, max_size=10)
SURE = Trust(recorded_ms=20_000, recorded_at_most_ms=20_000, replayed_ms=20_600, matched=1.0)


def costs(values: list[int]) -> tuple[Cost, ...]:
    return tuple(
        Cost(rebalances=1, unavailable_partition_ms=ms, p95_partition_ms=ms, max_partitions=1, unsafe_ms=0)
        for ms in values
    )


def result(values: list[int], base: list[int], choice: str = "range") -> ChoiceResult:
    return ChoiceResult(choice=choice, costs=costs(values), baseline=costs(base), recorded_ms=(20_000, 20_000))


def near(base: list[int]) -> Trust:
    """A record that costs what its replays cost in the median."""
    ms = round(median(base))
    return Trust(recorded_ms=ms, recorded_at_most_ms=ms, replayed_ms=ms, matched=1.0)


def test_a_clear_gain_is_said_with_its_range_and_how_far_to_trust_it() -> None:
    base = [20_000, 21_000, 19_000, 20_500, 19_500, 20_200, 19_800, 20_100, 19_900, 20_000]
    half = [ms // 2 for ms in base]
    assert sentence(result(half, base), SURE) == (
        "assignor=range would have cost 10.0 partition-seconds instead of 20.0 (−50 % over 10 simulations); it is sure"
        " to cost less; expect 8.6 to 11.6 partition-seconds: the replay of the record is 3 % off (20.6 instead"
        " of 20.0 partition-seconds)."
    )
    assert sentence(result([7_000, *half[1:]], base), SURE) == (
        "assignor=range would have cost 10.0 partition-seconds instead of 20.0 (−50 %, −50 to −65 % over 10"
        " simulations); it is sure to cost less; expect 6.3 to 11.6 partition-seconds: the replay of the record is 3 %"
        " off (20.6 instead of 20.0 partition-seconds)."
    )


def test_the_amount_is_the_range_of_the_seeds_widened_by_how_far_the_replay_is_off() -> None:
    far = Trust(recorded_ms=20_000, recorded_at_most_ms=20_000, replayed_ms=24_000, matched=1.0)
    found = result([8_000, 10_000], [20_000] * 2)
    assert SURE.amount([found]) == (7_200, 11_000)
    assert far.amount([found]) == (6_400, 12_000)
    assert sentence(result([17_000] * 10, [20_000] * 10), far).endswith(
        "; trust none of these figures: the replay of the record is 20 % off (24.0 instead of 20.0 partition-seconds)."
    )


def test_a_record_far_from_the_median_of_its_replays_is_named() -> None:
    lucky = replace(SURE, recorded_ms=16_500, recorded_at_most_ms=16_500, replayed_ms=16_500)
    assert "(−50 % over 10 simulations; the record has 16.5, counted alike); it is sure" in sentence(
        result([10_000] * 10, [20_000] * 10), lucky
    )


def test_the_record_has_the_total_of_its_import_and_what_of_it_is_compared_where_that_is_not_typical() -> None:
    half, base = [10_000] * 10, [20_000] * 10
    whole = replace(SURE, imported="21.0")
    assert "over 10 simulations; the record has 21.0); it is sure" in sentence(result(half, base), whole)
    assert "the record has" not in sentence(result(half, base), replace(SURE, imported="20.0"))
    lucky = replace(whole, recorded_ms=16_500, recorded_at_most_ms=16_500, replayed_ms=16_500)
    assert "; the record has 21.0, of which 16.5 are compared); it is sure" in sentence(result(half, base), lucky)
    recorded = [result(base, base, "as recorded")]
    assert headline(recorded, lucky) == (
        "21.0 partition-seconds are recorded; by chance what of it is compared can be 20.0 to 20.0."
    )
    assert rests_on(recorded, lucky)[0] == "the record has 21.0, of which 16.5 are compared"


def test_a_record_that_hardly_any_seed_costs_makes_the_direction_unsure() -> None:
    rare = replace(SURE, recorded_ms=12_000, recorded_at_most_ms=12_000, replayed_ms=12_000)
    found = result([10_000] * 20, [20_000] * 20)
    why = "as recorded, none of 20 simulations costs about as much as was recorded (12.0)"
    said = sentence(found, rare)
    assert said.startswith("Whether assignor=range would have helped is not sure: simulated, it costs")
    assert f"(−50 % over 20 simulations); {why}; the replay of the record is 0 % off." in said
    once = result([10_000] * 20, [12_000] + [20_000] * 19)
    assert "only 1 of 20 simulations costs" in sentence(once, rare)
    often = result([10_000] * 20, [12_000] * 2 + [20_000] * 18)
    assert "it is sure to cost less" in sentence(often, rare)
    alike = result([20_000] * 20, [20_000] * 20)
    assert sentence(alike, rare).endswith(f" (0 % over 20 simulations); {why}; the replay of the record is 0 % off.")


def test_processes_that_were_stopped_make_every_direction_unsure() -> None:
    doubtful = replace(SURE, stopped=("m1.0", "m3.0"))
    half, same = result([10_000] * 10, [20_000] * 10), result([20_000] * 10, [20_000] * 10)
    why = "m1.0, m3.0 were probably stopped for a time, and no log shows when and for how long"
    for found in (half, same):
        assert verdict(found, doubtful) is Verdict.NOT_SURE
        assert sentence(found, doubtful).startswith("Whether assignor=range would have helped is not sure: simulated")
        assert f"; {why}; the replay" in sentence(found, doubtful)
    assert headline([result([1], [1]), same, half], doubtful).startswith(
        f"It is not sure that any of the 2 choices would have helped. {why[0].upper()}{why[1:]}."
    )
    assert line(half, doubtful).startswith("Whether assignor=range would have helped is not sure: simulated, it costs")


def test_an_unknown_record_gives_no_percentage_and_low_fidelity_comes_first() -> None:
    base, half = [20_000] * 10, [10_000] * 10
    unknown = Trust(
        recorded_ms=0, recorded_at_most_ms=0, replayed_ms=1, matched=1.0, unknown="no log names a partition"
    )
    said = sentence(result(half, base), unknown)
    assert "%" not in said
    assert said.endswith("no log names a partition; simulated, it costs 10.0 partition-seconds instead of 20.0.")
    assert "instead" not in sentence(result(half, base), replace(unknown, partitions_known=False))
    both = [result(base, base, "as recorded"), result(half, base, "a"), result(base, base, "b")]
    assert headline(both, unknown) == (
        "Whether one of the 2 choices would have helped is unknown, because the record's total is. Simulated, it costs"
        " 20.0 partition-seconds as recorded, 10.0 with assignor=a, 20.0 with assignor=b."
    )
    assert rests_on(both, unknown) == ["the record's total is unknown: no log names a partition"]
    low = Trust(recorded_ms=20_000, recorded_at_most_ms=20_000, replayed_ms=40_000, matched=1.0)
    assert sentence(result(half, base), low).startswith(
        "Low fidelity: whether assignor=range would have helped is not sure: simulated, it costs 10.0 partition-seconds"
    )
    assert (
        "; trust none of these figures: the replay of the record is 100 % off (40.0 instead of 20.0 partition-seconds)."
        in sentence(result(half, base), low)
    )
    few = Trust(recorded_ms=20_000, recorded_at_most_ms=20_000, replayed_ms=20_000, matched=0.5)
    assert sentence(result(half, base), few).startswith("Low fidelity (only 50 % of the recorded generations")


def test_what_the_logs_leave_open_is_no_error_of_the_replay() -> None:
    assert Trust(recorded_ms=10_000, recorded_at_most_ms=20_000, replayed_ms=15_000, matched=1.0).error == 0
    assert Trust(recorded_ms=10_000, recorded_at_most_ms=20_000, replayed_ms=25_000, matched=1.0).error == 0.25


def test_hardly_anything_is_no_low_fidelity() -> None:
    assert not Trust(recorded_ms=700, recorded_at_most_ms=700, replayed_ms=430, matched=1.0).low
    assert Trust(recorded_ms=1_700, recorded_at_most_ms=1_700, replayed_ms=1_100, matched=1.0).low
    assert Trust(recorded_ms=700, recorded_at_most_ms=700, replayed_ms=430, matched=0.5).warning().startswith("Low fid")


def test_a_choice_that_the_record_has_already_is_not_simulated_and_said_to_be_so() -> None:
    base = [20_000] * 10
    same = replace(result(base, base), as_recorded=True)
    assert sentence(same, SURE) == "assignor=range is what the record has, so it changes nothing."
    worse = result([40_000] * 10, base, "c")
    assert headline([result(base, base), same, worse], SURE).endswith(
        " instead of 20 partition-seconds, with assignor=c."
    )
    low = replace(SURE, replayed_ms=40_000)
    assert sentence(same, low) == (
        "Low fidelity: assignor=range is what the record has, so it changes nothing; the replay of the record is"
        " 100 % off (40.0 instead of 20.0 partition-seconds)."
    )
    unsure = replace(SURE, open_settings={"session.timeout.ms": (3_000, 11_000)})
    assert "session" not in str(rests_on([result(base, base), same], unsure))  # nothing that would become narrower


def test_settings_that_the_logs_do_not_show_are_named_once_with_the_option_that_names_them() -> None:
    base = [20_000] * 10
    unsure = replace(SURE, open_settings={"session.timeout.ms": (3_000, 11_000)})
    results = [result(base, base, "as recorded"), result([10_000] * 10, base, "a"), result([40_000] * 10, base, "b")]
    assert "session" not in headline(results, unsure)
    assert rests_on(results, unsure)[-1] == (
        "the logs do not show session.timeout.ms (drawn from 3000 to 11000): --assume session.timeout.ms=... narrows"
        " the answer"
    )
    assert "session" not in sentence(results[1], unsure)
    assumed = replace(SURE, open_settings={"session.timeout.ms": (6_000, 6_000)})
    assert "session.timeout.ms (6000 is assumed)" in rests_on(results, assumed)[-1]
    narrow = replace(SURE, open_settings={"heartbeat.interval.ms": (980, 1_000)})
    assert "do not show" not in str(rests_on(results, SURE) + rests_on(results, narrow))


def test_lines_below_a_headline_do_not_say_again_how_far_the_replay_is_off() -> None:
    base = [20_000] * 10
    for values in ([10_000] * 10, [20_000] * 10, [40_000] * 9 + [1_000]):
        assert "% off" in sentence(result(values, base), SURE)
        assert "% off" not in line(result(values, base), SURE)
    nothing = line(result([3, 0], [0, 100]), near([0, 100]))
    assert "hardly anything is unavailable in the time that is compared (2 simulations)" in nothing


def test_two_kinds_of_seeds_are_said_and_both_modes_are_in_the_row() -> None:
    values = [1_000, 1_010, 1_020, 1_030, 1_040, 1_050, 9_000, 9_010, 9_020, 9_030]
    found = result(values, [20_000] * 10)
    assert "the simulations are of two kinds, 1.0 in 6 and 9.0 in 4 of 10" in sentence(found, SURE)
    modes = found.row()["modes"]
    assert isinstance(modes, list)
    assert [mode["share"] for mode in modes] == [0.6, 0.4]


def test_an_answer_has_the_record_wherever_the_simulation_as_recorded_costs_something_else() -> None:
    """It read "33.4 instead of 32.6" of a record of about 24.4: only a gain or a loss said what the record has."""
    base = [32_600] * 10
    trusted = replace(SURE, recorded_ms=24_400, recorded_at_most_ms=24_400, recorded_between_ms=(12_000, 44_300))
    record = "the record has about 24.4 (12.0 to 44.3), counted alike"
    same, unsure = result([33_400] * 10, base, "same"), result([20_000] * 5 + [40_000] * 5, base, "unsure")
    assert f"33.4 partition-seconds instead of 32.6 ({record})" in sentence(same, trusted)
    for each in (result([20_000] * 10, base), unsure):
        assert record in sentence(each, trusted)
    recorded = result(base, base, "as recorded")
    assert headline([recorded, same], trusted).endswith(" What was recorded is about 24.4; 33 is its simulation.")
    for others in ([same], [same, replace(same, choice="b")], [same, unsure]):
        assert any(record in said for said in rests_on([recorded, *others], trusted))
    assert "the record has" not in sentence(same, replace(SURE, recorded_ms=31_000, recorded_at_most_ms=33_000))
