"""What is said beside a cost: limits of brokers, partitions that were held but not polled, seeds of two kinds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.numbers import of_seeds, seconds
from groupsim.replay.significance import worth_ms
from groupsim.replay.verdict import unpolled_as_recorded


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
    amounts = f"{seconds(own)} partition-seconds instead of {seconds(base)}"
    return f"held, but not polled (the owner is stuck in a batch): {amounts}"


def unfinished(result: ChoiceResult) -> str:
    """That simulations ended too early, where they did: the amount is a lower bound."""
    seeds = of_seeds(len(result.costs))
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
        f"baseline (the incident simulated as recorded{instead}, over {of_seeds(len(values_ms))}): median"
        f" {seconds(median(values_ms))}, mean {seconds(fmean(values_ms))} partition-seconds;"
        " a what-if compares medians, an advice means"
    )
