"""Deployments, StatefulSets and ScaledObjects of manifests: what decides how members of a group come and go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groupsim.checking.errors import BadFile

DEPLOYMENT, STATEFUL_SET, SCALED_OBJECT = "Deployment", "StatefulSet", "ScaledObject"
AUTOSCALER = "HorizontalPodAutoscaler"
GRACE_S = 30
"""terminationGracePeriodSeconds where a pod says nothing."""
POD_NAME = "metadata.name"
_SLEEP = re.compile(r"(?:^|[\s;&|/'\"])sleep\s+(\d{1,6})(?:\s|$|[;&|'\"])")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a container: its text, or the field of the pod that it comes from; neither: not known."""

    text: str | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a pod. `prestop_s`: how long its preStop hook sleeps; `gated`: a probe decides its readiness."""

    name: str
    environment: Mapping[str, Variable]
    prestop_s: int = 0
    ready_after_s: int | None = None
    gated: bool = False


@dataclass(frozen=True, slots=True)
class Workload:
    """A Deployment or a StatefulSet. `surge` and `unavailable` are pods or percentages; `replicas` None: not said."""

    kind: str
    name: str
    where: str
    replicas: int | None
    strategy: str
    surge: str
    unavailable: str
    pod_management: str
    grace_s: int
    containers: Sequence[Container]
    fixed_host_name: bool = False

    @property
    def label(self) -> str:
        """`Deployment billing`."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Scaler:
    """A ScaledObject of KEDA or a HorizontalPodAutoscaler. `least`: the fewest pods; `kafka`: it follows a group."""

    target: str
    least: int
    kafka: bool


@dataclass(slots=True)
class Manifests:
    """What the documents of some files have."""

    workloads: list[Workload] = field(default_factory=list)
    scalers: list[Scaler] = field(default_factory=list)
    config_maps: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def is_manifest(document: object) -> bool:
    """Whether a document is an object of Kubernetes."""
    return isinstance(document, Mapping) and {"apiVersion", "kind"} <= document.keys()


