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
from tests.thinned import examples


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
    ("id_", "first"),
    [("librdkafka#4308", "update librdkafka."), ("librdkafka#4792", "handle the error in the application.")],
)
def test_a_library_that_ends_its_process_is_updated_where_an_update_helps(id_: str, first: str, tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES[id_], encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    assert next(iter(as_text(explanation))).endswith(first)


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


_STARTS = '%7|1709546401.000|FETCHSTART|web#consumer-1| [thrd:main]: Group "orders": starting fetchers for 2 assigned '


@pytest.mark.parametrize(
    ("id_", "shows", "shows_not"),
    [
        ("KAFKA-8653", ",401]", ",900]"),
        ("librdkafka#1142", "%7|1709546403", f"{_STARTS}partition(s) in join-state assigned\n%7|1709546403"),
        ("librdkafka#5569", "10:00:05,503", "10:00:05,603"),
        ("kafka-python#1310", "10:00:25", "10:00:25,000 INFO:kafka: (Re-)joining group orders\n2024-03-04 10:00:25"),
        ("kafka-python#1623", "10:20:00", "10:01:00"),
        ("faust-streaming#529", " isolated={0}", ""),
        ("kafka-go#786", "github.com/segmentio/kafka-go.(*Generation).close", "main.run"),
        ("kafkajs#558", "node_modules/kafkajs", "handlers"),
        ("ruby-kafka#767", ":04.100000", ":34.100000"),
        ("kaffe#92", ":05.100", ":35.100"),
    ],
)
def test_without_what_tells_it_from_others_a_defect_is_not_named(
    id_: str, shows: str, shows_not: str, tmp_path: Path
) -> None:
    path = tmp_path / "example.log"
    assert shows in EXAMPLES[id_]
    path.write_text(EXAMPLES[id_].replace(shows, shows_not), encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    assert not [f.known for group in explanation.groups for f in group.findings if f.known]


def test_fragments_of_recorded_and_simulated_logs_show_no_defect(tmp_path: Path) -> None:
    for labelled in fragments(tmp_path, every=examples(16, 1)):
        explanation = explain_reading(read_files(labelled.files))
        found = [f.known for group in explanation.groups for f in group.findings if f.known] if explanation else []
        assert not found, labelled.name
