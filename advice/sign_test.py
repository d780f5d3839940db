"""Whether the seeds show that what an advice takes costs less: by the sign test, as in a what-if."""

from __future__ import annotations

from groupsim.advice.advice import Advice
from groupsim.advice.amounts import amount, short
from groupsim.replay.spread import FEWEST, median_interval
from groupsim.replay.verdict import Verdict
from groupsim.wording.numbers import counted


def unsure(advice: Advice) -> str:
    """Why the direction is not sure, without a full stop; empty where it is, or where nothing is taken for its cost.

    Of a scenario a mean that is surely less is enough.
    """
    change, name = advice.change, advice.goal.minimise
    if change is None or advice.keeps or change.mean >= 0:
        return ""
    moved = [own[name] - was[name] for own, was in zip(advice.selection.chosen_rows, advice.now, strict=False)]
    _, high = median_interval(moved)
    is_less = change.interval()[1] < 0
    if (len(moved) >= FEWEST and high <= 0) or (advice.record is None and is_less):
        drowned = advice.record is not None and advice.record.reliance.verdict == Verdict.NOT_SURE
        return "The direction is not sure: this changes no more than the replay is off" if drowned else ""
    less, more = sum(each < 0 for each in moved), sum(each > 0 for each in moved)
    said = f"The direction is not sure: {less} of {counted(len(moved), 'seed')} cost less, {more} cost more"
    low, high = (-end for end in reversed(change.interval()))
    if is_less:
        return f"{said}; the mean is less by {short(name, low).partition(' ')[0]} to {amount(name, high)}"
    return f"{said}; the mean is less by {amount(name, -change.mean)}, which may be chance"
