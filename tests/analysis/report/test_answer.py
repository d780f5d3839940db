"""A report begins with what happened, why, and what to do; what is unknown comes after it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from groupsim.analysis.report import report
from groupsim.analysis.report.provenance import folder
from groupsim.analysis.runs import Run
from groupsim.api.reporting import assessment
from groupsim.diagnosis.explain import explain_run
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import EXAMPLE, Opened
from tests.analysis.report.test_data import data
from tests.cli.conftest import Call, call

__all__ = ["call"]


def answered(run: Run) -> str:
    explanation = explain_run(run.state_changing)
    assert explanation is not None
    return explanation.answer


@pytest.fixture(scope="module")
def one_client() -> Run:
    """One client's log of an incident: its total is unknown."""
    store = MemoryStore()
    reading = read_files([EXAMPLE.parent / "max-poll-range" / "m2.0.log.gz"])
    return Run(store, import_run(reading, store, name="m2", topics={}).run)


def test_the_answer_stands_before_the_unknown_total(one_client: Run) -> None:
    text = report([one_client], assessment)
    shown = data(text)["runs"][0]
    assert shown["answer"]["sentence"] == answered(one_client)
    assert shown["answer"]["findings"][0]["title"] == "poll-timeout (shown)"
    assert "max.poll.records" in shown["answer"]["findings"][0]["do"][0]
    assert "is unknown" in shown["lead"][0]
    without_javascript = re.sub(r"<[^>]+>", "", text[text.index("<noscript>") : text.index("</noscript>")])
    assert without_javascript.index(answered(one_client)) < without_javascript.index("is unknown")


def test_what_would_have_helped_comes_from_the_diagnosis_or_does_not_come(one_client: Run, kill9: Run) -> None:
    store = MemoryStore()
    reading = read_files(sorted((EXAMPLE.parent / "max-poll-range").glob("*.log.gz")))
    all_logs = Run(store, import_run(reading, store, name="poll", topics={}).run)
    shown, unknown, killed = data(report([all_logs, one_client, kill9], assessment))["runs"]
    ask = f"groupsim whatif {all_logs.info.id} "
    assert [command for command, _ in shown["next"] if command.startswith(f"{ask}--set")] == [
        f"{ask}--set max.poll.interval.ms=600000"
    ]
    assert not any("incident whatif" in command for command, _ in unknown["next"])
    assert not any("--assignor" in command for command, _ in killed["next"])
    assert not any("--set" in command for command, _ in data(report([kill9]))["runs"][0]["next"])


def test_each_group_has_its_cause_and_a_remedy_is_said_once(slow: Run) -> None:
    answer = data(report([slow], assessment))["runs"][0]["answer"]
    first, second = answer["findings"]
    assert [first["group"], second["group"]] == ["eager", "cooperative"]
    assert first["do"]
    assert not set(first["do"]) & set(second["do"])


@pytest.mark.browser
@pytest.mark.slow
@needs_browser
def test_the_page_begins_with_the_answer(opened: Opened, one_client: Run, tmp_path: Path) -> None:
    page = opened(text=report([one_client], assessment))
    summary = page.inner_text(".summary")
    assert summary.startswith(answered(one_client))
    assert summary.index("poll-timeout (shown)") < summary.index("is unknown")


def test_each_finding_has_the_lines_that_show_it(kill9: Run) -> None:
    for shown in data(report([kill9], assessment))["runs"][0]["answer"]["findings"]:
        assert shown["lines"]
        assert all(
            place.partition(":")[0].endswith(".log.gz") or place.startswith("run:") for place, _ in shown["lines"]
        )
        assert all(text for _, text in shown["lines"])


def test_what_groupsim_checks_of_itself_is_not_said_of_an_incident(kill9: Run, slow: Run) -> None:
    recorded, simulated = data(report([kill9, slow], assessment))["runs"]
    assert recorded["invariants"] == []
    assert len(simulated["invariants"]) > 3


def test_no_folder_of_a_disk_is_in_a_report(tmp_path: Path, call: Call) -> None:
    """It is sent to others."""
    logs, store, page = tmp_path / "logs", str(tmp_path / "s.db"), tmp_path / "page.html"
    (logs / "clients").mkdir(parents=True)
    for log in EXAMPLE.glob("*.log.gz"):
        shutil.copy(log, logs / ("" if log.name.startswith("broker") else "clients") / log.name)
    assert call("import", str(logs), "--store", store).status == 0
    assert call("report", "latest", "--store", store, "-o", str(page)).status == 0
    text = page.read_text("utf-8")
    assert str(tmp_path) not in text
    shown = data(text)["runs"][0]
    names = ["broker.log.gz", "clients/m1.0.log.gz", "clients/m2.0.log.gz", "clients/m3.0.log.gz"]
    assert sorted(file["file"] for file in shown["files"]) == names
    assert shown["repeat"].startswith("groupsim import broker.log.gz clients/m1.0.log.gz ")
    assert shown["repeat_in"] == "logs"
    assert {line[1].rpartition(":")[0] for lines in shown["lines"].values() for line in lines} == set(names)
    assert shown["answer"]["findings"][0]["lines"][0][0] == "broker.log.gz:16"


def test_logs_of_folders_that_share_only_the_root_keep_their_names(kill9: Run) -> None:
    """Else each slash of the report would be left out."""
    logs = {"log.0": "/srv/broker/broker.log", "log.1": "/home/app/m1.log"}
    apart = folder(replace(kill9.info, params=logs))
    assert apart.left_out("/srv/broker/broker.log:3 and a/b") == "/srv/broker/broker.log:3 and a/b"
    together = folder(replace(kill9.info, params={**logs, "log.1": "/srv/app/m1.log"}))
    assert together.left_out("/srv/broker/broker.log:3 and a/b") == "broker/broker.log:3 and a/b"
