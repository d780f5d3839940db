"""A report begins with what happened, why, and what to do; what is unknown comes after it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groupsim.analysis.report import report
from groupsim.analysis.runs import Run
from groupsim.api.reporting import assessment
from groupsim.diagnosis.explain import explain_run
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import EXAMPLE, Opened
from tests.analysis.report.test_data import data


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
    assert [first["group"], second["group"]] == ["cooperative", "eager"]
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
