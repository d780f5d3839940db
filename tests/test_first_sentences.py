"""The first sentence of every answer keeps the rules of CONTRIBUTING.md: at most 30 words and three figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import groupsim
from groupsim.advice.choices import in_words
from groupsim.api.in_python import in_python
from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.finding import Diagnosis
from groupsim.incidents.logs.reading import read_files
from groupsim.pipeline.sweep_report import Report
from groupsim.wording.first_sentence import FIGURES, WORDS, first_sentence, size
from groupsim.wording.lists import capital
from tests.analysis.report.test_data import data
from tests.cli.conftest import Call, call
from tests.diagnosis.known_examples import EXAMPLES as DEFECTS
from tests.diagnosis.scoring import fragments, strangers
from tests.thinned import examples, some

__all__ = ["call"]
ROOT = Path(__file__).parents[1]
INCIDENTS = sorted(path.parent for path in (ROOT / "examples").glob("*/*/broker.log.gz"))
QUICK = (
    "assignor_slower_than_session",
    "commit_before_revoke",
    "consumer_slow_callback",
    "everybody_too_slow",
    "initial_delay",
    "one_departure",
    "pending_id",
    "poll_expiry_meets_join",
    "static_meets_max_size",
    "zombie_member",
)
CHOICES = (
    ("--assignor", "cooperative-sticky"),
    ("--set", "heartbeat.interval.ms=300", "--set", "membership=static", "--assignor", "range"),
    (),
)


def held(text: str, names: Iterable[str] = ()) -> None:
    sentence = first_sentence(text)
    assert size(sentence, names).fits, (size(sentence, names), sentence)
    assert sentence.endswith("."), sentence


def names_of(groups: Iterable[Diagnosis]) -> list[str]:
    found = [each.group for each in groups if each.group]
    return [*found, *(name for each in groups for finding in each.findings for name in finding.members)]


def test_the_rules_name_the_numbers() -> None:
    rules = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## ")
    (page,) = [part for part in rules if part.startswith("The first sentence of an answer")]
    assert f"at most {WORDS} words" in page
    assert FIGURES == 3
    assert "three figures" in page
    assert len(page.splitlines()) <= 40


@pytest.mark.parametrize("scenario", QUICK)
def test_of_a_simulated_run(call: Call, scenario: str) -> None:
    printed = call("run", scenario).out.splitlines()
    run = groupsim.load("groupsim.db")
    assert printed[0] == run.answer
    held(run.answer, names_of(run.explanation.groups))
    assert f"unavailable  {run.headline}" in printed
    held(f"{run.headline}.")
    _of_its_tables(call, run, [f"{process}" for process in run.members()["member"].dropna()])


def _of_its_tables(call: Call, run: groupsim.Run, names: list[str]) -> None:
    """What `blame`, `unavailable` and the report begin with."""
    blamed, unavailable = (call(command, "latest").out.splitlines()[0] for command in ("blame", "unavailable"))
    held(blamed, names)
    held(call("rebalances", "latest").out.splitlines()[0], names)
    for option in ((), ("--catch-up",)):
        lag = call("lag", "latest", "--every", "60000", *option)
        if "has no commits" not in lag.err:
            held(lag.out.splitlines()[0], names)
    assert unavailable.replace(" were unavailable", "").replace(" was unavailable", "") == f"{capital(run.headline)}."
    held(unavailable)
    call("report", "latest", "-o", "page.html")
    shown = data(Path("page.html").read_text("utf-8"))["runs"][0]
    assert shown["answer"]["sentence"] == run.answer
    for sentence in shown["lead"]:
        held(sentence, names)


@pytest.mark.parametrize("folder", INCIDENTS, ids=lambda path: path.name)
def test_of_a_recorded_run(call: Call, folder: Path) -> None:
    logs = [*map(str, sorted(folder.glob("*.log.gz")))]
    printed = call("import", *logs, "--name", "recorded").out.splitlines()
    run = groupsim.import_logs(logs, name="recorded")
    assert printed[0] == run.answer
    held(run.answer, names_of(run.explanation.groups))
    assert f"unavailable  {run.headline}" in printed
    held(f"{run.headline}.")
    _of_its_tables(call, groupsim.load("groupsim.db"), [])


@pytest.mark.slow
@pytest.mark.parametrize("folder", some(INCIDENTS, 2), ids=lambda path: path.name)
def test_of_a_what_if(call: Call, folder: Path) -> None:
    call("import", *map(str, sorted(folder.glob("*.log.gz"))))
    for choice in CHOICES:
        rows = call("whatif", "latest", *choice, "--seeds", "0:6", "--format", "json")
        if rows.status == 2:  # no group of this kind can have it
            continue
        for row in rows.json:
            held(rows.json[0]["answer"], [row["choice"]])
            assert rows.json[0]["rests_on"]


@pytest.mark.slow
@pytest.mark.parametrize("varied", ["heartbeat.interval.ms=300,900", "session.timeout.ms=6000,30000"])
def test_of_an_advice(call: Call, varied: str) -> None:
    for name in ("rolling-restart-cooperative", "kill9-range"):
        logs = (ROOT / "examples" / "incidents" / name).glob("*.log.gz")
        call("import", *map(str, sorted(logs)), "--name", name)
        found = call("advise", name, "--vary", varied, "--budget", "12", "--jobs", "1", "--format", "json").json
        held(found["answer"], map(in_words, ({varied.split("=")[0]: v} for v in varied.split("=")[1].split(","))))


def test_of_an_advice_on_a_scenario_which_leaves_out_start_up() -> None:
    small = {"members": 3, "partitions": 6, "duration.ms": 200_000}
    found = groupsim.advise("rolling_restart", vary={"static": [True, False]}, settings=small, budget=12, jobs=1)
    held(found.answer, map(in_words, found.found.choices))
    assert found.found.goal.minimise == "after_start_ms"
    assert found.to_dict()["answer"] == found.answer


def test_of_a_comparison(call: Call) -> None:
    for scenario in ("one_departure", "zombie_member", "initial_delay"):
        call("run", scenario)
    ids = [row["run"] for row in call("runs", "--format", "json").json]
    for several in (ids[:2], ids):
        answer = call("compare", *several, "--format", "json").json["answer"]
        held(answer)
        assert "one_departure" in answer  # it names the runs
        assert call("compare", *several).out.startswith(answer)


@pytest.mark.parametrize("good", [1, 2, 7])
def test_of_a_sweep(good: int) -> None:
    rows: list[dict[str, Any]] = [
        {"choice": f"assignor=range static=true members={n}", "median": 608_064.0 + n, "as_good": n < good}
        for n in range(8)
    ]
    found = Report("rolling_restart", "after_start_ms", 80, 0, 0, rows, [])
    held(found.answer)
    assert found.answer.startswith("Best: assignor=range static=true members=0")


def test_of_logs_that_people_paste(tmp_path: Path) -> None:
    pasted = [each.files for each in fragments(tmp_path, every=examples(10, 1))]
    for name, text in DEFECTS.items():
        (tmp_path / f"{name}.log").write_text(text, "utf-8")
        pasted.append([tmp_path / f"{name}.log"])
    for files in [*pasted, *(each.files for each in strangers())]:
        explanation = explain_reading(read_files(files))
        assert explanation is not None
        held(explanation.answer, names_of(explanation.groups))


def test_the_api_says_what_the_commands_say(call: Call) -> None:
    logs = [*map(str, (ROOT / "examples" / "incidents" / "max-poll-range").glob("*.log.gz"))]
    call("import", *logs)
    run = groupsim.load("groupsim.db")
    said = run.what_if(assignor="cooperative-sticky", seeds=range(6))
    printed = call("whatif", "latest", "--assignor", "cooperative-sticky", "--seeds", "0:6", "--format", "json").out
    assert json.loads(printed)[0]["answer"] == said.answer
    assert list(map(in_python, json.loads(printed)[0]["rests_on"])) == list(said.rests_on)
