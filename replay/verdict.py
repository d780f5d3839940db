"""Verdict: what is said of one choice, decided in one place for the sentence, the table, JSON and the report."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import median

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.significance import difference, worth_ms
from groupsim.replay.spread import FEWEST
from groupsim.replay.trust import SMALL_MS, Trust

_WIDE = 3
"""Amounts of which the greatest is more than so many times the least, and which the baseline has too, say nothing."""


class Verdict(StrEnum):
    """What a choice would have changed, as far as that can be trusted."""

    BETTER = "better"
    LIKELY_BETTER = "likely better"
    WORSE = "worse"
    LIKELY_WORSE = "likely worse"
    NO_DIFFERENCE = "no difference worth having"
    MOVED = "held, but not polled"
    NOT_SURE = "not sure"
    SAME = "same as recorded"
    UNKNOWN = "unknown"
    REFUSED = "can't be answered"
    IMPOSSIBLE = "not possible"

    @property
    def helps(self) -> bool:
        """Whether the choice would have cost less."""
        return self in (Verdict.BETTER, Verdict.LIKELY_BETTER)


def verdict(result: ChoiceResult, trusted: Trust) -> Verdict:
    """Of one choice. `NOT_SURE`: the replay is too far from the record, something speaks against every direction, or
    the seeds show neither a direction nor that there is none.

    A direction is sure by the sign test (two-sided, 5 %): 6 of 6 seeds, 9 of 10 or 27 of 40 have it.
    `MOVED`: it saves nothing, because partitions are held instead by processes that are stuck in a batch. Likely: some
    seeds say the opposite. `UNKNOWN`: there is no record to compare with.
    """
    if result.refused is not None:
        return Verdict.IMPOSSIBLE if result.impossible else Verdict.REFUSED
    if result.as_recorded:
        return Verdict.SAME
    if trusted.unknown is not None:
        return Verdict.UNKNOWN
    if trusted.low or trusted.doubts(result):
        return Verdict.NOT_SURE
    if result.open_direction:
        return Verdict.NOT_SURE
    if not result.direction:
        return Verdict.NO_DIFFERENCE if result.alike else Verdict.NOT_SURE
    if is_drowned(result, trusted):
        return Verdict.NOT_SURE
    if result.direction < 0 and only_moves(result):
        return Verdict.MOVED
    if len(result.costs) < FEWEST:
        return Verdict.NOT_SURE
    if result.direction < 0:
        return Verdict.LIKELY_BETTER if result.opposed else Verdict.BETTER
    return Verdict.LIKELY_WORSE if result.opposed else Verdict.WORSE


def perhaps(results: Sequence[ChoiceResult], trusted: Trust) -> bool:
    """Whether choices that are likely better are no more than that: seeds disagree, and the amount is unknown."""
    return any(each.opposed for each in results) and amount_is_unknown(results, trusted)


def promising(result: ChoiceResult, trusted: Trust) -> bool:
    """Whether a choice that is not sure costs clearly less in the median and under most seeds.

    Nothing but the other seeds is against it.
    """
    against = trusted.low or trusted.doubts(result) or is_drowned(result, trusted)
    saved = result.base.median - result.unavailable_partition_ms.median
    mostly = sum(ms < 0 for ms in result.moved) > sum(ms > 0 for ms in result.moved)
    enough = mostly and saved >= worth_ms(result.base.median)
    return verdict(result, trusted) is Verdict.NOT_SURE and not against and enough


def unpolled_as_recorded(result: ChoiceResult) -> int:
    """Partition-milliseconds that were held, but not polled, as recorded, with the same seeds: the median."""
    return round(median(each.unpolled_partition_ms for each in result.baseline))


def only_moves(result: ChoiceResult) -> bool:
    """Whether what is saved is held, for longer, by processes that are stuck instead: both together are no less."""
    both = [
        [each.unavailable_partition_ms + each.unpolled_partition_ms for each in costs]
        for costs in (result.costs, result.baseline)
    ]
    more = result.unpolled_partition_ms.median - unpolled_as_recorded(result)
    saved = result.base.median - result.unavailable_partition_ms.median
    all_of_it = median(both[1])
    return 0 < saved < 2 * more and more >= worth_ms(all_of_it) and difference(both[0], both[1], all_of_it) >= 0


def is_drowned(result: ChoiceResult, trusted: Trust) -> bool:
    """Whether the replay is further from the record than the choice changes anything."""
    change = result.versus_baseline
    return change is not None and abs(change - 1) <= (trusted.error or 0)


def amount_is_unknown(results: Sequence[ChoiceResult], trusted: Trust) -> bool:
    """Whether the amount is unknown."""
    least, most = trusted.amount(results)
    return most > max(_WIDE * least, least + SMALL_MS) and _like_the_baseline(results, least, most)


def _like_the_baseline(results: Sequence[ChoiceResult], least: float, most: float) -> bool:
    """Whether what is expected of the choices may be what the incident costs as recorded, or the other way round."""
    base = results[0].base
    medians = [each.unavailable_partition_ms.median for each in results]
    return least <= base.median <= most or any(base.least <= median <= base.most for median in medians)
