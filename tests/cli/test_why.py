"""groupsim blame and compare."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Call

SMALL = ("--set", "members=3", "--set", "partitions=6", "--set", "duration.ms=90000")


@pytest.fixture
def two_runs(call: Call) -> list[str]:
    """A rolling restart with two assignors."""
    for assignor in ("range", "cooperative-sticky"):
        assert call("run", "rolling_restart", "--set", f"assignor={assignor}", *SMALL).status == 0
    return [row["run"] for row in call("runs", "--format", "json").json]


def _after_start(call: Call, run: str) -> int:
    rows = call("unavailable", run, "--by", "label", "--format", "json").json
    return sum(row["partition_ms"] for row in rows)


def test_blame_adds_up_whatever_it_is_summed_up_by(call: Call, two_runs: list[str]) -> None:
    whole = sum(row["duration_ms"] for row in call("unavailable", two_runs[0], "--format", "json").json)
    after_start = _after_start(call, two_runs[0])
    for by in ("phase", "configuration", "member", "cause", "label,rebalance", "phase,configuration,member", "chain"):
        rows = call("blame", two_runs[0], "--by", by, "--format", "json").json
        assert sum(row["partition_ms"] for row in rows) == after_start < whole
        assert list(rows[0])[: len(by.split(","))] == by.split(",")
    pieces = call("blame", two_runs[0], "--by", "piece", "--format", "json").json
    assert sum(row["duration_ms"] for row in pieces) == whole
    assert all(row["chain"].endswith(row["phase"]) for row in pieces)


def test_a_table_of_blame_has_the_largest_parts_and_says_what_it_leaves_out(call: Call, two_runs: list[str]) -> None:
    rows = call("blame", two_runs[0], "--format", "json").json
    assert len(rows) > 16
    shown = call("blame", two_runs[0])
    assert (
        " depends on heartbeat.interval.ms (a smaller value makes it shorter); the group waited longest for "
        in shown.out.splitlines()[0]
    )
    assert len(shown.out.splitlines()) == 2 + 15
    assert f"{len(rows) - 15} smaller parts are not shown" in shown.err


def test_blame_of_a_stretch_is_what_unavailable_says_of_it(call: Call, two_runs: list[str]) -> None:
    stretch = ("--between", "10000", "40000")
    cut = call("unavailable", two_runs[0], *stretch, "--format", "json").json
    blamed = call("blame", two_runs[0], "--by", "phase", *stretch, "--format", "json").json
    assert sum(row["partition_ms"] for row in blamed) == sum(row["duration_ms"] for row in cut)


def test_paths_are_the_critical_steps_with_what_they_cost(call: Call, two_runs: list[str]) -> None:
    steps = call("blame", two_runs[0], "--paths", "--format", "json").json
    assert {row["critical"] for row in steps} == {True}
    assert steps[0]["step"] == "delay"
    shown = call("blame", two_runs[0], "--paths")
    assert (shown.status, "saved_ms" in shown.out) == (0, True)


def test_a_blame_that_cannot_be_is_refused_with_what_can(call: Call, two_runs: list[str]) -> None:
    wrong = call("blame", "latest", "--by", "colour")
    assert (wrong.status, "not 'colour'" in wrong.err, "configuration" in wrong.err) == (2, True, True)
    assert call("blame", "latest", "--by", "piece,member").status == 2
    assert "; `groupsim blame` groups by it" in call("unavailable", "latest", "--by", "member").err
    assert "did you mean latest?" in call("unavailable", "lates").err
    assert "did you mean rolling_restart?" in call("unavailable", "rolling_restat").err
    assert call("blame", "latest", "--between", "5", "5").status == 2


def test_compare_has_each_run_by_its_id_and_the_difference_to_the_first(call: Call, two_runs: list[str]) -> None:
    compared = call("compare", *two_runs, "--format", "json").json
    assert [run["run"] for run in compared["runs"]] == two_runs
    (whole,) = [row for row in compared["rows"] if row["measure"] == "unavailable"]
    first, second = (whole["values"][run] for run in two_runs)
    assert whole["differences"] == {two_runs[1]: second - first}
    assert [first, second] == [_after_start(call, run) for run in two_runs]


def test_compare_for_people_names_the_runs_and_leaves_out_what_is_nothing(call: Call, two_runs: list[str]) -> None:
    shown = call("compare", *two_runs)
    assert shown.status == 0
    assert "assignor=cooperative-sticky" in shown.out
    assert "b - a" in shown.out
    assert "PAUSED_APP" not in shown.out
    assert "by member" not in shown.out
    assert "by member" in call("compare", *two_runs, "--by", "member").out
    assert "by label" not in call("compare", *two_runs, "--by", "none").out


def test_compare_says_so_where_nothing_differs(call: Call, two_runs: list[str]) -> None:
    assert "do not differ" not in call("compare", *two_runs).err
    assert call("run", "rolling_restart", "--set", "assignor=range", *SMALL).status == 0
    assert "a and b do not differ in the rows shown" in call("compare", two_runs[0], "latest").err


def test_compare_takes_two_different_runs(call: Call, two_runs: list[str]) -> None:
    same = call("compare", two_runs[0], two_runs[0])
    assert (same.status, "2 to 8 different runs, not 1" in same.err) == (2, True)
    assert call("compare", *two_runs, "--format", "csv").status == 2
    assert call("compare", *two_runs, "--by", "colour").status == 2
    assert call("compare", "zzz", two_runs[0]).status == 2
