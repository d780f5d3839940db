"""The pieces of the answers: what choices would have cost, how far to trust that, and what is said beside a cost."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.significance import worth_ms
from groupsim.replay.spread import FEWEST, median_interval
from groupsim.replay.trust import SMALL_MS, Trust
from groupsim.replay.verdict import amount_is_unknown, is_drowned, unpolled_as_recorded
from groupsim.wording.lists import joined
from groupsim.wording.numbers import counted, partition_seconds, percent_change_range, seconds, seconds_range

_LUCK = 0.1
"""A record is not typical if it is further from the median of its replays than this share."""


def would_have_cost(results: Sequence[ChoiceResult], luck: str = "", costs: str = "would have cost") -> str:
    """What the choices would have cost together: their medians, and how they change the cost, seed by seed."""
    base, medians = results[0].base.median, [result.unavailable_partition_ms.median for result in results]
    costs = f"{costs} {seconds_range(medians)} partition-seconds instead of {seconds(base)}"
    idle = results[0].idle
    nothing = f"as recorded, {idle} of them cost nothing" if idle else ""
    seeds = joined([f"over {seeds_of(results[0])}", nothing, luck])
    if not base:
        return f"{costs} ({seeds})"
    quotients = [result.versus_baseline or 0.0 for result in results]
    change = percent_change_range((min(quotients), max(quotients)))
    by_seed = [changes for result in results if (changes := result.changes) is not None]
    if not by_seed:
        return f"{costs} ({change} {seeds})"
    over = percent_change_range((min(low for low, _ in by_seed), max(high for _, high in by_seed)))
    return f"{costs} ({change} {seeds})" if over == change else f"{costs} ({change}, {over} {seeds})"


def no_difference(result: ChoiceResult, luck: str = "") -> str:
    """That a choice makes no difference worth having, and by how much it may by chance; `luck`: what the record has."""
    own, base, seeds = result.unavailable_partition_ms, result.base, seeds_of(result)
    if max(own.most, base.most) < SMALL_MS:
        nothing = f"hardly anything is unavailable in the time that is compared ({seeds})"
        return f"makes no difference worth having: {nothing}"
    amounts = instead_of(own.median, base.median)
    amounts += f" ({luck})" if luck else ""
    chance = f"by chance {seconds_range((own.least, own.most))} over {seeds}"
    return f"makes no difference worth having: {amounts}, {chance}"


def instead_of(own_ms: float, base_ms: float) -> str:
    """`9.0 partition-seconds instead of 12.0`."""
    return f"{partition_seconds(own_ms)} instead of {seconds(base_ms)}"


def seeds_of(result: ChoiceResult) -> str:
    """`10 simulations`: one a seed."""
    return counted(len(result.costs), "simulation")


def luck(result: ChoiceResult, trusted: Trust) -> str:
    """The record's total, or its bounds, where that is not what its replays cost in the median; else nothing.

    It is the total that an import says, and what of it is compared, where that is not typical of the replays.
    """
    usual, said, whole = result.base.median, trusted.recorded(), trusted.imported
    nearest = min(max(usual, trusted.recorded_ms), trusted.recorded_at_most_ms)
    is_typical = abs(usual - nearest) <= max(_LUCK * trusted.recorded_at_most_ms, SMALL_MS)
    is_known = is_typical or said in "".join(trusted.doubts(result))
    if whole is None:
        return "" if is_known else f"the record has {said}, counted alike"
    if is_known or whole == said:
        return "" if whole == seconds(usual) else f"the record has {whole}"
    return f"the record has {whole}, of which {said} are compared"


def simulated_as_recorded(result: ChoiceResult, trusted: Trust) -> str:
    """What the incident costs as recorded beside the record's total, where these differ; else nothing."""
    said = luck(result, trusted)
    return said and f"as recorded, it costs {partition_seconds(result.base.median)} simulated, and {said}"


def not_simulated(result: ChoiceResult) -> str:
    """Why there is no cost of a choice: the record has it already, can't answer it, or no group can have it."""
    if result.as_recorded:
        return f"{result.named} is what the record has, so it changes nothing"
    return f"{result.named} {why_none(result)}{'' if result.impossible else ' from this record'}: {result.refused}"


def why_none(result: ChoiceResult) -> str:
    """In a word or two, why a choice was refused."""
    return "is not possible" if result.impossible else "can't be answered"


