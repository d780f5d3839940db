"""Advice that was given on an incident, as data of its report: the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from groupsim.analysis.advices import AdvisedAlong, AdvisedChoice, StoredAdvice
from groupsim.analysis.tables.amounts import heading
from groupsim.wording.lists import capital
from groupsim.wording.names import shown

_LONGEST = 2_000
MOST_CHOICES = 12
"""So many choices, the best, are listed; the rest are counted."""


def advices(kept: Sequence[StoredAdvice]) -> list[dict[str, Any]]:
    """Each with its answer, a row per choice (the settings of the record first), what flips, and what it rests on."""
    return [_advice(advice) for advice in reversed(kept)]


def _advice(advice: StoredAdvice) -> dict[str, Any]:
    return {
        "group": shown(advice.group),
        "answer": shown(advice.answer, _LONGEST),
        "rests_on": [shown(text, _LONGEST) for text in advice.rests_on],
        "names": [shown(name) for name in advice.names],
        "titles": [shown(capital(heading(name))) for name in advice.names],
        "best": None if advice.best is None else shown(advice.best, 200),
        "choices": [_choice(choice, advice.names) for choice in (advice.now, *advice.choices[:MOST_CHOICES])],
        "more": max(0, len(advice.choices) - MOST_CHOICES),
        "along": [_along(along) for along in advice.along if along.flips],
        "sensitivity": [[shown(key), share] for key, share in advice.sensitivity.items()],
        "assumed": [shown(text, _LONGEST) for text in advice.assumed],
        "refused": [shown(text, _LONGEST) for text in advice.refused],
        "needs": [shown(text, _LONGEST) for text in advice.needs],
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
    means = [{shown(choice, 200): mean for choice, mean in by_choice.items()} for by_choice in of.means]
    return {"key": shown(of.key), "values": [shown(value) for value in of.values], "means": means}


def as_html(answers: Sequence[dict[str, Any]]) -> str:
    """The same data for readers without JavaScript: the newest answer, then older ones, said to be; empty of none."""
    if not answers:
        return ""
    newest, *older = map(_as_html, answers)
    return f"<h3>What to set</h3>{newest}{''.join(f'<h4>An older answer</h4>{answer}' for answer in older)}"


def _as_html(answer: dict[str, Any]) -> str:
    name = answer["names"][0]
    titles = ["", f"{answer['titles'][0]}, mean", "least to greatest", *answer["titles"][1:]]
    scale = 1_000 if name.endswith("_ms") else 1
    rows = [
        [
            choice["choice"],
            f"{choice['median_ms'] / scale:,.1f}{' s' if scale > 1 else ''}",
            f"{choice['least_ms'] / scale:,.1f} to {choice['most_ms'] / scale:,.1f}",
            *(f"{value:,.0f}" for value in choice["others"]),
        ]
        for choice in answer["choices"]
    ]
    table = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return (
        f"<p><strong>{escape(answer['answer'])}</strong></p>"
        f"<table><thead><tr>{_cells('th', titles)}</tr></thead><tbody>{table}</tbody></table>"
        f"<ul>{_cells('li', answer['rests_on'])}</ul>"
    )


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
