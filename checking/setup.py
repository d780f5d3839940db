"""One group as files describe it: settings of its consumers, and the pods that they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from groupsim.checking import kubernetes, properties, spring
from groupsim.checking.errors import BadFile
from groupsim.checking.files import text_of
from groupsim.checking.given import BROKER_NAMES, CONSUMER_NAMES, Given, as_simulated, resolved
from groupsim.checking.kubernetes import POD_NAME, Container, Manifests, Scaler, Variable, Workload
from groupsim.checking.yaml_documents import documents
from groupsim.coordinator.config import near

MOST_FILES, LONGEST_NAME = 50, 253
_VARIABLE = re.compile(r"(?:MP_MESSAGING_INCOMING_[A-Z0-9]+_|KAFKA_CONSUMER_|CONSUMER_|KAFKA_)([A-Z_]+)")
_BROKERS_OWN = re.compile(r"KAFKA_(CFG_.*|BROKER_ID|NODE_ID|(ADVERTISED_)?LISTENERS|ZOOKEEPER_CONNECT|PROCESS_ROLES)")
_RANDOM_FIELDS = (POD_NAME, "metadata.uid", "status.podIP")


@dataclass(frozen=True, slots=True)
class Setup:
    """What is known of one group. `settings` by Kafka's names; `values`: what of them is known, as text."""

    name: str
    settings: Mapping[str, Given] = field(default_factory=dict)
    workload: Workload | None = None
    container: Container | None = None
    scaler: Scaler | None = None
    partitions: int | None = None

    @property
    def values(self) -> dict[str, str]:
        """By name the settings whose values are known, as the simulator has them."""
        known = {name: resolved(given, self.environment) for name, given in self.settings.items()}
        return {name: as_simulated(name, text) for name, text in known.items() if text is not None}

    @property
    def environment(self) -> dict[str, str | None]:
        """The variables of the consumer's container; None: it has one whose value is not known."""
        if self.container is None:
            return {}
        return {"HOSTNAME": None} | {name: each.text for name, each in self.container.environment.items()}

    def ms(self, name: str) -> int | None:
        """A time that is given and known."""
        text = self.values.get(name, "")
        return int(text) if text.isascii() and text.isdigit() else None

    def where(self, name: str) -> str:
        """Where a setting stands: `application.yml: spring.kafka.…`; the file alone where it has Kafka's own name."""
        return self.settings[name].where.removesuffix(f": {name}")

    def as_given(self, name: str) -> str:
        """`session.timeout.ms=10000 (application.yml: spring.kafka.…)`, of a value that is known."""
        return f"{name}={self.values[name]} ({self.where(name)})"

    def random_part(self, name: str) -> str | None:
        """What in a setting is another text in every new pod of a Deployment; None if nothing is."""
        if self.workload is None or self.container is None or name not in self.settings:
            return None
        parts = {} if self.workload.fixed_host_name else {"HOSTNAME": "HOSTNAME (the pod's name)"}
        known: dict[str, str | None] = {"HOSTNAME": "?"}
        for variable, each in self.container.environment.items():
            parts.pop(variable, None)
            known[variable] = "?" if each.text is None else each.text
            if each.field in _RANDOM_FIELDS:
                parts[variable] = f"{variable} (the pod's {each.field})"
        text = resolved(self.settings[name], known | {part: f"\0{part}\0" for part in parts}) or ""
        return next((said for part, said in parts.items() if f"\0{part}\0" in text), None)

    @property
    def pods(self) -> int | None:
        """The pods that there surely are: where something scales them, the fewest; None: not known."""
        if self.workload is None:
            return None
        if self.scaler is not None:
            return max(self.scaler.least, 1)
        return self.workload.replicas


@dataclass(frozen=True, slots=True)
class Read:
    """What some files have, before it is clear which pods are meant."""

    settings: Mapping[str, Given]
    manifests: Manifests
    files: Sequence[str]
    notes: Sequence[str] = ()


