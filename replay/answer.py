"""The answer in one sentence: what a choice would have cost, instead of what, and how far that can be trusted."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.beside import humps, needs, unpolled
from groupsim.replay.numbers import of_seeds, percent, ratio_range, seconds, seconds_range
from groupsim.replay.trust import SMALL_MS, Trust
from groupsim.replay.verdict import Verdict, how_far, perhaps, promising, seeds_say, verdict, why_not_sure
from groupsim.replay.what_if import ChoiceResult
from groupsim.replay.worth import worth_ms

_LUCK = 0.1
"""A record is not typical if it is further from the median of its replays than this share."""


def sentence(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice."""
    return f"{_said(result, trusted)}."


def line(result: ChoiceResult, trusted: Trust) -> str:
    """The same below a headline, which says how far the replay is from the record."""
    found = verdict(result, trusted)
    if not result.simulated:
        return _not_simulated(result)
    if found is Verdict.NO_DIFFERENCE:
        return _joined([f"{result.choice} {_no_difference(result)}", humps(result)])
    if found is Verdict.NOT_SURE:
        return _joined([_capital(_not_sure(result)), "" if trusted.low else why_not_sure(result, trusted)])
    if found is Verdict.MOVED:
        return _only_moves(result)
    return _joined(
        [
            f"{result.choice} {_cost([result])}",
            needs([result]),
            unpolled(result),
            humps(result),
            how_far([result], trusted),
        ]
    )


def _only_moves(result: ChoiceResult) -> str:
    return _joined([f"{result.choice} only moves time: it {_cost([result])}", unpolled(result)])


def _said(result: ChoiceResult, trusted: Trust) -> str:
    found, warning = verdict(result, trusted), trusted.warning()
    if found is Verdict.SAME and warning:
        return _joined([f"{warning}{_not_simulated(result)}", trusted.off()])
    if not result.simulated:
        return _not_simulated(result)
    if found is Verdict.UNKNOWN:
        return _uncompared(result, trusted)
    if found is Verdict.NO_DIFFERENCE:
        return _joined([f"{result.choice} {_no_difference(result)}", humps(result), trusted.reasons(result)])
    if found is Verdict.NOT_SURE:
        return _joined([_capital(f"{warning}{_not_sure(result)}"), _why_not_sure(result, trusted)])
    if found is Verdict.MOVED:
        return _joined([_only_moves(result), trusted.reasons(result)])
    cost = f"{result.choice} {_cost([result], _luck(result, trusted))}"
    return _joined(
        [
            cost,
            needs([result]),
            unpolled(result),
            humps(result),
            f"{how_far([result], trusted)}: {trusted.reasons(result)}",
        ]
    )


def _not_simulated(result: ChoiceResult) -> str:
    if result.as_recorded:
        return f"{result.choice} is what the record has, so it changes nothing"
    return f"{result.choice} {_why_none(result)}{'' if result.impossible else ' from this record'}: {result.refused}"


def _why_none(result: ChoiceResult) -> str:
    return "is not possible" if result.impossible else "can't be answered"


def _not_sure(result: ChoiceResult) -> str:
    simulated = _cost([result], costs="it costs")
    found = f"whether {result.choice} would have helped is not sure: simulated, {simulated}"
    return _joined([found, needs([result]), humps(result)])


def _why_not_sure(result: ChoiceResult, trusted: Trust) -> str:
    """What speaks against every direction; else what the seeds say, or that the replay is too far from the record."""
    return ": ".join(filter(None, [why_not_sure(result, trusted), trusted.reasons(result)]))


def _uncompared(result: ChoiceResult, trusted: Trust) -> str:
    """Amounts of simulations, without a percentage: there is no record to compare them with."""
    unknown = f"whether {result.choice} would have helped is unknown, because the record's total is: {trusted.unknown}"
    if not trusted.partitions_known:
        return _capital(unknown)
    own, base = result.unavailable_partition_ms.median, result.base.median
    return _capital(f"{unknown}; simulated, it costs {seconds(own)} partition-seconds instead of {seconds(base)}")


