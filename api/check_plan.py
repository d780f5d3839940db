"""The TOML file of `groupsim check`: what is simulated, with what, before and after, and which limits hold."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from groupsim.api.errors import BadRequest
from groupsim.api.testing import limit_of
from groupsim.api.values import texts_of
from groupsim.checking.files import text_of
from groupsim.checking.rules import NAMES
from groupsim.coordinator.config import near

SEEDS = 10
MOST_SEEDS = 1_000
_SIDES = ("before", "after")
_KEYS: dict[str, type | tuple[type, ...]] = {
    "scenario": str,
    "seeds": int,
    "share_of_seeds": (int, float),
    "partitions": int,
    "files": list,
    "workload": str,
    "accept": list,
    "strict": bool,
    "limits": dict,
    "settings": dict,
    "before": dict,
    "after": dict,
}
_KINDS = {int: "a whole number", str: "a text", list: "a list of texts", bool: "true or false", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared: `before`, or `after`, which is what the limits are about."""

    settings: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Path] = ()
    scenario: str | None = None
    workload: str | None = None
    partitions: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be checked. `limits`: by name the measure and its most."""

    where: str
    after: Side
    before: Side | None = None
    limits: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    seeds: int = SEEDS
    share_of_seeds: float = 1.0
    accept: Sequence[str] = ()
    strict: bool = False


def plan_of(path: Path) -> Plan:
    """What a TOML file says. Raises BadRequest and BadFile, which name the file and the key."""
    try:
        found = tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise BadRequest(f"{path} is no TOML: {error}") from None
    for key, value in found.items():
        _check(str(path), key, value)
    seeds, share = found.get("seeds", SEEDS), found.get("share_of_seeds", 1.0)
    if not 1 <= seeds <= MOST_SEEDS:
        raise BadRequest(f"{path}: seeds must be from 1 to {MOST_SEEDS:,}, not {seeds}")
    if not 0 < share <= 1:
        raise BadRequest(f"{path}: share_of_seeds must be above 0 and at most 1, not {share}")
    for rule in found.get("accept", []):
        if rule not in NAMES:
            raise BadRequest(f"{path}: accept: there is no rule {rule!r}{near(rule, NAMES)}")
    before, after = (_side(path, found, side) for side in _SIDES)
    return Plan(
        str(path),
        after,
        before if any(side in found for side in _SIDES) else None,
        {name: _limit(path, name, value) for name, value in found.get("limits", {}).items()},
        seeds,
        share,
        found.get("accept", []),
        found.get("strict", False),
    )


def of_files(paths: Sequence[Path], where: str) -> Plan:
    """Settings and manifests alone: nothing is simulated."""
    return Plan(where, Side(files=list(paths)))


def _check(path: str, key: str, value: object) -> None:
    if key not in _KEYS:
        raise BadRequest(f"{path}: unknown key {key!r}{near(key, _KEYS)}")
    wanted = _KEYS[key]
    wrong = not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)
    if wrong or (isinstance(value, list) and not all(isinstance(each, str) for each in value)):
        kind = "a number" if isinstance(wanted, tuple) else _KINDS[wanted]
        raise BadRequest(f"{path}: {key} must be {kind}, not {value!r}")
    if key == "partitions" and isinstance(value, int) and value < 1:
        raise BadRequest(f"{path}: partitions must be at least 1, not {value}")


def _side(path: Path, found: Mapping[str, Any], side: str) -> Side:
    """Settings for both, and those of this side over them; its own files, scenario … instead of those of both."""
    own = dict(found.get(side, {}))
    chosen: dict[str, Any] = {}
    for key in ("files", "scenario", "workload", "partitions"):
        if key in own:
            _check(f"{path}: [{side}]", key, own[key])
            chosen[key] = own.pop(key)
        elif key in found:
            chosen[key] = found[key]
    settings = _texts(path, "settings", found.get("settings", {})) | _texts(path, side, own)
    folder = path.parent
    files = [folder / each for each in chosen.pop("files", [])]
    scenario = chosen.pop("scenario", None)
    if scenario is not None and "/" not in scenario and scenario.partition("::")[0].endswith(".py"):
        scenario = str(folder / scenario)
    return Side(settings, files, scenario, **chosen)


def _texts(path: Path, table: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """A table of settings. A name with dots stands in quotation marks: without them TOML makes tables of it."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= _joined(name, value)
    return texts_of(flat, f"{path}: [{table}]")


def _joined(name: str, value: object) -> dict[str, object]:
    """`session.timeout.ms = 1` without quotation marks is three tables: the same name again."""
    if isinstance(value, dict):
        return {full: inner for key, each in value.items() for full, inner in _joined(f"{name}.{key}", each).items()}
    return {name: ",".join(map(str, value)) if isinstance(value, list) else value}


def _limit(path: Path, name: str, value: object) -> tuple[str, float]:
    from groupsim.analysis.tables.measures import MEASURES
    from groupsim.api.testing import LIMITS

    if name not in (*LIMITS, *MEASURES):
        raise BadRequest(f"{path}: limits: there is no measure {name!r}{near(name, (*LIMITS, *MEASURES))}")
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise BadRequest(f"{path}: limits: {name} must be a duration or a number, not {value!r}")
    try:
        measure, most = limit_of(name, value)
    except BadRequest as wrong:
        raise BadRequest(f"{path}: limits: {name}: {wrong}") from None
    if not most >= 0:
        raise BadRequest(f"{path}: limits: {name} must not be negative: {value!r}")
    return measure, most