def read(paths: Sequence[Path]) -> Read:
    """Settings and manifests of these files; a later file wins. Raises BadFile."""
    if len(paths) > MOST_FILES:
        raise BadFile(f"at most {MOST_FILES} files can be given, not {len(paths)}")
    settings: dict[str, Given] = {}
    found: list[tuple[Mapping[str, Any], str]] = []
    notes: list[str] = []
    for path in paths:
        if path.suffix.lower() == ".properties":
            settings |= _from_properties(properties.parsed(text_of(path)), path.name)
        elif path.suffix.lower() in (".yml", ".yaml", ".json"):
            for document in documents(text_of(path), path):
                if kubernetes.is_manifest(document):
                    found.append((document, path.name))
                else:
                    settings |= _from_yaml(document, path.name, notes)
        else:
            raise BadFile(f"{path} ends neither in .properties nor in .yml, .yaml or .json")
    return Read(settings, kubernetes.read(found), [str(path) for path in paths], notes)


def _from_properties(flat: Mapping[str, str], file: str) -> dict[str, Given]:
    if spring.is_spring(flat):
        return spring.settings(flat, file)
    if "connector.class" in flat:  # Connect's: Debezium has a heartbeat.interval.ms of its own
        return {}
    known = (*CONSUMER_NAMES, *BROKER_NAMES)
    return {name: Given(text, f"{file}: {name}") for name, text in flat.items() if name in known}


def _from_yaml(document: object, file: str, notes: list[str]) -> dict[str, Given]:
    flat = dict(spring.flat(document))
    if not spring.is_spring(flat):
        return _from_properties(flat, file)
    if spring.for_a_profile(flat):
        notes.append(f"{file}: what holds for one profile alone is not read")
        return {}
    return spring.settings(flat, file)


def setups(found: Read, workload: str | None = None, partitions: int | None = None) -> list[Setup]:
    """A setup for each workload that has to do with Kafka; without workloads one of the settings alone.

    Settings of files are those of the only workload, or of the one that is named. Raises BadFile.
    """
    pods = found.manifests.workloads
    if workload is not None:
        names = [each.name for each in pods if len(each.name) <= LONGEST_NAME]
        pods = [each for each in pods if workload in (each.name, each.label)]
        if not pods:
            raise BadFile(f"there is no Deployment or StatefulSet {workload!r}{near(workload, names)}")
    alone = len(pods) == 1
    made = [_of_pods(each, found, found.settings if alone else {}, partitions if alone else None) for each in pods]
    kept = [each for each in made if alone or each.settings or (each.scaler is not None and each.scaler.kafka)]
    if not alone and (found.settings or not kept):
        kept.append(Setup("settings", found.settings, partitions=partitions))
    return kept


def _of_pods(pods: Workload, found: Read, settings: Mapping[str, Given], partitions: int | None) -> Setup:
    scalers = [each for each in found.manifests.scalers if each.target == pods.name]
    several = [(each, dict(_from_environment(each, pods.where))) for each in pods.containers]
    several.sort(key=lambda each: not each[1])  # the first that has settings; else the first
    container, own = several[0] if several else (None, {})
    scaler = scalers[0] if scalers else None
    return Setup(pods.label, {**settings, **own}, pods, container, scaler, partitions)


def _from_environment(container: Container, where: str) -> Iterator[tuple[str, Given]]:
    """Settings that variables of a container carry."""
    broker = any(_BROKERS_OWN.fullmatch(name) for name in container.environment)
    springs, named = dict[str, str](), dict[str, str]()
    for name, variable in container.environment.items():
        text = _text(name, variable)
        if (property_ := spring.from_variable(name)) is not None:
            springs[property_], named[property_] = text, name
        elif not broker and (found := _VARIABLE.fullmatch(name)):
            kafkas = found[1].lower().replace("_", ".")
            if kafkas in CONSUMER_NAMES:
                yield kafkas, Given(text, f"{where}: env {name}", certain=False)
    for kafkas, given in spring.settings(springs, where).items():
        yield kafkas, replace(given, where=f"{where}: env {named[given.where.removeprefix(f'{where}: ')]}")


def _text(name: str, variable: Variable) -> str:
    """The text of a variable; where the pod or a secret fills it, a placeholder that asks for it."""
    return f"$({name})" if variable.text is None else variable.text
