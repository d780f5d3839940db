"""An advice in one sentence, and as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groupsim.advice.advice import GRID_SEEDS, Advice, Flip
from groupsim.advice.choices import front, in_words, main_effects
from groupsim.advice.evidence import Evidence


def in_one_sentence(advice: Advice) -> str:
    """What to take, how much better it is, and how sure that is."""
    found, goal = advice.selection, advice.goal
    used = f"used {found.runs:,} of {len(advice.choices) * GRID_SEEDS:,} runs"
    if found.evidence is None:
        wanted = " and ".join(f"{name} <= {most:g}" for name, most in goal.bounds.items())
        sure = f"probability at least {_floor(found.confidence)}" if found.reached else "but more runs may find one"
        return f"No choice keeps {wanted} ({sure}; {used})."
    best = found.evidence.best
    value = f"{_amount(goal.minimise, found.evidence.mean)}{_instead(advice)}"
    among = f"best of {len(advice.choices)} with probability at least {_floor(found.confidence)}"
    if not found.reached:
        among = f"best of {len(advice.choices)} so far, with probability {_floor(found.confidence)} only"
    sentence = f"Take {in_words(advice.choices[best])}: {value}; {among}, within {goal.indifference:.0%}; {used}."
    if advice.equal is not None:
        other = in_words(advice.choices[advice.equal])
        sentence += f" There is no difference worth having between it and {other}."
    for flip in advice.flips:
        when, then = _flip(advice, flip)
        sentence += f" With {when} {then} is better."
    return sentence


def _flip(advice: Advice, flip: Flip) -> tuple[str, str]:
    """On the other side of the flip than most of the advice: when, and which choice is better there."""
    best = advice.selection.evidence.best if advice.selection.evidence is not None else flip.before
    if flip.after == best:
        return f"{flip.key} <= {flip.below}", in_words(advice.choices[flip.before])
    return f"{flip.key} >= {flip.above}", in_words(advice.choices[flip.after])


def as_data(advice: Advice) -> dict[str, Any]:
    """The advice in the form of the command line's contract."""
    found, goal = advice.selection, advice.goal
    evidence = found.evidence
    means = [advice.means(i) for i in range(len(advice.choices))]
    names = [goal.minimise, *(goal.bounds or {"detection_ms": 0})]
    return {
        "answer": in_one_sentence(advice),
        "best": None if evidence is None else advice.choices[evidence.best],
        "measures": None if evidence is None else means[evidence.best],
        "confidence": found.confidence,
        "reached": found.reached,
        "indifference": goal.indifference,
        "runs": found.runs,
        "of_runs": len(advice.choices) * GRID_SEEDS,
        "runner_up": None if evidence is None else _runner_up(advice, evidence),
        "front": [{**advice.choices[i], "measures": means[i]} for i in front(means, list(dict.fromkeys(names)))],
        "flips": [dict(zip(("when", "then"), _flip(advice, flip), strict=True)) for flip in advice.flips],
        "sensitivity": main_effects(advice.choices, [row[goal.minimise] for row in means]),
    }


def _runner_up(advice: Advice, evidence: Evidence) -> dict[str, Any] | None:
    i = evidence.runner_up
    if i is None:
        return None
    difference = evidence.differences[i]
    return {**advice.choices[i], "difference": list(difference.interval()), "mean_difference": difference.mean}


def _instead(advice: Advice) -> str:
    """How much that is beside the settings as they are."""
    evidence, name = advice.selection.evidence, advice.goal.minimise
    if advice.before is None or evidence is None:
        return ""
    before = advice.before[name]
    change = f" ({evidence.mean / before - 1:+.0%})" if before else ""
    return f" instead of {_amount(name, before)} with the settings as they are{change}"


def _amount(name: str, value: float) -> str:
    if name in ("partition_ms", "after_start_ms", "unsafe_ms"):
        return f"{value / 1_000:,.1f} partition-seconds"
    if name.endswith("_ms"):
        return f"{value / 1_000:,.1f} s ({name})"
    return f"{value:,.1f} {name}"


def _floor(probability: float) -> str:
    """Two digits, never rounded up to what is not known."""
    return f"{min(int(probability * 100), 99) / 100:.2f}"


def table_rows(advice: Advice) -> list[Mapping[str, object]]:
    """One row per choice, best first: its runs, its means, how likely it is allowed."""
    found, name = advice.selection, advice.goal.minimise
    order = sorted(range(len(advice.choices)), key=lambda i: (found.allowed[i] < 0.5, advice.means(i)[name], i))
    shown = [name, *(n for n in advice.goal.bounds if n != name)]
    return [
        {"choice": in_words(advice.choices[i]), "runs": len(found.rows[i])}
        | {n: round(advice.means(i)[n]) for n in shown}
        for i in order
    ]
