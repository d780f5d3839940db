"""What of a setup a scenario can be given: Kafka's settings, and the parameters that say how pods come and go."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from groupsim.assignors import ASSIGNORS
from groupsim.checking.errors import BadFile
from groupsim.checking.given import BROKER_NAMES, CONCURRENCY, INSTANCE_ID, Given
from groupsim.checking.kubernetes import STATEFUL_SET
from groupsim.checking.pod_rules import KILL_AFTER_PRESTOP_S
from groupsim.checking.setup import Setup
from groupsim.coordinator.config import BOUNDS as BROKER_BOUNDS
from groupsim.coordinator.config import BadSetting, Configs, checked, names
from groupsim.simulation.clients.config import BOUNDS, ConsumerConfig

ON_DELETE = "OnDelete"
_CONSUMER = names(ConsumerConfig())


@dataclass(slots=True)
class Simulated:
    """Settings and parameters for a run, and a sentence on each that could not be taken."""

    settings: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def simulated(setup: Setup, parameters: Collection[str]) -> Simulated:
    """What a scenario with these parameters takes from a setup. Raises BadFile for a value that Kafka would refuse."""
    found = Simulated()
    for name, given in setup.settings.items():
        if name in (*_CONSUMER, *BROKER_NAMES):
            _take(found, setup, name, given)
    for name, text in _pods(setup, found.notes):
        if name in parameters:
            found.settings[name] = text
    return found


def _take(found: Simulated, setup: Setup, name: str, given: Given) -> None:
    text = setup.values.get(name)
    if text is None:
        found.notes.append(f"not simulated: {name}, whose value is not known ({given.where})")
        return
    default = _default(name)
    try:
        checked(name, text, default, BOUNDS if name in _CONSUMER else BROKER_BOUNDS)
    except BadSetting as wrong:
        if isinstance(default, int):
            raise BadFile(f"{given.where}: {wrong}") from None
        found.notes.append(f"not simulated: {wrong} ({given.where})")
        return
    unknown = [each for each in text.split(",") if not _is_assignor(each)]
    if name == "partition.assignment.strategy" and unknown:
        found.notes.append(f"not simulated: the assignor {unknown[0]} ({given.where})")
        return
    found.settings[name] = text


def _default(name: str) -> object:
    configs = Configs()
    parts = (ConsumerConfig(), configs.coordinator, configs.classic, configs.consumer)
    return next(getattr(part, name.replace(".", "_")) for part in parts if name in names(part))


def _is_assignor(name: str) -> bool:
    return name in ASSIGNORS and ASSIGNORS[name].side == "client"


def _pods(setup: Setup, notes: list[str]) -> Iterator[tuple[str, str]]:
    """The parameters of `deployment_rolls` that a workload sets."""
    if setup.partitions is not None:
        yield "partitions", str(setup.partitions)
    pods, container = setup.workload, setup.container
    if pods is None:
        return
    yield "kind", pods.kind
    yield "replicas", str(setup.pods or 1)
    recreate = pods.strategy == "Recreate"
    yield "max_surge", "0" if recreate else pods.surge
    yield "max_unavailable", "100%" if recreate else pods.unavailable
    if pods.kind == STATEFUL_SET:
        yield "pod_management", pods.pod_management
    if pods.strategy == ON_DELETE:
        notes.append(f"{pods.where}: its strategy is OnDelete; simulated as if all pods were deleted in turn")
    prestop = container.prestop_s if container is not None else 0
    yield "grace_ms", str(1_000 * max(pods.grace_s - prestop, min(KILL_AFTER_PRESTOP_S, pods.grace_s)))
    if container is not None and container.ready_after_s is not None:
        yield "ready_after_ms", str(1_000 * container.ready_after_s)
    if INSTANCE_ID in setup.settings and (pods.kind == STATEFUL_SET or setup.random_part(INSTANCE_ID) is not None):
        yield "static", "true"
    elif INSTANCE_ID in setup.settings:
        notes.append(f"not simulated: group.instance.id ({setup.where(INSTANCE_ID)})")
    if setup.values.get(CONCURRENCY, "1") != "1":
        notes.append(f"not simulated: {CONCURRENCY} ({setup.where(CONCURRENCY)}); each pod is one member")
