"""Runs side by side, and which parameter of a sweep matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from groupsim import analysis
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.tables.comparison import as_rows, p95
from tests.analysis.stories import cooperative, crash, eager
from tests.analysis.test_runs import opened


def compared(frame: pd.DataFrame, measure: str, of: str | None = None) -> list[int | None]:
    """The values of one row."""
    rows = frame[(frame["measure"] == measure) & (frame["of"].isna() if of is None else frame["of"] == of)]
    (row,) = rows.astype(object).to_dict("records")
    return [None if pd.isna(value) else value for key, value in row.items() if key not in ("measure", "of", "unit")]


def test_two_runs_stand_side_by_side_with_their_differences() -> None:
    one, other = opened(eager()), opened(crash())
    frame = analysis.compare(before=one, after=other)
    assert list(frame) == ["measure", "of", "unit", "before", "after", "after - before"]
    for measure, key in (("unavailable", "after_start_ms"), ("start-up", "starting_ms")):
        a, b = (run.summary()["unavailable"][key] for run in (one, other))
        assert compared(frame, measure) == [a, b, b - a]
    for measure, key in (("outage", "outage_ms"), ("longest outage", "longest_partition_ms")):
        a, b = (run.summary()["unavailable"]["after_start"][key] for run in (one, other))
        assert compared(frame, measure) == [a, b, b - a] != [0, 0, 0]
    assert compared(frame, "by label", "OWNER_DEAD") == [0, 300, 300]
    assert compared(frame, "by configuration", "session.timeout.ms") == [0, 300, 300]
    assert compared(frame, "rebalances") == [2, 2, 0]
    assert compared(frame, "moved") == [1, 1, 0]


def test_the_parts_of_each_breakdown_add_up_to_the_whole_in_every_column() -> None:
    frame = analysis.compare(opened(eager()), opened(cooperative()), opened(crash()))
    whole = [compared(frame, "unavailable")[i] for i in range(3)]
    for measure in ("by label", "by phase", "by configuration", "by member", "by cause"):
        parts = frame[frame["measure"] == measure]
        assert [int(parts[name].sum()) for name in "abc"] == whole


def test_a_run_compared_with_itself_differs_in_nothing() -> None:
    run = opened(cooperative())
    assert (analysis.compare(run, run)["b - a"] == 0).all()


def test_a_comparison_for_json_has_null_where_a_log_tells_nothing() -> None:
    rows = as_rows(analysis.compare(opened(eager()), opened(crash())), ["a", "b"])
    assert rows[1]["measure"] == "unavailable"
    assert rows[1]["of"] is None
    assert set(rows[1]["values"]) == {"a", "b"}
    assert set(rows[1]["differences"]) == {"b"}


def test_one_run_is_no_comparison_and_a_taken_name_is_refused() -> None:
    run = opened(eager())
    with pytest.raises(AnalysisError, match="two runs or more, not 1"):
        analysis.compare(run)
    with pytest.raises(AnalysisError, match="'a'"):
        analysis.compare(run, a=run)
    with pytest.raises(AnalysisError, match="'unit'"):
        analysis.compare(b=run, unit=run)


@pytest.mark.parametrize(("values", "expected"), [([], 0), ([5], 5), (list(range(1, 101)), 95), ([1] * 19 + [9], 1)])
def test_p95_is_the_smallest_value_that_95_percent_do_not_exceed(values: list[int], expected: int) -> None:
    assert p95(values) == expected


def sweep(*, failed: int | None = None) -> list[dict[str, Any]]:
    """Assignor costs 400 at most, the session timeout 100; the seed as much as it likes."""
    cost = {"range": 400, "sticky": 0, "10000": 0, "45000": 100}
    rows: list[dict[str, Any]] = [
        {"assignor": a, "session": s, "seed": seed, "partition_ms": 1_000 + cost[a] + cost[s] + 7 * seed * seed}
        for a in ("range", "sticky")
        for s in ("10000", "45000")
        for seed in range(5)
    ]
    if failed is not None:
        rows[failed]["partition_ms"] = None
    return rows


def test_the_parameter_that_matters_comes_first_and_seeds_fall_out() -> None:
    found = analysis.sensitivity(pd.DataFrame(sweep()))
    assert found[["parameter", "value", "effect", "swing"]].to_numpy().tolist() == [
        ["assignor", "sticky", -200.0, 400.0],
        ["assignor", "range", 200.0, 400.0],
        ["session", "10000", -50.0, 100.0],
        ["session", "45000", 50.0, 100.0],
    ]
    assert found["low"].tolist() == found["effect"].tolist() == found["high"].tolist()
    assert found.groupby("parameter")["explains"].first().sum() < 1


def test_a_failed_run_takes_only_its_own_comparisons_with_it() -> None:
    found = analysis.sensitivity(pd.DataFrame(sweep(failed=3)))
    assert found["effect"].tolist() == [-200.0, 200.0, -50.0, 50.0]
    assert found["runs"].tolist() == [10, 9, 9, 10]


def test_the_folder_of_a_sweep_is_read(tmp_path: Path) -> None:
    frame = pd.DataFrame(sweep())
    frame["params"] = pd.Series([[("assignor", name)] for name in frame.pop("assignor")])
    (tmp_path / "summary").mkdir()
    frame.drop(columns="session").to_parquet(tmp_path / "summary" / "x.parquet")
    found = analysis.sensitivity(tmp_path)
    assert found["value"].tolist() == ["sticky", "range"]
    assert found["swing"].tolist() == [400.0, 400.0]


def test_what_cannot_be_answered_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame(sweep())
    with pytest.raises(AnalysisError, match="no column 'asignor'; it has assignor, session"):
        analysis.sensitivity(frame, parameters=["asignor"])
    with pytest.raises(AnalysisError, match="nothing to compare"):
        analysis.sensitivity(frame[frame["assignor"] == "range"], parameters=["assignor"])
    with pytest.raises(AnalysisError, match="holds no sweep"):
        analysis.sensitivity(tmp_path)
