"""Choices over seeds: how many, and what is not simulated."""

from __future__ import annotations

from groupsim.coordinator.config import BadSetting
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.cost import Cost
from groupsim.replay.player import ReplayedRun
from groupsim.replay.spread import Sampling
from groupsim.replay.verdict import Verdict, verdict
from groupsim.replay.what_if import compare_choices
from tests.replay.test_answer import SURE, costs


def played(choice: Choice, seed: int) -> ReplayedRun:
    return ReplayedRun([], 0, seed if choice is AS_RECORDED else 10_000 * (seed % 2), None)


def measured(run: ReplayedRun) -> Cost:
    return costs([run.to_ms])[0]


def test_seeds_are_added_until_the_medians_are_stable_and_at_most_so_many() -> None:
    calm = compare_choices(played, measured, [], Sampling(first=10, most=40))
    assert len(calm[0].costs) == 10
    wild = compare_choices(played, measured, [Choice(name="other")], Sampling(first=10, most=28))
    assert [len(each.costs) for each in wild] == [28, 28]
    again = compare_choices(played, measured, [Choice(name="other")], range(28))
    assert [each.costs for each in again] == [each.costs for each in wild]
    assert compare_choices(played, measured, [Choice(name="x")], range(3), refused=lambda _: "no")[1].refused == "no"


def test_a_choice_that_is_not_possible_leaves_the_others_their_answers() -> None:
    def replay(choice: Choice, seed: int) -> ReplayedRun:
        if choice.name == "bad":
            raise BadSetting("bad: no member could join")
        return played(choice, seed)

    found = compare_choices(replay, measured, [Choice(name="bad"), Choice(name="x")], Sampling(first=10, most=15))
    assert [len(each.costs) for each in found] == [15, 0, 15]
    assert (found[1].refused, found[1].impossible) == ("bad: no member could join", True)
    assert verdict(found[1], SURE) is Verdict.IMPOSSIBLE
    alone = compare_choices(replay, measured, [Choice(name="bad")], Sampling(first=10, most=40))
    assert [len(each.costs) for each in alone] == [10, 0]


def test_a_choice_that_the_record_has_is_not_simulated() -> None:
    def replay(choice: Choice, seed: int) -> ReplayedRun:
        assert choice is AS_RECORDED
        return played(choice, seed)

    choices = [Choice(name="x")]
    found = compare_choices(replay, measured, choices, range(3), as_recorded=lambda choice: choice.name == "x")[1]
    assert (found.choice, found.as_recorded, found.values) == ("x", True, [0, 1, 2])
