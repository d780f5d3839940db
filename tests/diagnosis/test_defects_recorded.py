"""Known defects, recorded on a real Kafka: named with the version that has one, and not with one that has not."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.finding import Finding
from groupsim.diagnosis.known import DEFECTS
from groupsim.incidents.logs.reading import read_files
from recorders.defects.stories import STORIES, Played

RECORDED = Path(__file__).parents[1] / "golden" / "defects"
SHOWN_IN = {
    "KAFKA-8653": ("broker.log", "*.log"),
    "aiokafka#727": ("m2.log", "m?.log", "*.log"),
    "confluent-kafka-dotnet#1369": ("m1.log", "m?.log", "*.log"),
}
"""The files of a recording that show it: some have no line of it."""


def findings(folder: Path, files: str) -> list[Finding]:
    explanation = explain_reading(read_files(sorted(folder.glob(files))))
    assert explanation is not None
    return [finding for group in explanation.groups for finding in group.findings]


@pytest.mark.parametrize(("story", "files"), [(story, files) for story in STORIES for files in SHOWN_IN[story.defect]])
def test_the_version_that_has_a_defect_shows_it(story: Played, files: str) -> None:
    known = {finding.known for finding in findings(RECORDED / story.folder / "broken", files)} - {None}
    assert known == {story.defect}


@pytest.mark.parametrize("files", ["broker.log", "m?.log", "*.log"])
@pytest.mark.parametrize("story", STORIES)
def test_the_version_that_has_it_no_more_does_not(story: Played, files: str) -> None:
    assert not {finding.known for finding in findings(RECORDED / story.folder / "fixed", files)} - {None}


def test_what_says_that_it_was_reproduced_was() -> None:
    assert {id_ for id_, defect in DEFECTS.items() if defect.reproduced} == {story.defect for story in STORIES}
    for story in STORIES:
        assert all((RECORDED / story.folder / kind / "broker.log").exists() for kind in ("broken", "fixed"))


def test_a_broker_that_does_not_wait_stands_before_the_commits_that_it_refuses() -> None:
    codes = [finding.code for finding in findings(RECORDED / "KAFKA-8653" / "broken", "*.log")]
    assert codes[:2] == ["wrong-coordinator-client", "commit-failed"]


@pytest.mark.parametrize("files", ["m2.log", "m?.log", "*.log"])
def test_what_a_defect_does_to_its_members_stands_behind_it(files: str) -> None:
    first, *others = findings(RECORDED / "aiokafka-727" / "broken", files)
    assert (first.code, first.known, first.do[0].brief) == ("commit-failed", "aiokafka#727", "update aiokafka")
    assert {f.after for f in others if f.code in first.leads_to} == {first.code}


def test_a_session_ends_because_its_application_failed() -> None:
    first, second, *_ = findings(RECORDED / "confluent-kafka-dotnet-1369" / "broken", "*.log")
    assert (first.code, second.code, second.after) == ("app-error", "session-expired", "app-error")


def test_no_session_ends_within_seconds_of_a_join() -> None:
    codes = {finding.code for finding in findings(RECORDED / "aiokafka-727" / "broken", "m2.log")}
    assert "session-expired" not in codes
