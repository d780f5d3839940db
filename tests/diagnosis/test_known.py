"""Known defects: each is recognised in its example, and in no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.known import DEFECTS
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files
from tests.diagnosis.known_examples import EXAMPLES
from tests.diagnosis.scoring import fragments


@pytest.mark.parametrize("id_", DEFECTS)
def test_a_known_defect_is_named_in_its_example_and_in_no_other(id_: str, tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES[id_], encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    known = {finding.known for group in explanation.groups for finding in group.findings} - {None}
    assert known == {id_}
    said = [line for line in as_text(explanation) if line.startswith("  known defect (possible): ")]
    assert len(said) == 1
    assert f"{id_} in {DEFECTS[id_].library}" in said[0]


def test_a_log_of_which_assignments_were_filtered_out_shows_no_missing_assignment(tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    lines = EXAMPLES["KAFKA-12890"].splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "Assignment received" not in line), encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    assert not [f.known for group in explanation.groups for f in group.findings if f.known]


@pytest.mark.parametrize(
    ("version", "certainty"), [("2.3.0", "likely"), ("5.3.0-ccs", "possible"), ("2.3.1", None), ("2.2.2", None)]
)
def test_a_printed_version_makes_a_defect_likely_or_rules_it_out(
    version: str, certainty: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "example.log"
    printed = f"[2024-03-04 09:59:00,000] INFO Kafka version: {version} (org.apache.kafka.common.utils.AppInfoParser)\n"
    path.write_text(printed + EXAMPLES["KAFKA-8653"], encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    said = [line.strip() for line in as_text(explanation) if "known defect" in line]
    assert [line.split(":")[0] for line in said] == ([] if certainty is None else [f"known defect ({certainty})"])


def test_the_version_of_a_client_says_nothing_of_its_brokers(tmp_path: Path) -> None:
    paths = [tmp_path / "broker.log", tmp_path / "client.log"]
    paths[0].write_text(EXAMPLES["KAFKA-8653"], encoding="utf-8")
    paths[1].write_text(
        "[2024-03-04 09:59:00,000] INFO Kafka version: 3.7.0 (org.apache.kafka.common.utils.AppInfoParser)\n"
        "[2024-03-04 09:59:01,000] INFO [Consumer clientId=web-1, groupId=orders] (Re-)joining group\n",
        encoding="utf-8",
    )
    explanation = explain_reading(read_files(paths))
    assert explanation is not None
    assert any("known defect (possible): KAFKA-8653" in line for line in as_text(explanation))


def test_versions_and_exceptions_alone_are_no_log_of_a_group(tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(
        "[2024-03-04 09:59:00,000] INFO Kafka version: 3.7.0 (org.apache.kafka.common.utils.AppInfoParser)\n"
        "java.lang.NullPointerException: null\n\tat com.example.Orders.find(Orders.java:12)\n",
        encoding="utf-8",
    )
    reading = read_files([path])
    assert reading.counts.recognised == 0
    assert explain_reading(reading) is None


def test_a_rebalance_that_waits_for_its_members_shows_no_defect(tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES["KAFKA-8653"].replace(",401]", ",900]"), encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    assert not [f.known for group in explanation.groups for f in group.findings if f.known]


def test_fragments_of_recorded_and_simulated_logs_show_no_defect(tmp_path: Path) -> None:
    for labelled in fragments(tmp_path, every=4):
        explanation = explain_reading(read_files(labelled.files))
        found = [f.known for group in explanation.groups for f in group.findings if f.known] if explanation else []
        assert not found, labelled.name