def _all_uncompared(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    unknown = f"Whether one of the {len(results)} choices would have helped is unknown, because the record's total is: "
    if not trusted.partitions_known:
        return f"{unknown}{trusted.unknown}"
    costs = [f"{seconds(each.unavailable_partition_ms.median)} with {each.choice}" for each in results]
    base = f"{seconds(results[0].base.median)} partition-seconds as recorded"
    return f"{unknown}{trusted.unknown}; simulated, it costs {', '.join([base, *costs])}"


def headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about all choices in one sentence: the best one, those that are as good, what became of the others.

    It ends with the settings that the logs do not show and that the answer depends on.
    """
    asks = len(results) == 1 or any(each.simulated for each in results[1:])
    return f"{_joined([_headline(results, trusted), trusted.not_in_the_logs() if asks else ''])}."


def _headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    baseline, *choices = results
    if not choices:
        return _as_recorded(baseline, trusted)
    answered = [each for each in choices if each.refused is None]
    refused = [each for each in choices if each.refused is not None]
    if not answered:
        return _joined([_not_simulated(each) for each in refused])
    others = [f"{each.choice} {_why_none(each)}" for each in refused]
    return _joined([_about(answered, trusted), ", ".join(others)])


def _about(answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about choices that the record can answer."""
    simulated = [each for each in answered if each.simulated]
    if len(answered) == 1 or not simulated:
        return _joined([_said(answered[0], trusted), *map(_not_simulated, answered[1:])])
    if trusted.unknown is not None:
        return _all_uncompared(simulated, trusted) if len(simulated) > 1 else _said(simulated[0], trusted)
    if better := _better(answered, trusted):
        return _best(better, answered, trusted)
    unsure = [each for each in simulated if verdict(each, trusted) is Verdict.NOT_SURE]
    listed = ", ".join(f"{each.choice} {_difference(each, trusted)}" for each in answered)
    if not unsure:
        none = f"None of the {len(answered)} choices would have helped ({listed})"
        return _joined([none, trusted.reasons(simulated[0])])
    found = f"{trusted.warning()}whether one of the {len(answered)} choices would have helped is not sure ({listed})"
    first = _promising(unsure, trusted)
    if first is None:
        return _joined([_capital(found), _why_not_sure(unsure[0], trusted)])
    said = f"the most promising is {first.choice}: {seeds_say(first)}"
    return _joined([_capital(found), said, trusted.reasons(first)])


def _promising(unsure: Sequence[ChoiceResult], trusted: Trust) -> ChoiceResult | None:
    """Of choices that are not sure the one that costs least, where that would be a gain."""
    found = [each for each in unsure if promising(each, trusted)]
    return min(found, key=lambda each: each.unavailable_partition_ms.median, default=None)


def _best(better: Sequence[ChoiceResult], answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The best choices, from the best: one, or several with no difference worth having between them."""
    level = _level(better)
    names = _either([each.choice for each in level])
    if len(level) > 1:
        names += ", with no difference worth having between them,"
    named = "Perhaps the best" if perhaps(level, trusted) else "Best"
    found = f"{named} of {len(answered)}: {names} {_cost(level, _luck(better[0], trusted))}"
    behind = [_next(better[0], each) for each in better if each not in level]
    trust = f"{how_far(level, trusted)}: {trusted.reasons(level[0])}"
    others = [*behind[:1], _maybe_lower(level[0], answered, trusted)]
    return _joined([found, *others, needs(level), unpolled(level[0]), humps(level[0]), trust])


def _maybe_lower(best: ChoiceResult, answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """A choice that is not sure, where it costs less than the best in the median."""
    found = _promising([each for each in answered if each.simulated], trusted)
    if found is None or found.unavailable_partition_ms.median >= best.unavailable_partition_ms.median:
        return ""
    return f"not sure is {found.choice} with {seconds(found.unavailable_partition_ms.median)}"


def best(results: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """The choices (not as recorded) that a headline names as the best: none, one, or several that are as good."""
    return _level(_better(results[1:], trusted))


def _better(choices: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """Those that would have helped, from the best."""
    found = [each for each in choices if verdict(each, trusted).helps]
    return sorted(found, key=lambda each: each.unavailable_partition_ms.median)


def _level(better: Sequence[ChoiceResult]) -> list[ChoiceResult]:
    """The first, and those whose medians, which the table shows, are no difference worth having from it."""
    found = []
    for each in better:
        behind = each.unavailable_partition_ms.median - better[0].unavailable_partition_ms.median
        if behind < worth_ms(each.base.median):
            found.append(each)
    return found


def _next(best: ChoiceResult, other: ChoiceResult) -> str:
    """The best choice that is clearly behind, and in how many seeds it is not."""
    found = f"next is {other.choice} with {seconds(other.unavailable_partition_ms.median)}"
    ahead = sum(own < its for own, its in zip(other.values, best.values, strict=True))
    return f"{found}, which costs less in {ahead} of {of_seeds(len(best.costs))}" if ahead else found


def founding(results: Sequence[ChoiceResult]) -> str:
    """What the founding of the group cost, which is in no comparison: as recorded, and with choices that differ."""
    baseline, *others = (result for result in results if result.costs)
    usual = baseline.founding_ms.median
    other = [each for each in others if abs(each.founding_ms.median - usual) > worth_ms(usual)]
    found = [
        f"{seconds(usual)} partition-seconds",
        *(f"{seconds(o.founding_ms.median)} with {o.choice}" for o in other),
    ]
    return ", ".join(found)


def _as_recorded(baseline: ChoiceResult, trusted: Trust) -> str:
    if trusted.unknown is not None:
        return f"The record's total is unknown: {trusted.unknown}"
    found = baseline.unavailable_partition_ms
    chance = f"by chance it can be {seconds(found.least)} to {seconds(found.most)} ({of_seeds(len(baseline.costs))})"
    parts = [f"{trusted.warning()}{trusted.recorded()} partition-seconds are recorded", chance]
    return _capital(_joined([*parts, trusted.reasons(baseline), "name choices with --assignor and --set"]))


def _cost(results: Sequence[ChoiceResult], luck: str = "", costs: str = "would have cost") -> str:
    """What the choices would have cost together: their medians, and how they change the cost, seed by seed."""
    base, medians = results[0].base.median, [each.unavailable_partition_ms.median for each in results]
    costs = f"{costs} {seconds_range(medians)} partition-seconds instead of {seconds(base)}"
    idle = results[0].idle
    nothing = f"as recorded, {idle} of them cost nothing" if idle else ""
    seeds = _joined([f"over {of_seeds(len(results[0].costs))}", nothing, luck])
    if not base:
        return f"{costs} ({seeds})"
    quotients = [each.versus_baseline or 0.0 for each in results]
    change = ratio_range((min(quotients), max(quotients)))
    by_seed = [found for each in results if (found := each.changes) is not None]
    if not by_seed:
        return f"{costs} ({change} {seeds})"
    over = ratio_range((min(low for low, _ in by_seed), max(high for _, high in by_seed)))
    return f"{costs} ({change} {seeds})" if over == change else f"{costs} ({change}, {over} {seeds})"


def _no_difference(result: ChoiceResult) -> str:
    own, base, seeds = result.unavailable_partition_ms, result.base, of_seeds(len(result.costs))
    if max(own.most, base.most) < SMALL_MS:
        nothing = f"hardly anything is unavailable in the time that is compared ({seeds})"
        return f"makes no difference worth having: {nothing}"
    amounts = f"{seconds(own.median)} partition-seconds instead of {seconds(base.median)}"
    chance = f"by chance {seconds_range((own.least, own.most))} over {seeds}"
    return f"makes no difference worth having: {amounts}, {chance}"


def _difference(result: ChoiceResult, trusted: Trust) -> str:
    """What a list of choices has behind the name of one."""
    found = verdict(result, trusted)
    if found is Verdict.SAME:
        return "is what the record has"
    if found is Verdict.NO_DIFFERENCE:
        return "no difference"
    if found is Verdict.MOVED:
        return "only moves time to owners that do not poll"
    change = percent(result.versus_baseline) or f"{seconds(result.unavailable_partition_ms.median)} partition-seconds"
    if found is Verdict.NOT_SURE and not trusted.low and not trusted.doubts(result):
        return f"perhaps {change}"
    return f"likely {change}" if found is Verdict.LIKELY_WORSE else change


def _luck(result: ChoiceResult, trusted: Trust) -> str:
    """Where the record is not what its replays cost in the median: chance."""
    base, (low, high) = result.base, trusted.recorded_range_ms
    off = max(low - base.median, base.median - high)
    if off <= max(_LUCK * high, SMALL_MS):
        return ""
    return f"the record has {trusted.recorded()}"


def _either(names: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _joined(parts: Sequence[str]) -> str:
    return "; ".join(filter(None, parts))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
