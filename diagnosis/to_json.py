"""An explanation as the JSON that `groupsim explain --format json` prints."""

from __future__ import annotations

from typing import Any

from groupsim.diagnosis.explain import Diagnosis, Explanation
from groupsim.diagnosis.finding import Bounds, Cost, Finding, Place, Remedy
from groupsim.incidents.logs.times import iso


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The whole answer."""
    return {"answer": explanation.answer, "groups": [_group(group) for group in explanation.groups]}


def _group(group: Diagnosis) -> dict[str, Any]:
    seen, least = group.rebalances
    return {
        "group": group.group,
        "type": group.type,
        "from": _iso(group.first_ms),
        "to": _iso(group.last_ms),
        "rebalances": {"seen": seen, "at_least": least},
        "stopped_ms": _bounds(group.stopped_ms),
        "findings": [_finding(finding) for finding in group.findings],
        "not_shown": list(group.not_shown),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "code": finding.code,
        "certainty": finding.certainty,
        "what": finding.what,
        "members": list(finding.members),
        "times": finding.times,
        "from": _iso(finding.evidence.first_ms),
        "to": _iso(finding.evidence.last_ms),
        "evidence": [_place(place) for place in finding.evidence.places],
        "cost": _cost(finding.cost),
        "do": [_remedy(remedy) for remedy in finding.do],
        "confirm": finding.confirm,
    }
    more = {"because_of": finding.after, "nature": finding.nature, "known": finding.known}
    return shown | {key: value for key, value in more.items() if value is not None}


def _remedy(remedy: Remedy) -> dict[str, Any]:
    shown: dict[str, Any] = {"what": remedy.what, "settings": list(remedy.settings), "try": command(remedy)}
    return shown if remedy.effect is None else shown | {"effect": remedy.effect}


def command(remedy: Remedy) -> str | None:
    """The command that simulates a remedy, after the logs were imported."""
    options = {"assignor": "--assignor {}", "protocol": "--protocol {}"}
    given = [options.get(key, f"--set {key}={{}}").format(value) for key, value in remedy.trial]
    return f"groupsim incident whatif latest {' '.join(given)}" if given else None


def _cost(cost: Cost) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if cost.group_stopped_ms is not None:
        shown["group_stopped_ms"] = _bounds(cost.group_stopped_ms)
    if cost.member_without_partitions_ms is not None:
        shown["member_without_partitions_ms"] = _bounds(cost.member_without_partitions_ms)
    if cost.processed_again:
        shown["processed_again"] = "records since the last commit"
    return shown


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line}


def _bounds(bounds: Bounds | None) -> list[int | None]:
    return [None, None] if bounds is None else [*bounds]


def _iso(at_ms: int | None) -> str | None:
    return None if at_ms is None else iso(at_ms)