def objects(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The document itself, or what a List has."""
    if str(document.get("kind")).endswith("List") and isinstance(document.get("items"), list):
        for item in document["items"]:
            if isinstance(item, Mapping):
                yield from objects(item)
    else:
        yield document


def read(found: Sequence[tuple[Mapping[str, Any], str]]) -> Manifests:
    """What these documents, each with the name of its file, have. Raises BadFile."""
    all_objects = [(each, file) for document, file in found for each in objects(document)]
    manifests = Manifests()
    for each, _ in all_objects:
        if each.get("kind") == "ConfigMap":
            manifests.config_maps[_name(each)] = _mapping(each.get("data"))
    for each, file in all_objects:
        if each.get("kind") in (DEPLOYMENT, STATEFUL_SET) and str(each.get("apiVersion")).startswith("apps/"):
            manifests.workloads.append(_workload(each, file, manifests.config_maps))
        if each.get("kind") == SCALED_OBJECT and str(each.get("apiVersion")).startswith("keda"):
            manifests.scalers.append(_scaled_object(each, file))
        if each.get("kind") == AUTOSCALER and str(each.get("apiVersion")).startswith("autoscaling/"):
            manifests.scalers.append(_autoscaler(each, file))
    return manifests


def _workload(found: Mapping[str, Any], file: str, config_maps: Mapping[str, Mapping[str, Any]]) -> Workload:
    kind, name = str(found["kind"]), _name(found)
    where = f"{file}: {kind} {name}"
    spec = _mapping(found.get("spec"))
    pod = _mapping(_mapping(spec.get("template")).get("spec"))
    strategy = _mapping(spec.get("strategy" if kind == DEPLOYMENT else "updateStrategy"))
    rolling = _mapping(strategy.get("rollingUpdate"))
    usual = "25%" if kind == DEPLOYMENT else "1"
    containers = [_container(each, config_maps, where) for each in _list(pod.get("containers"))]
    return Workload(
        kind=kind,
        name=name,
        where=where,
        replicas=_number(spec.get("replicas"), f"{where}: spec.replicas"),
        strategy=str(strategy.get("type") or "RollingUpdate"),
        surge=_amount(rolling.get("maxSurge"), usual if kind == DEPLOYMENT else "0", f"{where}: maxSurge"),
        unavailable=_amount(rolling.get("maxUnavailable"), usual, f"{where}: maxUnavailable"),
        pod_management=str(spec.get("podManagementPolicy") or "OrderedReady"),
        grace_s=_or(
            _number(pod.get("terminationGracePeriodSeconds"), f"{where}: terminationGracePeriodSeconds"), GRACE_S
        ),
        containers=containers,
        fixed_host_name=bool(pod.get("hostname")) or str(pod.get("hostNetwork")).lower() == "true",
    )


def _container(found: Mapping[str, Any], config_maps: Mapping[str, Mapping[str, Any]], where: str) -> Container:
    environment: dict[str, Variable] = {}
    for each in _list(found.get("envFrom")):
        source = _mapping(each.get("configMapRef"))
        for key, value in config_maps.get(str(source.get("name")), {}).items():
            environment[f"{each.get('prefix') or ''}{key}"] = Variable(None if value is None else str(value))
    for each in _list(found.get("env")):
        environment[str(each.get("name"))] = _variable(each, config_maps)
    ready, start = _mapping(found.get("readinessProbe")), _mapping(found.get("startupProbe"))
    delay = _number(ready.get("initialDelaySeconds"), f"{where}: initialDelaySeconds") if ready else None
    return Container(
        name=str(found.get("name")),
        environment=environment,
        prestop_s=_sleep(_mapping(_mapping(found.get("lifecycle")).get("preStop")), where),
        ready_after_s=delay,
        gated=bool(ready or start),
    )


def _variable(found: Mapping[str, Any], config_maps: Mapping[str, Mapping[str, Any]]) -> Variable:
    if "valueFrom" not in found:
        value = found.get("value")
        return Variable("" if value is None else str(value))
    source = _mapping(found["valueFrom"])
    if path := _mapping(source.get("fieldRef")).get("fieldPath"):
        return Variable(field=str(path))
    key = _mapping(source.get("configMapKeyRef"))
    value = config_maps.get(str(key.get("name")), {}).get(str(key.get("key")))
    return Variable(None if value is None else str(value))


def _sleep(hook: Mapping[str, Any], where: str) -> int:
    """Seconds that a preStop hook surely sleeps."""
    if "sleep" in hook:
        return _or(_number(_mapping(hook["sleep"]).get("seconds"), f"{where}: preStop.sleep.seconds"), 0)
    command = _mapping(hook.get("exec")).get("command")
    if not isinstance(command, list):
        return 0
    said = " ".join(str(each) for each in command)
    unsure = re.search(r"\b(if|while|for|until|case)\b|(\|\||&&)\s*sleep|sleep\s+\d+\s*&(?!&)", said)
    return 0 if unsure else sum(int(each) for each in _SLEEP.findall(said))


def _scaled_object(found: Mapping[str, Any], file: str) -> Scaler:
    spec = _mapping(found.get("spec"))
    least = _number(spec.get("minReplicaCount"), f"{file}: {SCALED_OBJECT} {_name(found)}: minReplicaCount")
    target = _mapping(spec.get("scaleTargetRef"))
    kafka = any("kafka" in str(each.get("type")) for each in _list(spec.get("triggers")))
    return Scaler(str(target.get("name") or target.get("deploymentName")), _or(least, 0), kafka)


def _autoscaler(found: Mapping[str, Any], file: str) -> Scaler:
    spec = _mapping(found.get("spec"))
    least = _number(spec.get("minReplicas"), f"{file}: {AUTOSCALER} {_name(found)}: minReplicas")
    return Scaler(str(_mapping(spec.get("scaleTargetRef")).get("name")), _or(least, 1), kafka=False)


def _name(found: Mapping[str, Any]) -> str:
    return str(_mapping(found.get("metadata")).get("name") or "without a name")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _or(number: int | None, otherwise: int) -> int:
    return otherwise if number is None else number


def _number(value: object, where: str) -> int | None:
    if value is None:
        return None
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadFile(f"{where} must be a whole number, not {text[:40]!r}")
    return int(text)


def _amount(value: object, usual: str, where: str) -> str:
    """Pods or a percentage."""
    text = usual if value is None else str(value)
    digits = text.removesuffix("%")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise BadFile(f"{where} must be a number of pods or a percentage such as 25%, not {text[:40]!r}")
    return text
