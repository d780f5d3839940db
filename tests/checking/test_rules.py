"""Each rule speaks where it is sure, and is silent beside that; what follows can be seen in a scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from groupsim.checking.rules import NAMES, RULES, Level, Rule, findings
from groupsim.checking.setup import Setup, read, setups
from groupsim.coordinator.config import BadSetting
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import resolve_settings, run
from groupsim.storage.memory import MemoryStore
from tests.checking.test_kubernetes import manifest

POD = "env: [{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"
SURGE = "replicas: 1\nstrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
PROBE = "startupProbe: {exec: {command: [test, -f, /tmp/ready]}}"
SLEEP = "lifecycle: {preStop: {exec: {command: [sh, -c, sleep 30]}}}"


def said(tmp_path: Path, settings: str = "", deploy: str = "", partitions: int | None = None) -> dict[str, str]:
    """By rule what it says of `settings` (properties, or Spring's where a key begins with `spring.`) and a manifest."""
    paths = []
    for name, text in (("app.properties", settings), ("deploy.yaml", deploy)):
        if text:
            paths.append(tmp_path / name)
            paths[-1].write_text(text)
    return {each.rule.name: each.sentence for each in findings(setups(read(paths), None, partitions))}


@pytest.mark.parametrize(
    ("rule", "settings", "beside"),
    [
        ("heartbeat-not-below-session", "session.timeout.ms=3000", "session.timeout.ms=10000"),
        ("heartbeat-not-below-session", "heartbeat.interval.ms=45000", "heartbeat.interval.ms=5000"),
        (
            "heartbeat-not-below-session",
            "heartbeat.interval.ms=9000\nsession.timeout.ms=9000",
            "heartbeat.interval.ms=${X}\nsession.timeout.ms=9000",
        ),
        (
            "heartbeat-above-a-third",
            "heartbeat.interval.ms=4000\nsession.timeout.ms=10000",
            "heartbeat.interval.ms=15000\nsession.timeout.ms=45000",
        ),
        (
            "session-outside-broker",
            "session.timeout.ms=9000\ngroup.min.session.timeout.ms=10000",
            "session.timeout.ms=10000\ngroup.min.session.timeout.ms=10000",
        ),
        (
            "session-outside-usual-bounds",
            "session.timeout.ms=5000",
            "session.timeout.ms=5000\ngroup.min.session.timeout.ms=5000",
        ),
        (
            "session-outside-usual-bounds",
            "session.timeout.ms=1900000",
            "session.timeout.ms=1800000",
        ),
        (
            "refused-by-protocol",
            "group.protocol=CONSUMER\nsession.timeout.ms=9000",
            "group.protocol=consumer\nmax.poll.interval.ms=9000",
        ),
        (
            "refused-by-protocol",
            "group.remote.assignor=uniform",
            "group.protocol=${P}\nsession.timeout.ms=9000",
        ),
    ],
)
def test_rules_about_settings(rule: str, settings: str, beside: str, tmp_path: Path) -> None:
    assert rule in said(tmp_path, settings)
    assert rule not in said(tmp_path, beside)


@pytest.mark.parametrize(
    ("rule", "found", "beside"),
    [
        (
            "static-name-of-a-random-pod",
            {
                "settings": "spring.kafka.consumer.properties.group.instance.id=a-${POD}",
                "deploy": manifest(container=POD),
            },
            {
                "settings": "spring.kafka.consumer.properties.group.instance.id=a-${POD}",
                "deploy": manifest("StatefulSet", container=POD),
            },
        ),
        (
            "static-name-of-a-random-pod",
            {
                "settings": "spring.kafka.consumer.properties.group.instance.id=${NAME:${HOSTNAME}}",
                "deploy": manifest(),
            },
            {
                "settings": "spring.kafka.consumer.properties.group.instance.id=${NAME:${HOSTNAME}}",
                "deploy": manifest(container="env: [{name: NAME, value: one}]"),
            },
        ),
        (
            "static-name-in-a-variable",
            {"deploy": manifest(container=POD.replace("POD", "KAFKA_GROUP_INSTANCE_ID"))},
            {
                "deploy": manifest(
                    container=POD.replace("POD", "KAFKA_GROUP_INSTANCE_ID").replace(
                        "}}}]", "}}}, {name: APP_VOLATILE_GROUP_INSTANCE_ID, value: 'true'}]"
                    )
                )
            },
        ),
        (
            "one-instance-id-for-all-pods",
            {"settings": "group.instance.id=billing", "deploy": manifest(spec="replicas: 2")},
            {"settings": "group.instance.id=billing", "deploy": manifest(spec="replicas: 1")},
        ),
        (
            "grace-below-poll-interval",
            {"settings": "max.poll.interval.ms=600000", "deploy": manifest()},
            {"settings": "max.poll.interval.ms=300000", "deploy": manifest()},
        ),
        (
            "prestop-uses-up-grace",
            {"settings": "group.id=g", "deploy": manifest(container=SLEEP)},
            {"settings": "group.id=g", "deploy": manifest(container=SLEEP.replace("30", "29"))},
        ),
        (
            "prestop-uses-up-grace",
            {"settings": "group.id=g", "deploy": manifest(container=SLEEP)},
            {"deploy": manifest()},
        ),
        (
            "no-grace",
            {"settings": "group.id=g", "deploy": manifest(pod="terminationGracePeriodSeconds: 0")},
            {"deploy": manifest(pod="terminationGracePeriodSeconds: 0")},
        ),
        (
            "surge-pod-without-partition",
            {"deploy": manifest(spec=SURGE, container=PROBE), "partitions": 1},
            {"deploy": manifest(spec=SURGE, container=PROBE), "partitions": 2},
        ),
        (
            "surge-pod-without-partition",
            {"deploy": manifest(spec=SURGE, container=PROBE), "partitions": 1},
            {"deploy": manifest(spec="replicas: 1\nstrategy: {type: Recreate}", container=PROBE), "partitions": 1},
        ),
        (
            "more-members-than-partitions",
            {
                "settings": "spring.kafka.listener.concurrency=3",
                "deploy": manifest(spec="replicas: 2"),
                "partitions": 5,
            },
            {
                "settings": "spring.kafka.listener.concurrency=3",
                "deploy": manifest(spec="replicas: 2"),
                "partitions": 6,
            },
        ),
    ],
)
def test_rules_about_pods(rule: str, found: Mapping[str, str], beside: Mapping[str, str], tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert rule in said(tmp_path / "a", **found)  # type: ignore[arg-type]
    assert rule not in said(tmp_path / "b", **beside)  # type: ignore[arg-type]


def test_a_sentence_names_values_files_and_what_follows(tmp_path: Path) -> None:
    found = said(tmp_path, "max.poll.interval.ms=600000", manifest())
    assert found["grace-below-poll-interval"] == (
        "Deployment billing: max.poll.interval.ms=600000 (app.properties) lets a batch take 600 s, and a pod is killed"
        " 30 s after SIGTERM: a longer batch is read again, and its partitions wait until the session ends. Raise"
        " terminationGracePeriodSeconds."
    )


def test_usual_settings_and_a_usual_manifest_give_no_alarm(tmp_path: Path) -> None:
    settings = "session.timeout.ms=45000\nheartbeat.interval.ms=3000\nmax.poll.interval.ms=300000\ngroup.id=g"
    assert said(tmp_path, settings, manifest(spec="replicas: 3", container=PROBE), partitions=12) == {}
    assert findings([Setup("settings")]) == []


def test_every_rule_has_a_name_a_sentence_and_a_public_source() -> None:
    assert len(set(NAMES)) == len(RULES) > 10
    for rule in RULES:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", rule.source)
        assert rule.about.endswith(".")
        assert len(rule.about.split()) <= 30
        assert rule.level in Level


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_what_follows_is_seen_in_the_scenario_of_the_rule(rule: Rule) -> None:
    scenario = find(rule.scenario)
    if rule.name in ("heartbeat-not-below-session", "refused-by-protocol"):  # a consumer does not start with these
        with pytest.raises(BadSetting):
            run(scenario, MemoryStore(), settings=rule.shown)
        return
    resolve_settings(scenario, rule.shown)
    result = run(scenario, MemoryStore(), settings=rule.shown, record="facts")
    assert result.ok or "INVALID_SESSION_TIMEOUT" in (result.failure or "")
