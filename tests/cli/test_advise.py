"""`groupsim advise`, as a user meets it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Call

SMALL = ("rolling_restart", "--set", "members=3", "--set", "partitions=6", "--set", "duration.ms=90000", "--jobs", "1")


def test_the_best_of_four_is_named_with_its_price_and_its_confidence(call: Call) -> None:
    asked = ("advise", *SMALL, "--vary", "assignor=range,cooperative-sticky", "--vary", "static=true,false")
    out = json.loads(call(*asked, "--format", "json").out)
    assert out["best"] == {"assignor": "range", "static": "false"}
    assert out["reached"]
    assert out["runs"] == 20
    assert out["of_runs"] == 200
    low, high = out["runner_up"]["difference"]
    assert 0 < low <= out["runner_up"]["mean_difference"] <= high
    assert out["sensitivity"]["static"] > out["sensitivity"]["assignor"]
    assert out["answer"].startswith("Take assignor=range static=false: ")


def test_a_bound_takes_another_choice_or_none(call: Call) -> None:
    asked = ("advise", *SMALL, "--vary", "static=true,false", "--format", "json", "--subject-to")
    assert json.loads(call(*asked, "rebalances<=2").out)["best"] == {"static": "true"}
    none = json.loads(call(*asked, "rebalances<=0").out)
    assert none["best"] is None
    assert none["answer"].startswith("No choice keeps rebalances <= 0")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--vary", "assignor"), "expected KEY=V1,V2,... or KEY=LOW..HIGH"),
        (("--vary", "assignor=range,range"), "every value once"),
        (("--vary", "session.timeout.ms=9..1"), "the first end must be below the second"),
        (("--vary", "nosuch=1"), "unknown setting 'nosuch'"),
        (("--vary", "members=2,3"), "'members' is given twice, by --vary, --unknown or --set"),
        (("--vary", "static=true", "--minimize", "cost"), "unknown measure 'cost'"),
        (("--vary", "static=true", "--subject-to", "rebalances<2"), "--subject-to must be MEASURE<=VALUE"),
        (("--vary", "static=true", "--indifference", "a bit"), "--indifference must be a share"),
        (("--vary", "static=true,false,", "--budget", "4"), "every value once, none empty"),
        (("--vary", "downtime_ms=10..90", "--budget", "4"), "6 choices need 12 runs at least"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(call: Call, given: tuple[str, ...], sentence: str) -> None:
    result = call("advise", *SMALL, *given)
    assert result.status == 2
    assert sentence in result.err
    assert result.err.count("\n") == 1
