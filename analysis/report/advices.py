"""Advice that was given on an incident, as data of its report: the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groupsim.analysis.advices import AdvisedAlong, AdvisedChoice, StoredAdvice
from groupsim.analysis.display_names import shown

_LONGEST = 2_000
MOST_CHOICES = 12
"""So many choices, the best, are listed; the rest are counted."""


def advices(found: Sequence[StoredAdvice]) -> list[dict[str, Any]]:
    """Each with its answer, a row per choice (the settings of the record first), what flips, and what it rests on."""
    return [_advice(each) for each in reversed(found)]


def _advice(found: StoredAdvice) -> dict[str, Any]:
    return {
        "group": shown(found.group),
        "answer": shown(found.answer, _LONGEST),
        "names": [shown(name) for name in found.names],
        "best": None if found.best is None else shown(found.best, 200),
        "choices": [_choice(each, found.names) for each in (found.now, *found.choices[:MOST_CHOICES])],
        "more": max(0, len(found.choices) - MOST_CHOICES),
        "along": [_along(each) for each in found.along if each.flips],
        "sensitivity": [[shown(key), share] for key, share in found.sensitivity.items()],
        "assumed": [shown(text, _LONGEST) for text in found.assumed],
        "refused": [shown(text, _LONGEST) for text in found.refused],
    }


def _choice(of: AdvisedChoice, names: Sequence[str]) -> dict[str, Any]:
    return {
        "choice": shown(of.choice, 200),
        "median_ms": round(of.measures[names[0]]),
        "least_ms": round(of.least),
        "most_ms": round(of.most),
        "others": [of.measures[name] for name in names[1:]],
        "runs": of.runs,
        "front": of.front,
    }


def _along(of: AdvisedAlong) -> dict[str, Any]:
    means = [{shown(choice, 200): mean for choice, mean in each.items()} for each in of.means]
    return {"key": shown(of.key), "values": [shown(value) for value in of.values], "means": means}
