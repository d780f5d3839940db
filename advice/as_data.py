"""An advice as data: for programs, and as the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from groupsim.advice.advice import Advice, Along
from groupsim.advice.choices import front, in_words, main_effects
from groupsim.advice.current_settings import least
from groupsim.advice.sentences import answer, flip_in_words, rests_on


def as_data(advice: Advice) -> dict[str, Any]:
    """The advice in the form of the command line's contract."""
    selection, goal, record = advice.selection, advice.goal, advice.record
    evidence = selection.evidence
    means = [advice.means(i) for i in range(len(advice.choices))]
    return {
        "answer": answer(advice),
        "rests_on": rests_on(advice),
        "best": None if evidence is None else advice.choices[evidence.best],
        "measures": None if evidence is None else means[evidence.best],
        "before": advice.before,
        "change": None if advice.change is None else list(advice.change.interval()),
        "keep": advice.keeps,
        "take": None if evidence is None or advice.keeps else advice.choices[evidence.best],
        "enough": {"share": goal.indifference, "amount": least(goal.minimise)},
        "price": {name: {"value": value, "before": before} for name, (value, before) in advice.price.items()},
        "confidence": selection.confidence,
        "reached": selection.reached,
        "indifference": goal.indifference,
        "runs": advice.runs,
        "searched": {"tried": advice.tried, "runs": advice.search_runs} if advice.tried else None,
        "of_runs": advice.of_runs,
        "equal": None if advice.equal is None else advice.choices[advice.equal],
        "same": [advice.choices[i] for i in advice.same],
        "runner_up": _runner_up(advice),
        "choices": [_choice(advice, i) for i in range(len(advice.choices))],
        "front": [{**advice.choices[i], "measures": means[i]} for i in front_of(advice, means)],
        "flips": [dict(zip(("when", "then"), flip_in_words(advice, flip), strict=True)) for flip in advice.flips],
        "along": [_along(advice, along) for along in advice.along],
        "sensitivity": main_effects(advice.choices, [row[goal.minimise] for row in means]),
        "trust": None if record is None else asdict(record.reliance),
        **({"assumed": []} if record is None else {**asdict(record.basis), "assumed": list(record.assumed)}),
        "refused": [{**left.choice, "why": left.why, "verdict": left.verdict} for left in advice.refused],
    }


def front_of(advice: Advice, means: Sequence[Mapping[str, float]]) -> Sequence[int]:
    """The choices that no other beats in what is minimised and bounded, else in it and the price."""
    if advice.tradeoff is not None:
        return advice.tradeoff.members
    return front(means, second_axis(advice))


def second_axis(advice: Advice) -> list[str]:
    """What is minimised and bounded; else it and the first of the price, or the time to detect the dead."""
    goal = advice.goal
    return list(dict.fromkeys([*goal.names, *([] if goal.names[1:] else list(advice.price)[:1] or ["detection_ms"])]))


def _along(advice: Advice, along: Along) -> dict[str, Any]:
    values = [
        {"value": value, "means": [{**advice.choices[i], "mean": mean} for i, mean in means.items()]}
        for value, means in along.means.items()
    ]
    return {"key": along.key, "holds": not along.flips and advice.holds(along), "values": values}


def _choice(advice: Advice, i: int) -> dict[str, Any]:
    found, record = advice.selection, advice.record
    shown = {**advice.choices[i], "runs": len(found.rows[i]), "keeps": found.keeps[i]}
    return shown if record is None else {**shown, "needs": [*record.needs[i]]}


def _runner_up(advice: Advice) -> dict[str, Any] | None:
    for i, difference in advice.others.items():
        return {**advice.choices[i], "difference": list(difference.interval()), "mean_difference": difference.mean}
    return None


def ranked(advice: Advice) -> list[int]:
    """The choices, best first; those that no other beats before all others, those that keep no bounds last.

    By what they cost more than the best under the same seeds: some have more seeds than others.
    """
    found, name = advice.selection, advice.goal.minimise
    members = advice.tradeoff.members if advice.tradeoff is not None else ()
    best = found.rows[0 if found.evidence is None else found.evidence.best]

    def more(i: int) -> float:
        return fmean(a[name] - b[name] for a, b in zip(found.rows[i], best, strict=False))

    return sorted(
        range(len(advice.choices)),
        key=lambda i: (i not in members, found.allowed[i] < 0.5, best is not found.rows[i], more(i), i),
    )


def table_rows(advice: Advice) -> list[Mapping[str, object]]:
    """One row per choice, best first: its runs, its means, whether it keeps the bounds."""
    keeps = {True: "yes", False: "no", None: "not known"}
    return [
        {"choice": in_words(advice.choices[i]), "runs": len(advice.selection.rows[i])}
        | {n: round(advice.means(i)[n]) for n in advice.goal.names}
        | ({"keeps": keeps[advice.selection.keeps[i]]} if advice.goal.bounds else {})
        for i in ranked(advice)
    ]
