"""Pieces of the answers: what choices would have cost, that one makes no difference, why one has no cost."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.trust import SMALL_MS, Trust
from groupsim.wording.lists import joined
from groupsim.wording.numbers import counted, partition_seconds, percent_change_range, seconds, seconds_range

_LUCK = 0.1
"""A record is not typical if it is further from the median of its replays than this share."""


def would_have_cost(results: Sequence[ChoiceResult], luck: str = "", costs: str = "would have cost") -> str:
    """What the choices would have cost together: their medians, and how they change the cost, seed by seed."""
    base, medians = results[0].base.median, [each.unavailable_partition_ms.median for each in results]
    costs = f"{costs} {seconds_range(medians)} partition-seconds instead of {seconds(base)}"
    idle = results[0].idle
    nothing = f"as recorded, {idle} of them cost nothing" if idle else ""
    seeds = joined([f"over {counted(len(results[0].costs), 'seed')}", nothing, luck])
    if not base:
        return f"{costs} ({seeds})"
    quotients = [each.versus_baseline or 0.0 for each in results]
    change = percent_change_range((min(quotients), max(quotients)))
    by_seed = [found for each in results if (found := each.changes) is not None]
    if not by_seed:
        return f"{costs} ({change} {seeds})"
    over = percent_change_range((min(low for low, _ in by_seed), max(high for _, high in by_seed)))
    return f"{costs} ({change} {seeds})" if over == change else f"{costs} ({change}, {over} {seeds})"


def no_difference(result: ChoiceResult, luck: str = "") -> str:
    """That a choice makes no difference worth having, and by how much it may by chance; `luck`: what the record has."""
    own, base, seeds = result.unavailable_partition_ms, result.base, counted(len(result.costs), "seed")
    if max(own.most, base.most) < SMALL_MS:
        nothing = f"hardly anything is unavailable in the time that is compared ({seeds})"
        return f"makes no difference worth having: {nothing}"
    amounts = f"{partition_seconds(own.median)} instead of {seconds(base.median)}"
    amounts += f" ({luck})" if luck else ""
    chance = f"by chance {seconds_range((own.least, own.most))} over {seeds}"
    return f"makes no difference worth having: {amounts}, {chance}"


def luck(result: ChoiceResult, trusted: Trust) -> str:
    """The record's total, or its bounds, where that is not what its replays cost in the median; else nothing."""
    off = abs(result.base.median - _nearest(result.base.median, trusted))
    said = trusted.recorded()
    if off <= max(_LUCK * trusted.recorded_at_most_ms, SMALL_MS) or said in "".join(trusted.doubts(result)):
        return ""
    return f"the record has {said}"


def _nearest(ms: int, trusted: Trust) -> int:
    """What the record has, the nearest of it where logs leave something unknown."""
    return min(max(ms, trusted.recorded_ms), trusted.recorded_at_most_ms)


def simulated_as_recorded(result: ChoiceResult, trusted: Trust) -> str:
    """What the incident costs as recorded beside the record's total, where these differ; else nothing."""
    said = luck(result, trusted)
    return said and f"as recorded, it costs {partition_seconds(result.base.median)} simulated, and {said}"


def not_simulated(result: ChoiceResult) -> str:
    """Why there is no cost of a choice: the record has it already, can't answer it, or no group can have it."""
    if result.as_recorded:
        return f"{result.choice} is what the record has, so it changes nothing"
    return f"{result.choice} {why_none(result)}{'' if result.impossible else ' from this record'}: {result.refused}"


def why_none(result: ChoiceResult) -> str:
    """In a word or two, why a choice was refused."""
    return "is not possible" if result.impossible else "can't be answered"