def how_far(results: Sequence[ChoiceResult], trusted: Trust, it: str = "it") -> str:
    """How far to trust direction and amount of choices that are all better, or all worse. `it`: how they are called."""
    seeds, opposed = len(results[0].costs), max(result.opposed for result in results)
    less = "less" if results[0].unavailable_partition_ms.median < results[0].base.median else "more"
    sure = f"{it} is sure to cost {less}"
    if opposed:
        sure = f"{it} is likely to cost {less} ({seeds - opposed} of {seeds_of(results[0])})"
    if any(result.unfinished or result.baseline_unfinished for result in results):
        return sure
    amount = f"{seconds_range(trusted.amount(results))} partition-seconds"
    if amount_is_unknown(results, trusted):
        return f"{sure}, but the amount is unknown (anything from {amount} is possible)"
    return f"{sure}; expect {'anything from ' * bool(opposed)}{amount}{', whichever you choose' * (len(results) > 1)}"


def why_not_sure(result: ChoiceResult, trusted: Trust, it: str = "it") -> str:
    """What is said beside `NOT_SURE`: what speaks against it, or what the seeds say. `it`: how the choice is called."""
    if trusted.low or (not trusted.doubts(result) and result.direction and is_drowned(result, trusted)):
        return "trust none of these figures"
    return "" if trusted.doubts(result) else seeds_say(result, it)


def seeds_say(result: ChoiceResult, it: str = "it") -> str:
    """Why the seeds show neither a direction nor that there is none. `it`: how the choice is called."""
    seeds, (low, high) = len(result.costs), median_interval(result.moved)
    less, more = sum(ms < 0 for ms in result.moved), sum(ms > 0 for ms in result.moved)
    said = f"{it} cost less in {less} of {seeds_of(result)} and more in {more}"
    if not less or not more:
        said = f"{it} cost {'less' if less else 'more'} in {less or more} of {seeds_of(result)}"
    if seeds < FEWEST:
        return f"{said}, and fewer than {FEWEST} simulations do not show which it is"
    if low < 0 < high:
        return f"{said}, which may be chance"
    return f"{said}, and the difference may be too small to be worth having"


def beside(results: Sequence[ChoiceResult]) -> list[str]:
    """What is said beside a cost: the limits of all, and of the first what is not polled, lower bounds, two kinds."""
    return [needs(results), unpolled(results[0]), unfinished(results[0]), humps(results[0])]


def needs(results: Sequence[ChoiceResult]) -> str:
    """Which limits of the brokers must be wider than by default; of several choices, by name."""
    if len(results) == 1:
        return f"it needs {' and '.join(results[0].needs)}" if results[0].needs else ""
    return joined(f"{each.named} needs {' and '.join(each.needs)}" for each in results if each.needs)


def unpolled(result: ChoiceResult) -> str:
    """How long partitions were held by processes that did not poll, where the choice changes that; else nothing."""
    own, base = result.unpolled_partition_ms.median, unpolled_as_recorded(result)
    if abs(own - base) < worth_ms(base):
        return ""
    return f"held, but not polled (the owner is stuck in a batch): {instead_of(own, base)}"


def unfinished(result: ChoiceResult) -> str:
    """That simulations ended too early, where they did: the amount is a lower bound."""
    return joined(
        f"{where}{ended} of {seeds_of(result)} end before all partitions are held again, so the amount is a lower bound"
        for ended, where in ((result.unfinished, ""), (result.baseline_unfinished, "as recorded, "))
        if ended
    )


def humps(result: ChoiceResult) -> str:
    """What the kinds of seeds cost, where they are of two kinds; else nothing."""
    kinds, seeds = result.modes, len(result.costs)
    if len(kinds) < 2:
        return ""
    costs = [f"{seconds(kind.median)} in {round(kind.share * seeds)}" for kind in kinds]
    return f"the simulations are of two kinds, {' and '.join(costs)} of {seeds}"


def baseline(values_ms: Sequence[float], drawn: Sequence[str] = ()) -> str:
    """What the incident costs as recorded: the median that what-ifs compare with, and the mean that advices do.

    `drawn`: what each seed draws instead of what was recorded.
    """
    instead = f", with {' and '.join(drawn)} drawn" if drawn else ""
    return (
        f"baseline (the incident simulated as recorded{instead}, {counted(len(values_ms), 'time')}): median"
        f" {seconds(median(values_ms))}, mean {partition_seconds(fmean(values_ms))};"
        " a what-if compares medians, an advice means"
    )
