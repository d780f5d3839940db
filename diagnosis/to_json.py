"""An explanation as the JSON that `groupsim explain --format json` prints."""

from __future__ import annotations

from typing import Any

from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.finding import Bounds, Cost, Diagnosis, Finding, Place, Remedy
from groupsim.diagnosis.times import shares
from groupsim.diagnosis.what_if import command
from groupsim.events.types import RunId
from groupsim.incidents.logs.times import iso


def as_json(explanation: Explanation, run: RunId | None = None) -> dict[str, Any]:
    """The whole answer. `run`: the stored run that it is of; what can be tried with logs begins with their import.

    `try` is null where no what-if can be compared with what the logs show (`diagnosis.what_if.with_comparable`).
    """
    start_ms = explanation.counted_from_ms
    return {"answer": explanation.answer, "groups": [_group(group, run, start_ms) for group in explanation.groups]}


def _group(group: Diagnosis, run: RunId | None, start_ms: int | None) -> dict[str, Any]:
    seen, least = group.rebalances
    return {
        "group": group.group,
        "type": group.type,
        **_span(group.first_ms, group.last_ms, start_ms),
        "rebalances": {"seen": seen, "at_least": least},
        "stopped_ms": _bounds(group.stopped_ms),
        "stopped_share": _share(group.stopped_ms, group.lasted_ms),
        "outage_ms": _bounds(group.outage and group.outage.ms),
        "findings": [_finding(finding, group, run, start_ms) for finding in group.findings],
        "at_end": group.at_end,
        "not_shown": list(group.not_shown),
        "notes": list(group.notes),
    }


def _finding(finding: Finding, group: Diagnosis, run: RunId | None, start_ms: int | None) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "code": finding.code,
        "certainty": finding.certainty,
        "what": finding.what,
        "members": list(finding.members),
        "times": finding.times,
        **_span(finding.evidence.first_ms, finding.evidence.last_ms, start_ms),
        "evidence": [_place(place) for place in finding.evidence.places],
        "cost": _cost(finding.cost, group.lasted_ms),
        "do": [_remedy(remedy, group, run) for remedy in finding.do],
        "confirm": finding.confirm,
    }
    more = {"because_of": finding.after, "nature": finding.nature, "known": finding.known}
    return shown | {key: value for key, value in more.items() if value is not None}


def _remedy(remedy: Remedy, group: Diagnosis, run: RunId | None) -> dict[str, Any]:
    asked = command(run or RunId("latest"), [remedy]) if group.comparable else None
    if asked is not None and run is None:
        asked = f"groupsim import LOG... && {asked}"
    shown: dict[str, Any] = {"what": remedy.what, "settings": list(remedy.settings), "try": asked}
    return shown if remedy.effect is None else shown | {"effect": remedy.effect}


def _cost(cost: Cost, lasted_ms: int) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name in ("group_stopped", "member_without_partitions"):
        if (found := getattr(cost, f"{name}_ms")) is not None:
            shown |= {f"{name}_ms": _bounds(found), f"{name}_share": _share(found, lasted_ms)}
    if cost.processed_again:
        shown["processed_again"] = "records since the last commit"
    return shown


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line}


def _bounds(bounds: Bounds | None) -> list[int | None]:
    return [None, None] if bounds is None else [*bounds]


def _share(found: Bounds | None, lasted_ms: int) -> list[float | None]:
    return [None if part is None else round(part, 4) for part in shares(found, lasted_ms) or (None, None)]


def _span(first_ms: int | None, last_ms: int | None, start_ms: int | None) -> dict[str, Any]:
    """ISO 8601 in UTC; of a simulated run, which has no dates, milliseconds from its start beside it."""
    named = {"from": first_ms, "to": last_ms}
    if start_ms is None:
        return {name: None if ms is None else iso(ms) for name, ms in named.items()}
    return dict.fromkeys(named) | {f"{name}_ms": None if ms is None else ms - start_ms for name, ms in named.items()}
