"""Clear pairs that the phase of the heartbeat decides, not the choice."""

from __future__ import annotations

import pytest

from groupsim.conformance.predictions.results import Answer, AskedRun, Evidence, Setting
from groupsim.conformance.predictions.score import Pair, figures, pairs
from recorders.page.predictions_misses import decided_by_phase, phase_of, phases, wrong_signs
from recorders.page.predictions_page import STORED
from recorders.page.scored import Scored, stored

FOUR = {"S__a__d0__r1": 1_200, "S__a__d0-p250__r1": 4_000, "S__a__d0-p500__r1": 4_100, "S__a__d0-p750__r1": 4_200}
ONE = {"S__b__d0__r1": 900, "S__b__d0__r2": 950}
FAR = {"S__b__d0__r1": 100, "S__b__d0__r2": 150}


def scored(given: dict[str, int], asked: dict[str, int], predicted: int) -> Scored:
    setting = Setting(
        folder="f",
        evidence=Evidence.LOGS,
        seeds=(0, 1),
        date="",
        version="",
        truths={"S d0": {"a": given, "b": asked}},
    )
    answer = Answer(choice="b", ms=(predicted,))
    run = AskedRun(
        run=next(iter(given)),
        story="S",
        family="S d0",
        choice="a",
        baseline=Answer(choice="a", ms=(3_000,)),
        answers=(answer,),
    )
    return Scored(setting, [run], pairs(setting, [run]))


def pair(found: Scored) -> Pair:
    return found.pairs[0]


@pytest.mark.parametrize(
    ("name", "ms"), [("S03__range__d0-p250__r1", 250), ("S03__range__d0__r1", 0), ("W__x__d1-f02-p500__r2", 500)]
)
def test_the_phase_is_in_the_name_of_a_run(name: str, ms: int) -> None:
    assert phase_of(name) == ms


def test_a_pair_that_is_clear_at_other_phases_only_is_decided_by_the_phase() -> None:
    assert phases(FOUR) == (0, 250, 500, 750)
    found = scored(FOUR, ONE, 3_000)
    assert pair(found).clear
    assert decided_by_phase(found.setting, pair(found))
    assert not decided_by_phase(scored(FOUR, FAR, 3_000).setting, pair(scored(FOUR, FAR, 3_000)))  # clear at 0, too
    same = scored(FOUR, dict(zip(FOUR, (10, 20, 30, 40), strict=True)), 3_000)
    assert pair(same).clear
    assert not decided_by_phase(same.setting, pair(same))


def test_wrong_signs_are_counted_by_answer_and_by_phase() -> None:
    assert wrong_signs(scored(FOUR, FAR, 1_000)) == "Of 1 clear pairs 0 have the wrong sign."
    assert wrong_signs(scored(FOUR, FAR, 9_000)) == "Of 1 clear pairs 1 have the wrong sign."
    assert wrong_signs(scored(FOUR, FAR, 3_010)).endswith(
        "For 1 of these the answer is *no difference worth having*, not the opposite."
    )
    assert "1 clear pairs are decided by the phase" in wrong_signs(scored(FOUR, ONE, 3_010))


def test_the_first_look_at_the_families_put_aside_stays_as_it_was_scored() -> None:
    (first,) = [each for each in stored(STORED) if each.first]
    assert (first.setting.folder, first.setting.version) == ("put-aside", "0.1.0, commit a035439")
    line = "pairs 112  sign-right 100 %  median error 14 %  p90 58 %  inside 73 %"
    assert figures(first.pairs).line() == line
