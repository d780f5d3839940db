"""An answer whose seeds do not show that what it takes costs less begins with that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from groupsim.advice.advice import Advice, Record
from groupsim.advice.selection import Goal, select
from groupsim.advice.sentences import answer, rests_on, unsure
from groupsim.advice.trust import Reliance
from groupsim.replay.rests_on import Basis

NOW = 20_000.0


def taken(moved: Sequence[float], *, recorded: bool = True, **reliance: str) -> Advice:
    """A choice that costs so much more than the settings as they are, seed by seed."""
    rows = [[{"partition_ms": NOW + ms} for ms in moved], [{"partition_ms": 40_000.0 + ms} for ms in moved]]
    goal = Goal(confidence=0.5, budget=2 * len(moved))
    found = select(lambda asked: [rows[i][seed] for i, seed in asked], 2, goal, len(moved))
    given = {"warning": "", "off": "the replay of the record is 1 % off", **reliance}
    record = Record(reliance=Reliance(**given, only_moves=False), basis=Basis((), (), (), ()), needs=[[], []])
    advice = Advice([{"assignor": "a"}, {"assignor": "b"}], goal, found, [{"partition_ms": NOW}] * len(moved))
    return replace(advice, record=record if recorded else None)


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        (
            [-40_000.0, -30_000.0, 900.0, 800.0, 700.0, 900.0, 500.0],
            "It is not sure that it helps: it cost less in 2 of 7 simulations and more in 5; on average it saved",
        ),
        (
            [-9_000.0] * 6 + [3_000.0] * 5,
            "It is not sure that it helps: it cost less in 6 of 11 simulations and more in 5; on average it saved 3.5",
        ),
        (
            [-9_000.0, -9_500.0, -9_100.0, -9_200.0, -9_050.0],
            "It is not sure that it helps each time: there are only 5 simulations; on average it saved 8.9 to 9.4",
        ),
    ],
)
def test_what_the_seeds_do_not_show_is_said_first(moved: Sequence[float], said: str) -> None:
    found = taken(moved, how_far="said twice", verdict="not sure")
    first, sentence = answer(found).split(". ", 1)
    assert first.startswith("Perhaps take assignor=a: ")
    assert sentence.startswith(said)
    assert "said twice" not in str([sentence, *rests_on(found)])


def test_a_direction_that_the_seeds_show_is_not_doubted() -> None:
    assert unsure(taken([-9_000.0 + 10 * n for n in range(6)])) == ""
    assert unsure(taken([-9_000.0] * 9 + [500.0])) == ""
    assert unsure(taken([100.0, 200.0, 300.0, 400.0, 500.0, 600.0])) == ""  # nothing is taken: it is no gain


def test_what_changes_less_than_the_replay_is_off_is_not_sure() -> None:
    sentence = answer(taken([-9_000.0 + 10 * n for n in range(6)], verdict="not sure", how_far="trust neither"))
    assert sentence.startswith("Perhaps take assignor=a: ")
    assert "It is not sure that it helps: it changes no more than the replay is off. " in sentence


def test_of_a_scenario_a_mean_that_is_surely_less_is_enough() -> None:
    moved = [-9_000.0 - 10 * n for n in range(16)] + [100.0] * 9
    assert unsure(taken(moved, recorded=False)) == ""
    assert unsure(taken(moved)).startswith(
        "It does not help each time: it cost more in 9 of 25 simulations, but on average it saved 3.9 to 7.6"
    )
    assert unsure(taken([-9_000.0] * 6 + [8_000.0] * 5, recorded=False)).endswith("which may be chance")


def test_a_warning_is_said_of_what_is_kept_too() -> None:
    kept = taken([100.0, 200.0, 300.0, 400.0, 500.0, 600.0], warning="Low fidelity")
    assert kept.keeps
    first, second, *_ = answer(kept).split(". ")
    assert first.startswith("Perhaps keep ")
    assert second == "Low fidelity"


def test_of_a_scenario_it_is_said_that_the_host_may_decide() -> None:
    moved = [-9_000.0 + 10 * n for n in range(6)]
    found = taken(moved, recorded=False)
    assert "On another host, or in a group that is hours old, another choice may be the best: " in str(rests_on(found))
    assert "On another host" not in str(rests_on(taken(moved)))
