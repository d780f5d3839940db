"""Settings of Kafka's and Spring's files, and YAML of strangers."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from groupsim.checking import properties, spring
from groupsim.checking.errors import BadFile
from groupsim.checking.files import MOST_BYTES
from groupsim.checking.given import Given, as_simulated, resolved
from groupsim.checking.setup import Setup, read, setups
from groupsim.checking.yaml_documents import documents

HERE = Path("deploy.yaml")


def setup_of(tmp_path: Path, **files: str) -> Setup:
    """The one setup of these files; `a_yml` is `a.yml`."""
    paths = []
    for name, text in files.items():
        paths.append(tmp_path / name.replace("__", "-").replace("_", "."))
        paths[-1].write_text(text, "utf-8")
    (found,) = setups(read(paths))
    return found


def test_properties_are_read_as_java_reads_them() -> None:
    text = "# no\n! no\na=1\nb : 2\nc\\:d 3\\\n   4\ne=\\u0041\\tz\nempty=\na=5\n\n  f\\ g=h"
    assert properties.parsed(text) == {"a": "5", "b": "2", "c:d": "34", "e": "A\tz", "empty": "", "f g": "h"}


SPRING = """
spring:
  kafka:
    properties:
      partition.assignment.strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor
      session.timeout.ms: 20000
    consumer:
      heartbeatInterval: 3s
      max-poll-records: ${MPR:100}
      auto-commit-interval: PT1.5S
      properties:
        session.timeout.ms: 10000
        "[max.poll.interval.ms]": ${POLL}
        group: {instance: {id: "${NAME:x}-1"}}
        acks: all
    listener: {concurrency: 3}
---
spring:
  config: {activate: {on-profile: prod}}
  kafka: {consumer: {properties: {session.timeout.ms: 1}}}
