"""What stands beside the choice of an advice: which do the same, the next best, what it needs, and what gets worse."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.advice.advice import Advice
from groupsim.advice.amounts import amount, short
from groupsim.advice.choices import in_words
from groupsim.advice.evidence import Estimate, Evidence
from groupsim.advice.side_effects import price
from groupsim.replay.reconstruct.inferred_settings.evidence import SESSION
from groupsim.wording.numbers import counted


def beside(advice: Advice, evidence: Evidence) -> Iterator[str]:
    """In sentences."""
    record, name = advice.record, advice.goal.minimise
    if advice.same:
        yield _same(advice)
    if advice.equal is not None:
        yield f"There is no difference worth having between it and {in_words(advice.choices[advice.equal])}."
    elif advice.others:
        i, difference = next(iter(advice.others.items()))
        yield f"Next is {in_words(advice.choices[i])}: {_more_than(difference, name)}."
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


def _same(advice: Advice) -> str:
    """`static=true and 2 others do the same in all 7 seeds.`"""
    first, *more = advice.same
    seeds = min(len(advice.selection.rows[i]) for i in (first, *more))
    others = f" and {len(more)} other{'s' if len(more) > 1 else ''} do" if more else " does"
    return f"{in_words(advice.choices[first])}{others} the same in all {counted(seeds, 'seed')}."


def _more_than(difference: Estimate, name: str) -> str:
    """By how much the next best costs more."""
    if difference.error == 0:
        return f"{amount(name, difference.mean)} more under every seed so far"
    low, high = difference.interval()
    lowest, highest = short(name, low).partition(" ")[0], amount(name, high)
    return f"{highest} more" if highest.startswith(f"{lowest} ") else f"{lowest} to {highest} more"
