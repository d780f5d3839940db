"""The problems by which an advice is measured, and the truth that is kept of them."""

from __future__ import annotations

import statistics

from benchmarks.advice import bare
from benchmarks.advice.problems import COUNT, HERE, drawn_problems, find, listed
from benchmarks.advice.score import brier, is_right, known, reliability, trials, tried
from groupsim.advice.sampling import measure
from groupsim.pipeline.grid import Subject


def test_the_list_is_what_the_seed_draws() -> None:
    problems = listed()
    assert drawn_problems(2) == problems[:2]
    assert [problem.id for problem in problems] == list(range(COUNT))
    assert all(3 <= len(problem.choices()) <= 12 for problem in problems)


def test_a_run_without_a_log_has_the_same_measures() -> None:
    settings = {"protocol": "consumer", "kind": "freeze"}
    found = bare.measure(find("outage"), settings, 3)
    assert found.pop("facts") > 50
    row = measure(Subject(scenario=f"{HERE / 'worlds.py'}::outage"), (settings, 3))
    assert found == {name: row[name] for name in found}


def test_advice_on_some_of_them_is_right_and_sure_of_it() -> None:
    some = known()[::9]
    assert len(some) >= 10
    found = list(trials(some, 3))
    assert statistics.fmean(trial.right for trial in found) >= 0.9
    assert brier(found) <= 0.1
    assert sum(number for _, _, number, _, _ in reliability(found)) == len(found)
    problem, truth = some[0]
    assert tried(problem, truth, 0).rows == tried(problem, truth, 0).rows
    best = tried(problem, truth, 0)
    assert is_right(problem, truth, best) == found[0].right