"""


def test_springs_properties_become_kafkas_in_any_spelling(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, application_yml=SPRING)
    assert setup.values == {
        "partition.assignment.strategy": "cooperative-sticky",
        "session.timeout.ms": "10000",
        "heartbeat.interval.ms": "3000",
        "max.poll.records": "100",
        "auto.commit.interval.ms": "1500",
        "group.instance.id": "x-1",
        "spring.kafka.listener.concurrency": "3",
    }
    assert "max.poll.interval.ms" in setup.settings
    assert setup.where("session.timeout.ms").startswith("application.yml: spring.kafka.consumer.properties")


def test_application_properties_of_spring_and_properties_of_kafka(tmp_path: Path) -> None:
    springs = setup_of(
        tmp_path, application_properties="spring.kafka.consumer.properties.session.timeout.ms=9000\nserver.port=1"
    )
    kafkas = setup_of(tmp_path, client_properties="session.timeout.ms=9000\nbootstrap.servers=b\n")
    assert springs.values == kafkas.values == {"session.timeout.ms": "9000"}


def test_what_holds_for_one_profile_is_left_out_and_said(tmp_path: Path) -> None:
    (tmp_path / "application.yml").write_text(SPRING)
    assert "profile" in read([tmp_path / "application.yml"]).notes[0]


@pytest.mark.parametrize(
    ("text", "environment", "known"),
    [
        ("${A:${B:x}}", {}, "x"),
        ("${A:${B:x}}", {"B": "b"}, "b"),
        ("${A:x}", {"A": None}, None),
        ("${A}", {}, None),
        ("$(A)-1", {"A": "a"}, "a-1"),
        ("${A}${A}", {"A": "${A}${A}"}, None),
        ("a$b", {}, "a$b"),
    ],
)
def test_placeholders(text: str, environment: dict[str, str | None], known: str | None) -> None:
    assert resolved(Given(text, "", spring=True), environment) == known


def test_outside_of_spring_a_placeholder_has_no_default() -> None:
    assert resolved(Given("${env:HOSTNAME}", ""), {}) is None


def test_values_as_the_simulator_has_them() -> None:
    own = "com.example.MyAssignor,org.apache.kafka.clients.consumer.RangeAssignor"
    assert as_simulated("partition.assignment.strategy", own) == "com.example.MyAssignor,range"
    assert as_simulated("group.protocol", "CONSUMER") == "consumer"
    assert as_simulated("session.timeout.ms", "2m") == "120000"


@pytest.mark.parametrize(
    ("variable", "property_"),
    [
        ("SPRING_KAFKA_CONSUMER_GROUP_ID", "spring.kafka.consumer.groupid"),
        ("SPRING_KAFKA_CONSUMER_MAXPOLLRECORDS", "spring.kafka.consumer.maxpollrecords"),
        (
            "SPRING_KAFKA_CONSUMER_PROPERTIES_SESSION_TIMEOUT_MS",
            "spring.kafka.consumer.properties.session.timeout.ms",
        ),
        ("SPRING_KAFKA_PROPERTIES_SESSION_TIMEOUT_MS", "spring.kafka.properties.session.timeout.ms"),
        ("SPRING_KAFKA_LISTENER_CONCURRENCY", "spring.kafka.listener.concurrency"),
        ("SPRING_DATA_URL", None),
    ],
)
def test_variables_are_springs_properties(variable: str, property_: str | None) -> None:
    assert spring.from_variable(variable) == property_


def test_settings_of_connectors_and_a_programs_own_are_none_of_kafkas(tmp_path: Path) -> None:
    connector = setup_of(tmp_path, c_properties="connector.class=x\nheartbeat.interval.ms=60000")
    own = setup_of(
        tmp_path, o_properties="spring.kafka.consumer.session.timeout.ms=1\nspring.kafka.consumer.max.poll.records=1"
    )
    assert connector.settings == own.settings == {}


def test_yaml_is_texts_lists_and_dicts_with_merges() -> None:
    (found, other) = documents("a: 010\nb: on\nn: ~\nc: &x {k: v}\nd: {<<: *x, z: 1.0}\n---\n- 1\n", HERE)
    assert found == {"a": "010", "b": "on", "n": None, "c": {"k": "v"}, "d": {"k": "v", "z": "1.0"}}
    assert other == ["1"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("replicas: {{ .Values.replicas }}\n", "is a template"),
        ("{{- if .x }}\na: b\n{{- end }}", "is a template"),
        ("a: [", "line 2 is no YAML"),
        ("a: &a [*a]", "alias to what it is part of"),
        ("[" * 1_000, "deeper than 60"),
        ("a: !!python/object:os.system x", "is no YAML"),
        ("? [1]\n: 2\n", "is no YAML"),
        ("a: \x00", "is no YAML"),
    ],
)
def test_what_is_no_yaml_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadFile, match=sentence) as said:
        documents(text, HERE)
    assert str(said.value).startswith("deploy.yaml")
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("inner", ["{{<<: [*a{0}, *a{0}]}}", "[*a{0}, *a{0}]"])
def test_aliases_of_aliases_take_no_time(inner: str) -> None:
    lines = [f"a{n}: &a{n} {inner.format(n - 1)}" for n in range(1, 60)]
    began = time.monotonic()
    with pytest.raises(BadFile, match="more than 100,000 values"):
        documents("\n".join(["a0: &a0 {x: 1}", *lines]), HERE)
    assert time.monotonic() - began < 1


def test_long_keys_in_deep_documents_are_no_settings() -> None:
    deep: object = {"x": "1"}
    for _ in range(50):
        deep = {"k" * 100: deep}
    assert list(spring.flat(deep)) == []


def test_a_file_that_is_too_large_or_no_text_is_refused(tmp_path: Path) -> None:
    large, bytes_ = tmp_path / "large.yml", tmp_path / "bytes.yml"
    large.write_text("a: b\n" * (MOST_BYTES // 5 + 1))
    bytes_.write_bytes(b"\xff\xfe\x00")
    for path, said in ((large, "more than 1,000,000 bytes"), (bytes_, "no text"), (tmp_path, "can't be read")):
        with pytest.raises(BadFile, match=re.escape(said)):
            read([path if path.suffix else path.with_suffix(".yml")])
    with pytest.raises(BadFile, match="ends neither"):
        read([tmp_path / "a.txt"])
