"""`groupsim advise`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.analysis.report.test_data import data
from tests.cli.conftest import Call

SMALL = ("rolling_restart", "--set", "members=3", "--set", "partitions=6", "--set", "duration.ms=90000", "--jobs", "1")


def test_the_best_of_four_is_named_with_its_price_and_its_confidence(call: Call) -> None:
    asked = ("advise", *SMALL, "--vary", "assignor=range,cooperative-sticky", "--vary", "static=true,false")
    out = json.loads(call(*asked, "--format", "json").out)
    assert out["best"] == {"assignor": "range", "static": "false"}
    assert out["reached"]
    assert out["runs"] == 24
    assert out["of_runs"] == 200
    low, high = out["runner_up"]["difference"]
    assert 0 < low <= out["runner_up"]["mean_difference"] <= high
    assert out["sensitivity"]["static"] > out["sensitivity"]["assignor"]
    assert out["answer"].startswith("Take assignor=range and static=false: ")


def test_a_bound_takes_another_choice_or_none(call: Call) -> None:
    asked = ("advise", *SMALL, "--vary", "static=true,false", "--format", "json", "--subject-to")
    assert json.loads(call(*asked, "rebalances<=2").out)["best"] == {"static": "true"}
    none = json.loads(call(*asked, "rebalances<=0").out)
    assert none["best"] is None
    assert none["answer"].startswith("No choice keeps rebalances <= 0. ")
    assert [each["keeps"] for each in none["choices"]] == [False, False]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--vary", "assignor"), "expected KEY=V1,V2,... or KEY=LOW..HIGH"),
        (("--vary", "assignor=range,range"), "every value once"),
        (("--vary", "session.timeout.ms=9..1"), "the first end must be below the second"),
        (("--vary", "nosuch=1"), "unknown setting 'nosuch'"),
        (
            ("--vary", "host=quiet,busy"),
            "host is no choice that anybody has: --set host=... plays all choices with one",
        ),
        (("--vary", "members=2,3"), "'members' is given twice, by --vary, --unknown or --set"),
        (("--vary", "static=true", "--minimize", "cost"), "unknown measure 'cost'"),
        (("--vary", "static=true", "--subject-to", "rebalances<2"), "--subject-to must be MEASURE<=VALUE"),
        (("--vary", "static=true", "--indifference", "a bit"), "--indifference must be a share"),
        (("--vary", "static=true,false,", "--budget", "4"), "every value once, none empty"),
        (("--vary", "downtime_ms=10..90", "--budget", "4"), "a search needs 48 runs at least"),
        (("--vary", "downtime_ms=10,90,91", "--budget", "4"), "3 choices need 6 runs at least"),
        (("--vary", "static=true", "--resume"), "--resume needs --to DIR"),
        (("--vary", "static=true", "--master", "nowhere"), "is not a Spark master"),
        (
            ("--vary", "static=true", "--minimize", "lag_peak", "--set", "load.rate=0"),
            "lag_peak is not known: no topic has a rate",
        ),
    ],
)
def test_what_makes_no_sense_is_one_sentence(call: Call, given: tuple[str, ...], sentence: str) -> None:
    result = call("advise", *SMALL, *given)
    assert result.status == 2
    assert sentence in result.err
    assert result.err.count("\n") == 1


KILL9 = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"


@pytest.fixture
def imported(call: Call) -> Call:
    """kill9-range in the store."""
    assert call("incident", "import", *map(str, sorted(KILL9.glob("*.log.gz"))), "--name", "kill9").status == 0
    return call


def test_an_incident_has_the_same_answer_and_says_what_it_rests_on(imported: Call) -> None:
    asked = ("advise", "kill9", "--vary", "session.timeout.ms=6000,12000", "--vary", "assignor=range,sticky")
    out = imported(*asked, "--format", "json").json
    assert out["best"] == {"session.timeout.ms": "6000", "assignor": "range"}
    assert " with the present settings " in out["answer"]
    assert out["assumed"]
    assert out["before"].keys() == out["measures"].keys()
    again = imported(*asked)
    assert again.out.startswith(out["answer"])
    assert "Assumptions, because the recording does not show it:" in again.out
    assert imported("report", "kill9", "-o", "r.html").status == 0
    kept = data(Path("r.html").read_text("utf-8"))["runs"][0]["advices"]
    assert [each["answer"] for each in kept] == [out["answer"]]  # the same question replaces its answer


def test_several_measures_have_choices_that_none_beats(imported: Call) -> None:
    asked = ("advise", "kill9", "--vary", "session.timeout.ms=6000,12000", "--format", "json", "--minimize")
    out = imported(*asked, "partition_ms", "--minimize", "detection_ms").json
    assert out["best"] is None
    assert [each["session.timeout.ms"] for each in out["front"]] == ["6000"]
    assert out["answer"].startswith("One choice is beaten by no other of 2 in partition_ms and detection_ms")
    out = imported(*asked, "longest_partition_ms", "--subject-to", "outage_ms<=20000").json
    assert out["best"] == {"session.timeout.ms": "6000"}
    assert " s (longest_partition_ms); with the present settings " in out["answer"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("rolling_restar", "--vary", "a=1"), "is neither a scenario; near names: rolling_restart"),
        (
            ("kill9", "--vary", "restart.ms=5,6"),
            "can answer none of 2 choices; restart.ms=5: no member comes",
        ),
        (("kill9", "--vary", "nosuch=1"), "unknown setting"),
        (("kill9", "--vary", "static=true", "--set", "members=3"), "--set is for scenarios"),
        (("kill9", "--vary", "static=true", "--minimize", "commits_refused"), "of an incident there are partition_ms"),
    ],
)
def test_what_an_incident_cannot_answer_is_one_sentence(imported: Call, given: tuple[str, ...], sentence: str) -> None:
    result = imported("advise", *given)
    assert result.status == 2
    assert sentence in result.err
    assert result.err.count("\n") == 1


def test_without_settings_the_answer_is_an_example_that_works_for_this_very_run(imported: Call) -> None:
    result = imported("advise", "kill9")
    assert result.status == 2
    assert result.err.count("\n") == 1
    _, example = result.err.strip().split("for example: groupsim ")
    assert example.startswith("advise kill9 --vary assignor=range,cooperative-sticky --vary heartbeat.interval.ms=")
    assert "session.timeout.ms=3000,6000,12000" in example  # somebody was killed
    assert "session.timeout.ms=3000 needs group.min.session.timeout.ms=3000 or less on the brokers" in result.err
    assert "static=" not in example  # nobody came back
    out = imported(*example.split(), "--budget", "24", "--format", "json")
    assert out.status in (0, 1)
    assert not out.json["refused"]


def test_a_scenario_without_settings_has_an_example_too(call: Call) -> None:
    result = call("advise", "rolling_restart")
    assert result.status == 2
    assert "for example: groupsim advise rolling_restart --vary " in result.err


def test_a_range_is_searched_for_an_incident_too(imported: Call) -> None:
    asked = ("advise", "kill9", "--vary", "heartbeat.interval.ms=300..1900", "--vary", "assignor=range,sticky")
    known = ("--assume", "session.timeout.ms=6000")  # else it looks for flips along it, with most of its runs
    out = imported(*asked, *known, "--budget", "64", "--format", "json").json
    assert out["searched"]["tried"] > 8
    assert out["runs"] + out["searched"]["runs"] <= 64
    assert "A search tried " in " ".join(out["rests_on"])
    assert all(300 <= int(each["heartbeat.interval.ms"]) <= 1900 for each in out["choices"])


def test_the_doubts_of_a_what_if_are_in_the_advice(imported: Call) -> None:
    asked = ("--vary", "session.timeout.ms=6000,12000", "--assume", "heartbeat.interval.ms=1000")
    advised = imported("advise", "kill9", *asked, "--format", "json").json
    row, *_ = imported("incident", "whatif", "kill9", "--set", "session.timeout.ms=12000", "--format", "json").json
    assert f"he replay of the record is {row['fidelity']['error']:.0%}".replace("%", " %") in str(advised["rests_on"])
    trust = advised["trust"]
    assert trust["verdict"] in ("better", "likely better", "worse", "likely worse", "not sure", "same as recorded")
    assert advised["given"] == ["heartbeat.interval.ms=1000"]
    assert (trust["not_in_the_logs"][1:] in str(advised["rests_on"])) or not trust["not_in_the_logs"]


def test_a_topic_may_have_as_many_partitions_as_elsewhere(imported: Call) -> None:
    asked = ("advise", "kill9", "--vary", "static=true,false", "--topic", "orders=200000")
    assert "--most-partitions" in imported(*asked).err


def test_a_simulated_run_names_the_scenario_to_ask_about(call: Call) -> None:
    assert call("run", "one_departure", "--set", "members=3").status == 0
    result = call("advise", "latest", "--vary", "static=true")
    assert result.status == 2
    assert "groupsim advise one_departure --set members=3" in result.err


def test_an_advice_has_pictures(imported: Call) -> None:
    assert "has no advice yet" in imported("plot", "pareto", "kill9").err
    asked = (
        "advise",
        "kill9",
        "--vary",
        "session.timeout.ms=6000,12000",
        "--unknown",
        "heartbeat.interval.ms=900..1500",
    )
    assert imported(*asked).status == 0
    for name in ("a.png", "a.html"):
        assert imported("plot", "pareto", "kill9", "-o", name).status == 0
        assert imported("plot", "flips", "kill9", "-o", name).status == 0
    assert "session.timeout.ms=6000" in Path("a.html").read_text("utf-8")


def test_an_advice_that_is_continued_repeats_no_run_and_says_the_same(call: Call, tmp_path: Path) -> None:
    kept = ("advise", *SMALL, "--vary", "static=true,false", "--to", str(tmp_path / "kept"))
    first = call(*kept)
    assert first.out.startswith("Keep static=false, as it is: ")
    results = {file: file.stat().st_mtime_ns for file in (tmp_path / "kept" / "results").iterdir()}
    assert call(*kept).err.count("has an advice; --resume continues it") == 1
    again = call(*kept, "--resume")
    assert again.out == first.out
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "kept" / "results").iterdir()} == results
    other = call("advise", "one_departure", "--vary", "members=2,3", "--to", str(tmp_path / "kept"), "--resume")
    assert (other.status, "is an advice on rolling_restart, not on one_departure" in other.err) == (2, True)


def test_a_range_is_searched_and_the_answer_says_so(call: Call) -> None:
    asked = ("advise", *SMALL, "--vary", "downtime_ms=1000..9000", "--budget", "64", "--format", "json")
    out = json.loads(call(*asked).out)
    assert int(out["best"]["downtime_ms"]) < 4_000
    assert out["searched"]["tried"] <= 10
    assert "one that it did not try may be better" in str(out["rests_on"])


def test_outages_after_start_up_are_measures_of_a_scenario(call: Call) -> None:
    """A restart of one member after the other; the start of the group lasts longer than any of them."""
    asked = ("advise", *SMALL, "--vary", "downtime_ms=1000,9000", "--format", "json", "--minimize")
    for measure in ("after_start_outage_ms", "after_start_longest_partition_ms"):
        out = json.loads(call(*asked, measure).out)
        assert out["best"]["downtime_ms"] == "1000"
        assert not [name for name in out["price"] if name.startswith("after_start_") or name in measure]


def test_where_every_seed_gives_the_same_that_is_said(call: Call) -> None:
    asked = ("advise", *SMALL, "--vary", "static=true,false", "--minimize")
    assert "the seed changes nothing here: all 6 seeds give the same" in call(*asked, "rebalances").err
