"""What manifests say of the pods that are members of a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.checking.errors import BadFile
from groupsim.checking.setup import Setup, read, setups
from groupsim.checking.simulated import simulated
from groupsim.scenarios.catalogue import find

PARAMETERS = find("deployment_rolls").params


def manifest(
    kind: str = "Deployment", spec: str = "", pod: str = "", container: str = "", name: str = "billing"
) -> str:
    """A workload; the parts are lines of YAML in flow style."""
    return (
        f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n"
        + "".join(f"  {line}\n" for line in spec.splitlines())
        + "  template:\n    spec:\n"
        + "".join(f"      {line}\n" for line in pod.splitlines())
        + "      containers:\n        - name: app\n"
        + "".join(f"          {line}\n" for line in container.splitlines())
    )


def setups_of(tmp_path: Path, text: str, workload: str | None = None) -> list[Setup]:
    (tmp_path / "deploy.yaml").write_text(text)
    return setups(read([tmp_path / "deploy.yaml"]), workload)


def parameters(tmp_path: Path, text: str) -> dict[str, str]:
    (found,) = setups_of(tmp_path, text)
    return simulated(found, PARAMETERS).settings


def test_a_deployment_has_kubernetes_defaults(tmp_path: Path) -> None:
    assert parameters(tmp_path, manifest()) == {
        "kind": "Deployment",
        "replicas": "1",
        "max_surge": "25%",
        "max_unavailable": "25%",
        "grace_ms": "30000",
    }


def test_what_a_deployment_says_is_simulated(tmp_path: Path) -> None:
    spec = "replicas: 3\nstrategy: {rollingUpdate: {maxSurge: 50%, maxUnavailable: 0}}"
    container = (
        'lifecycle: {preStop: {exec: {command: [sh, -c, "curl x; sleep 10"]}}}\n'
        "readinessProbe: {initialDelaySeconds: 5}\n"
        "env: [{name: KAFKA_SESSION_TIMEOUT_MS, value: '9000'}, {name: HTTP_SESSION_TIMEOUT_MS, value: '1'}]"
    )
    found = parameters(tmp_path, manifest(spec=spec, pod="terminationGracePeriodSeconds: 60", container=container))
    assert found == {
        "session.timeout.ms": "9000",
        "kind": "Deployment",
        "replicas": "3",
        "max_surge": "50%",
        "max_unavailable": "0",
        "grace_ms": "50000",
        "ready_after_ms": "5000",
    }


def test_a_stateful_set_and_the_strategy_recreate(tmp_path: Path) -> None:
    env = "env: [{name: KAFKA_GROUP_INSTANCE_ID, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"
    numbered = parameters(tmp_path, manifest("StatefulSet", "podManagementPolicy: Parallel", container=env))
    assert numbered["pod_management"] == "Parallel"
    assert (numbered["max_unavailable"], numbered["static"]) == ("1", "true")
    again = parameters(tmp_path, manifest(spec="strategy: {type: Recreate}"))
    assert (again["max_surge"], again["max_unavailable"]) == ("0", "100%")


def test_variables_come_from_config_maps_of_the_same_files(tmp_path: Path) -> None:
    maps = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n"
        "data: {KAFKA_CONSUMER_SESSION_TIMEOUT_MS: '9000', poll: '8000'}\n---\n"
    )
    container = (
        "envFrom: [{configMapRef: {name: m}}]\n"
        "env: [{name: SPRING_KAFKA_CONSUMER_PROPERTIES_MAX_POLL_INTERVAL_MS,"
        " valueFrom: {configMapKeyRef: {name: m, key: poll}}},"
        " {name: KAFKA_MAX_POLL_RECORDS, valueFrom: {secretKeyRef: {name: s, key: k}}}]"
    )
    (found,) = setups_of(tmp_path, maps + manifest(container=container))
    assert found.values == {"session.timeout.ms": "9000", "max.poll.interval.ms": "8000"}
    assert "max.poll.records" in found.settings


def test_a_broker_is_no_consumer(tmp_path: Path) -> None:
    env = "env: [{name: KAFKA_NODE_ID, value: '1'}, {name: KAFKA_REQUEST_TIMEOUT_MS, value: '5'}]"
    (found,) = setups_of(tmp_path, manifest("StatefulSet", container=env))
    assert found.settings == {}


@pytest.mark.parametrize(
    "scaler",
    [
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: s}\n"
        "spec: {scaleTargetRef: {name: billing}, minReplicaCount: 2, triggers: [{type: kafka}]}",
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: s}\n"
        "spec: {scaleTargetRef: {name: billing}, minReplicas: 2, maxReplicas: 9}",
    ],
)
def test_what_scales_the_pods_says_how_many_there_surely_are(scaler: str, tmp_path: Path) -> None:
    assert parameters(tmp_path, f"{manifest(spec='replicas: 7')}---\n{scaler}")["replicas"] == "2"


def test_a_list_and_several_workloads(tmp_path: Path) -> None:
    env = "env: [{name: KAFKA_SESSION_TIMEOUT_MS, value: '9000'}]"
    one, other = manifest(container=env), manifest(name="web")
    indented = "".join(f"  {'- ' if i == 0 else '  '}{line}\n" for i, line in enumerate(one.splitlines()))
    text = f"apiVersion: v1\nkind: List\nitems:\n{indented}---\n{other}"
    assert [each.name for each in setups_of(tmp_path, text)] == ["Deployment billing"]  # the other one has no Kafka
    assert [each.name for each in setups_of(tmp_path, text, "web")] == ["Deployment web"]
    with pytest.raises(BadFile, match="'biling'; near names: billing"):
        setups_of(tmp_path, text, "biling")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("replicas: three", "deploy.yaml: Deployment billing: spec.replicas must be a whole number, not 'three'"),
        ("strategy: {rollingUpdate: {maxSurge: some}}", "maxSurge must be a number of pods or a percentage"),
    ],
)
def test_a_value_that_can_not_be_names_file_and_field(spec: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=sentence):
        setups_of(tmp_path, manifest(spec=spec))


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        ("sleep 10", 10),
        ("curl x || true\\nsleep 10", 10),
        ("sleep 5; sleep 6", 11),
        ("test -f x && sleep 10", 0),
        ("if x; then sleep 10; fi", 0),
        ("sleep 10 & wait", 0),
        ("sleep 10m", 0),
    ],
)
def test_a_hook_sleeps_only_where_it_surely_does(command: str, seconds: int, tmp_path: Path) -> None:
    hook = f'lifecycle: {{preStop: {{exec: {{command: [sh, -c, "{command}"]}}}}}}'
    (found,) = setups_of(tmp_path, manifest(container=hook))
    assert found.container is not None
    assert found.container.prestop_s == seconds


def test_one_instance_id_in_one_pod_of_a_deployment_is_not_simulated_as_new_names(tmp_path: Path) -> None:
    env = "env: [{name: SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID, value: billing}]"
    (found,) = setups_of(tmp_path, manifest(container=env))
    taken = simulated(found, PARAMETERS)
    assert "static" not in taken.settings
    where = "deploy.yaml: Deployment billing: env SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID"
    assert taken.notes == [f"not simulated: group.instance.id ({where})"]


def test_odd_shapes_are_no_traceback(tmp_path: Path) -> None:
    for text in ("apiVersion: apps/v1\nkind: Deployment\n", "apiVersion: apps/v1\nkind: Deployment\nspec: [1]\n"):
        assert setups_of(tmp_path, text)[0].workload is not None
    (nothing,) = setups_of(tmp_path, "apiVersion: v1\nkind: List\nitems: 3\n")
    assert (nothing.settings, nothing.workload) == ({}, None)
