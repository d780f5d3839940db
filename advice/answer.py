"""An advice in sentences, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from groupsim.advice.advice import GRID_SEEDS, Advice, Along, Flip, Record
from groupsim.advice.amounts import amount, short
from groupsim.advice.choices import Choice, front, in_words, main_effects
from groupsim.advice.decision import decision
from groupsim.advice.direction import unsure
from groupsim.advice.evidence import Estimate, Evidence
from groupsim.advice.present import least
from groupsim.advice.price import price
from groupsim.incidents.sentences import capital, joined

SESSION = "session.timeout.ms"


def in_one_sentence(advice: Advice) -> str:
    """What to take, how much better it is, and how sure that is; then what else has to be known to decide."""
    warning = (advice.record.reliance.warning if advice.record is not None else "") or unsure(advice)
    parts = [f"{warning}." if warning else "", decision(advice), *_more(advice), _searched(advice)]
    return " ".join(filter(None, parts))


def _more(advice: Advice) -> Iterator[str]:
    """The runner-up, whether it is worth it, its price, where it flips, and what it rests on."""
    evidence = advice.selection.evidence
    if evidence is None:
        yield from _rests_on(advice)
        return
    if not advice.keeps or advice.is_present:
        yield from _beside(advice, evidence)
    for each in advice.along:
        for flip in each.flips:
            when, then = _flip(advice, flip)
            yield f"With {when} {then} is better."
        if not each.flips and holds(advice, each):
            lowest, *_, highest = each.means
            yield f"It holds for {each.key} from {lowest} to {highest}."
    yield from _rests_on(advice)


def _beside(advice: Advice, evidence: Evidence) -> Iterator[str]:
    """The next best, and what gets worse."""
    goal, record = advice.goal, advice.record
    if advice.equal is not None:
        yield f"There is no difference worth having between it and {in_words(advice.choices[advice.equal])}."
    elif evidence.runner_up is not None:
        more = _more_than(evidence.differences[evidence.runner_up], goal.minimise)
        yield f"Next is {in_words(advice.choices[evidence.runner_up])}: {more}."
    if needs := [] if record is None or advice.keeps else [*record.needs[evidence.best]]:
        yield f"It needs {' and '.join(needs)}."
    if worse := [f"{name} {short(name, a)} instead of {short(name, b)}" for name, (a, b) in price(advice).items()]:
        yield f"Its price: {', '.join(worse)}."
    session = advice.choices[evidence.best].get(SESSION, "")
    if record is not None and record.session_ms is not None and session.isdigit() and int(session) > record.session_ms:
        yield (
            f"A process that dies is noticed after {int(session) / 1_000:g} s at most instead of"
            f" {record.session_ms / 1_000:g} s."
        )


def _more_than(difference: Estimate, name: str) -> str:
    """By how much the next best costs more."""
    if difference.error == 0:
        return f"{amount(name, difference.mean)} more under every seed so far"
    low, high = difference.interval()
    lowest, highest = short(name, low).partition(" ")[0], amount(name, high)
    return f"{highest} more" if highest.startswith(f"{lowest} ") else f"{lowest} to {highest} more"


def _rests_on(advice: Advice) -> Iterator[str]:
    """How far to trust it, as a what-if says it."""
    if advice.record is None:
        return
    found = advice.record.reliance
    trust = "" if advice.keeps or (not found.warning and unsure(advice)) else found.how_far
    why = ": ".join(filter(None, [trust, found.off]))
    yield f"{capital(joined([why, found.not_in_the_logs]))}."


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
        "runs": found.runs,
        "searched": {"tried": advice.tried, "runs": advice.search_runs} if advice.tried else None,
        "of_runs": len(advice.choices) * GRID_SEEDS,
        "equal": None if advice.equal is None else advice.choices[advice.equal],
        "runner_up": None if evidence is None else _runner_up(advice, evidence),
        "choices": [
            {**choice, "runs": len(found.rows[i]), "keeps": found.keeps[i]} for i, choice in enumerate(advice.choices)
        ],
        "front": [{**advice.choices[i], "measures": means[i]} for i in front_of(advice, means)],
        "flips": [dict(zip(("when", "then"), _flip(advice, flip), strict=True)) for flip in advice.flips],
        "along": [_along(advice, each) for each in advice.along],
        "sensitivity": main_effects(advice.choices, [row[goal.minimise] for row in means]),
        "trust": None if record is None else asdict(record.reliance),
        **({"assumed": []} if record is None else {**asdict(record.basis), "assumed": list(record.assumed)}),
        "refused": [{**choice, "why": why} for choice, why in (record.refused if record is not None else ())],
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


def _runner_up(advice: Advice, evidence: Evidence) -> dict[str, Any] | None:
    i = evidence.runner_up
    if i is None:
        return None
    difference = evidence.differences[i]
    return {**advice.choices[i], "difference": list(difference.interval()), "mean_difference": difference.mean}


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


def left_out(record: Record) -> list[str]:
    """What the record cannot answer: the choices with one reason together, by the values that they share."""
    by_reason: dict[str, list[Choice]] = {}
    for choice, why in record.refused:
        by_reason.setdefault(why, []).append(choice)
    found = []
    for why, choices in by_reason.items():
        shared = {key: value for key, value in choices[0].items() if all(each[key] == value for each in choices)}
        number = f" ({len(choices)} choices)" if len(choices) > 1 else ""
        found.append(f"{in_words(shared or choices[0])}{number}: {why}")
    return found


def table_rows(advice: Advice) -> list[Mapping[str, object]]:
    """One row per choice, best first: its runs, its means, whether it keeps the bounds."""
    keeps = {True: "yes", False: "no", None: "not known"}
    return [
        {"choice": in_words(advice.choices[i]), "runs": len(advice.selection.rows[i])}
        | {n: round(advice.means(i)[n]) for n in advice.goal.names}
        | ({"keeps": keeps[advice.selection.keeps[i]]} if advice.goal.bounds else {})
        for i in ranked(advice)
    ]
