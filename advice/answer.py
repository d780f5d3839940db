"""An advice in sentences, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from groupsim.advice.advice import Advice, Along, Flip
from groupsim.advice.choices import front, in_words, main_effects
from groupsim.advice.current_settings import least
from groupsim.advice.decision import decision
from groupsim.advice.runner_up import beside
from groupsim.advice.side_effects import price
from groupsim.advice.sign_test import unsure
from groupsim.wording.lists import as_sentence, joined


def in_one_sentence(advice: Advice) -> str:
    """What to take, how much better it is, and how sure that is; then what else has to be known to decide."""
    warning = (advice.record.reliance.warning if advice.record is not None else "") or unsure(advice)
    parts = [f"{warning}." if warning else "", decision(advice), *_more(advice), _moved(advice), _searched(advice)]
    return " ".join(filter(None, parts))


def _more(advice: Advice) -> Iterator[str]:
    """The runner-up, whether it is worth it, its price, where it flips, and what it rests on."""
    evidence = advice.selection.evidence
    if evidence is None:
        yield from _rests_on(advice)
        return
    if not advice.keeps or advice.is_present:
        yield from beside(advice, evidence)
    for each in advice.along:
        for flip in each.flips:
            when, then = _flip(advice, flip)
            yield f"With {when} {then} is better."
        if not each.flips and holds(advice, each):
            lowest, *_, highest = each.means
            yield f"It holds for {each.key} from {lowest} to {highest}."
    yield from _rests_on(advice)


def _rests_on(advice: Advice) -> Iterator[str]:
    """How far to trust it, as a what-if says it."""
    if advice.record is None:
        return
    found = advice.record.reliance
    trust = "" if advice.keeps or (not found.warning and unsure(advice)) else found.how_far
    why = ": ".join(filter(None, [trust, found.off]))
    yield as_sentence(joined([why, found.not_in_the_logs]))


def _moved(advice: Advice) -> str:
    """What was left out although it costs less."""
    if not (moved := len(advice.moved)):
        return ""
    number = "1 choice that only moves time is" if moved == 1 else f"{moved} choices that only move time are"
    return f"{number} left out: partitions are held instead by processes that are stuck in a batch."


def _searched(advice: Advice) -> str:
    """What a search says nothing about."""
    if not advice.tried:
        return ""
    tried = f"{advice.tried} choices with {advice.search_runs} runs"
    return f"A search tried {tried} and left these {len(advice.choices)}; one that it did not try may be better."


def holds(advice: Advice, along: Along) -> bool:
    """Whether the best choice is within the zone of the least at every value that was looked at."""
    best = advice.selection.evidence.best if advice.selection.evidence is not None else -1
    within = 1 + advice.goal.indifference
    return len(along.means) > 1 and all(
        best in means and means[best] <= within * min(means.values()) for means in along.means.values()
    )


def _flip(advice: Advice, flip: Flip) -> tuple[str, str]:
    """On the other side of the flip than most of the advice: when, and which choice is better there."""
    best = advice.selection.evidence.best if advice.selection.evidence is not None else flip.before
    if flip.after == best:
        return f"{flip.key} <= {flip.below}", in_words(advice.choices[flip.before])
    return f"{flip.key} >= {flip.above}", in_words(advice.choices[flip.after])


def as_data(advice: Advice) -> dict[str, Any]:
    """The advice in the form of the command line's contract."""
    found, goal, record = advice.selection, advice.goal, advice.record
    evidence = found.evidence
    means = [advice.means(i) for i in range(len(advice.choices))]
    return {
        "answer": in_one_sentence(advice),
        "best": None if evidence is None else advice.choices[evidence.best],
        "measures": None if evidence is None else means[evidence.best],
        "before": advice.before,
        "change": None if advice.change is None else list(advice.change.interval()),
        "keep": advice.keeps,
        "take": None if evidence is None or advice.keeps else advice.choices[evidence.best],
        "enough": {"share": goal.indifference, "amount": least(goal.minimise)},
        "price": {name: {"value": value, "before": before} for name, (value, before) in price(advice).items()},
        "confidence": found.confidence,
        "reached": found.reached,
        "indifference": goal.indifference,
        "runs": advice.runs,
        "searched": {"tried": advice.tried, "runs": advice.search_runs} if advice.tried else None,
        "of_runs": advice.of_runs,
        "equal": None if advice.equal is None else advice.choices[advice.equal],
        "same": [advice.choices[i] for i in advice.same],
        "runner_up": _runner_up(advice),
        "choices": [_choice(advice, i) for i in range(len(advice.choices))],
        "front": [{**advice.choices[i], "measures": means[i]} for i in front_of(advice, means)],
        "flips": [dict(zip(("when", "then"), _flip(advice, flip), strict=True)) for flip in advice.flips],
        "along": [_along(advice, each) for each in advice.along],
        "sensitivity": main_effects(advice.choices, [row[goal.minimise] for row in means]),
        "trust": None if record is None else asdict(record.reliance),
        **({"assumed": []} if record is None else {**asdict(record.basis), "assumed": list(record.assumed)}),
        "refused": [{**each.choice, "why": each.why, "verdict": each.verdict} for each in advice.refused],
    }


def front_of(advice: Advice, means: Sequence[Mapping[str, float]]) -> Sequence[int]:
    """The choices that no other beats in what is minimised and bounded, else in it and the price."""
    if advice.tradeoff is not None:
        return advice.tradeoff.members
    return front(means, second_axis(advice))


def second_axis(advice: Advice) -> list[str]:
    """What is minimised and bounded; else it and the first of the price, or the time to detect the dead."""
    goal = advice.goal
    return list(dict.fromkeys([*goal.names, *([] if goal.names[1:] else list(price(advice))[:1] or ["detection_ms"])]))


def _along(advice: Advice, along: Along) -> dict[str, Any]:
    values = [
        {"value": value, "means": [{**advice.choices[i], "mean": mean} for i, mean in means.items()]}
        for value, means in along.means.items()
    ]
    return {"key": along.key, "holds": not along.flips and holds(advice, along), "values": values}


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
