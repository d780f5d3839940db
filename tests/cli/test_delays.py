"""`groupsim lag --delays`, and `run.delays()`: how long records waited."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import groupsim
from groupsim.api.errors import BadRequest
from tests.cli.conftest import Call, call

__all__ = ["call"]

KILL9 = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"


def test_without_a_capacity_the_longest_delay_is_the_longest_outage(call: Call) -> None:
    assert call("run", "static_slower_than_session").status == 0
    run = groupsim.load("groupsim.db")
    called = call("lag", "latest", "--delays", "--slo", "1 s", "--format", "json")
    (row,) = called.json
    assert "stopped" not in called.err, "a simulation shows all"
    assert row["longest_ms"] == run.summary()["unavailable"]["after_start"]["longest_partition_ms"] > 0
    assert (row["at_least_longest_ms"], row["at_most_longest_ms"]) == (row["longest_ms"], row["longest_ms"])
    late = sum(max(0, ms - 1_000) for ms in _outages(run))
    assert row["late"] == pytest.approx(10 * late / 1_000, abs=1)


def _outages(run: groupsim.Run) -> list[int]:
    """How long each outage of a partition lasted after start-up (ms), whatever its labels; zombies serve."""
    found: list[list[int]] = []
    before = None
    for i in run.intervals_after_start:
        if not i.unavailable or i.label == "ZOMBIE_ONLY":
            continue
        where = (i.group, i.topic, i.partition)
        if before == where and found[-1][1] == i.from_ms:
            found[-1][1] = i.to_ms
        else:
            found.append([i.from_ms, i.to_ms])
        before = where
    return [to_ms - from_ms for from_ms, to_ms in found]


def test_the_sentence_and_python_say_the_same(call: Call) -> None:
    assert call("import", str(KILL9)).status == 0
    given = ("lag", "latest", "--delays", "--rate", "orders=5", "--capacity", "40", "--slo", "2 s")
    called = call(*given)
    assert called.out.startswith("1 % of the records waited longer than ")
    assert "Later than 2.0 s: " in called.out
    assert "only in bounds" in called.err
    assert "stopped for less than its session" in called.err
    frame = groupsim.load("groupsim.db").delays(rates={"orders": 5}, capacity=40, slo="2 s")
    (row,) = call(*given, "--format", "json").json
    assert {name: value / pd.Timedelta("1 ms") for name, value in frame.iloc[0].items() if f"{name}_ms" in row} == {
        name.removesuffix("_ms"): value for name, value in row.items() if name.endswith("_ms") and value is not None
    } | {"catch_up": pytest.approx(float("nan"), nan_ok=True)}
    assert frame["at_least_p99"][0] < frame["p99"][0] < frame["at_most_p99"][0]


def test_a_part_of_the_run(call: Call) -> None:
    run = groupsim.import_logs(sorted(KILL9.glob("*.log.gz")))
    whole, part = (run.delays(rates={"orders": 5}, between=between) for between in (None, (0, 6_000)))
    assert part["longest"][0] < whole["longest"][0]
    assert isinstance(whole, pd.DataFrame)


def test_what_is_not_known_is_asked_for(call: Call) -> None:
    assert call("import", str(KILL9)).status == 0
    unknown = call("lag", "latest", "--delays")
    assert (unknown.status, unknown.err.count("--rate orders=200")) == (2, 1)
    for wrong in (
        ("--delays", "--rate", "orders=5", "--rate", "other=1"),
        ("--delays", "--rate", "orders=nan"),
        ("--delays", "--rate", "orders=5", "--slo", "soon"),
        ("--delays", "--rate", "orders=5", "--capacity", "nan"),
        ("--delays", "--catch-up", "--rate", "orders=5"),
        ("--capacity", "5"),
    ):
        called = call("lag", "latest", *wrong)
        assert (called.status, called.out, called.err.count("\n")) == (2, "", 1), called.err
    with pytest.raises(BadRequest, match="no rate is known"):
        groupsim.load("groupsim.db").delays()


def test_how_long_a_batch_takes_is_said_for_all_or_by_client(call: Call) -> None:
    assert call("import", str(KILL9), "--name", "kill9").status == 0
    asked = ("lag", "latest", "--delays", "--rate", "orders=5", "--format", "json", "--batch")
    (all_,) = call(*asked, "200 ms").json
    (one,) = call(*asked, "m2=200 ms").json
    assert 200 <= all_["p50_ms"] <= 400
    assert one["p50_ms"] == 0
    run = groupsim.load("groupsim.db")
    frame = run.delays(rates={"orders": 5}, batch={"m1": "1 s", "m3": 200})
    assert frame["p50"].iloc[0] >= pd.Timedelta("200 ms")
    wrong = call(*asked, "m9=200 ms")
    assert wrong.status == 2
    assert "has no member 'm9'; it has m1, m2, m3" in wrong.err
    assert call(*asked, "soon").status == 2
    assert "--batch" in call("lag", "latest", "--batch", "1 s").err
