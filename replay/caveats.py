"""What is said beside a cost: limits of brokers, partitions that were held but not polled, seeds of two kinds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.significance import worth_ms
from groupsim.replay.verdict import unpolled_as_recorded
from groupsim.wording.numbers import counted, partition_seconds, seconds


def needs(results: Sequence[ChoiceResult]) -> str:
    """Which limits of the brokers must be wider than by default; of several choices, by name."""
    if len(results) == 1:
        return f"it needs {' and '.join(results[0].needs)}" if results[0].needs else ""
    return "; ".join(f"{each.choice} needs {' and '.join(each.needs)}" for each in results if each.needs)


def unpolled(result: ChoiceResult) -> str:
    """How long partitions were held by processes that did not poll, where the choice changes that; else nothing."""
    own, base = result.unpolled_partition_ms.median, unpolled_as_recorded(result)
    if abs(own - base) < worth_ms(base):
        return ""
    amounts = f"{partition_seconds(own)} instead of {seconds(base)}"
    return f"held, but not polled (the owner is stuck in a batch): {amounts}"


def unfinished(result: ChoiceResult) -> str:
    """That simulations ended too early, where they did: the amount is a lower bound."""
    seeds = counted(len(result.costs), "seed")
    found = [(result.unfinished, ""), (result.baseline_unfinished, "as recorded, ")]
    parts = [
        f"{where}in {ended} of {seeds} the simulation ends before all partitions are held again, so the"
        " amount is a lower bound"
        for ended, where in found
        if ended
    ]
    return "; ".join(parts)


def humps(result: ChoiceResult) -> str:
    """What the kinds of seeds cost, where they are of two kinds; else nothing."""
    found = result.modes
    if len(found) < 2:
        return ""
    parts = [f"{seconds(hump.median)} in {round(hump.share * len(result.costs))}" for hump in found]
    return f"the seeds are of two kinds, {' and '.join(parts)} of {len(result.costs)}"


def baseline(values_ms: Sequence[float], drawn: Sequence[str] = ()) -> str:
    """What the incident costs as recorded: the median that what-ifs compare with, and the mean that advices do.

    `drawn`: what each seed draws instead of what was recorded.
    """
    instead = f", with {' and '.join(drawn)} drawn" if drawn else ""
    return (
        f"baseline (the incident simulated as recorded{instead}, over {counted(len(values_ms), 'seed')}): median"
        f" {seconds(median(values_ms))}, mean {partition_seconds(fmean(values_ms))};"
        " a what-if compares medians, an advice means"
    )
