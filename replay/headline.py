"""The answer about all choices in one sentence: the best, those that are as good, what became of the others."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.answer import about_one, why_unsure
from groupsim.replay.caveats import humps, needs, unfinished, unpolled
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.phrases import luck, not_simulated, simulated_as_recorded, why_none, would_have_cost
from groupsim.replay.significance import worth_ms
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, how_far, perhaps, promising, seeds_say, verdict
from groupsim.wording.lists import capital, either, joined
from groupsim.wording.numbers import counted, partition_seconds, percent_change, seconds


def headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about all choices in one sentence: the best one, those that are as good, what became of the others.

    It ends with the settings that the logs do not show and that the answer depends on.
    """
    asks = len(results) == 1 or any(each.simulated for each in results[1:])
    return f"{joined([_headline(results, trusted), trusted.not_in_the_logs() if asks else ''])}."


def best(results: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """The choices (not as recorded) that a headline names as the best: none, one, or several that are as good."""
    return _level(_better(results[1:], trusted))


def founding(results: Sequence[ChoiceResult]) -> str:
    """What the founding of the group cost, which is in no comparison: as recorded, and with choices that differ."""
    baseline, *others = (result for result in results if result.costs)
    usual = baseline.founding_ms.median
    other = [each for each in others if abs(each.founding_ms.median - usual) > worth_ms(usual)]
    found = [
        partition_seconds(usual),
        *(f"{seconds(o.founding_ms.median)} with {o.choice}" for o in other),
    ]
    return ", ".join(found)


def _headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    baseline, *choices = results
    if not choices:
        return _as_recorded(baseline, trusted)
    answered = [each for each in choices if each.refused is None]
    refused = [each for each in choices if each.refused is not None]
    if not answered:
        return joined([not_simulated(each) for each in refused])
    others = [f"{each.choice} {why_none(each)}" for each in refused]
    return joined([_about(answered, trusted), ", ".join(others)])


def _as_recorded(baseline: ChoiceResult, trusted: Trust) -> str:
    if trusted.unknown is not None:
        return f"The record's total is unknown: {trusted.unknown}"
    found = baseline.unavailable_partition_ms
    chance = (
        f"by chance it can be {seconds(found.least)} to {seconds(found.most)} ({counted(len(baseline.costs), 'seed')})"
    )
    parts = [f"{trusted.warning()}{trusted.recorded()} partition-seconds are recorded", chance]
    return capital(joined([*parts, trusted.reasons(baseline), "name choices with --assignor and --set"]))


def _about(answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about choices that the record can answer."""
    simulated = [each for each in answered if each.simulated]
    if len(answered) == 1 or not simulated:
        return joined([about_one(answered[0], trusted), *map(not_simulated, answered[1:])])
    if trusted.unknown is not None:
        return _all_uncompared(simulated, trusted) if len(simulated) > 1 else about_one(simulated[0], trusted)
    if better := _better(answered, trusted):
        return _best(better, answered, trusted)
    unsure = [each for each in simulated if verdict(each, trusted) is Verdict.NOT_SURE]
    listed = ", ".join(f"{each.choice} {_difference(each, trusted)}" for each in answered)
    if not unsure:
        none = f"None of the {len(answered)} choices would have helped ({listed})"
        return joined([none, simulated_as_recorded(simulated[0], trusted), trusted.reasons(simulated[0])])
    found = f"{trusted.warning()}whether one of the {len(answered)} choices would have helped is not sure ({listed})"
    first = _promising(unsure, trusted)
    if first is None:
        return joined([capital(found), simulated_as_recorded(unsure[0], trusted), why_unsure(unsure[0], trusted)])
    said = f"the most promising is {first.choice}: {seeds_say(first)}"
    return joined([capital(found), said, simulated_as_recorded(first, trusted), trusted.reasons(first)])


def _all_uncompared(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    unknown = f"Whether one of the {len(results)} choices would have helped is unknown, because the record's total is: "
    if not trusted.partitions_known:
        return f"{unknown}{trusted.unknown}"
    costs = [f"{seconds(each.unavailable_partition_ms.median)} with {each.choice}" for each in results]
    base = f"{partition_seconds(results[0].base.median)} as recorded"
    return f"{unknown}{trusted.unknown}; simulated, it costs {', '.join([base, *costs])}"


def _promising(unsure: Sequence[ChoiceResult], trusted: Trust) -> ChoiceResult | None:
    """Of choices that are not sure the one that costs least, where that would be a gain."""
    found = [each for each in unsure if promising(each, trusted)]
    return min(found, key=lambda each: each.unavailable_partition_ms.median, default=None)


def _best(better: Sequence[ChoiceResult], answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The best choices, from the best: one, or several with no difference worth having between them."""
    level = _level(better)
    names = either([each.choice for each in level])
    if len(level) > 1:
        names += ", with no difference worth having between them,"
    named = "Perhaps the best" if perhaps(level, trusted) else "Best"
    found = f"{named} of {len(answered)}: {names} {would_have_cost(level, luck(better[0], trusted))}"
    behind = [_next(better[0], each) for each in better if each not in level]
    trust = f"{how_far(level, trusted)}: {trusted.reasons(level[0])}"
    others = [*behind[:1], _maybe_lower(level[0], answered, trusted)]
    return joined([found, *others, needs(level), unpolled(level[0]), unfinished(level[0]), humps(level[0]), trust])


def _maybe_lower(best: ChoiceResult, answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """A choice that is not sure, where it costs less than the best in the median."""
    found = _promising([each for each in answered if each.simulated], trusted)
    if found is None or found.unavailable_partition_ms.median >= best.unavailable_partition_ms.median:
        return ""
    return f"not sure is {found.choice} with {seconds(found.unavailable_partition_ms.median)}"


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
    return f"{found}, which costs less in {ahead} of {counted(len(best.costs), 'seed')}" if ahead else found


def _difference(result: ChoiceResult, trusted: Trust) -> str:
    """What a list of choices has behind the name of one."""
    found = verdict(result, trusted)
    if found is Verdict.SAME:
        return "is what the record has"
    if found is Verdict.NO_DIFFERENCE:
        return "no difference"
    if found is Verdict.MOVED:
        return "only moves time to owners that do not poll"
    change = percent_change(result.versus_baseline) or partition_seconds(result.unavailable_partition_ms.median)
    if found is Verdict.NOT_SURE and not trusted.low and not trusted.doubts(result):
        return f"perhaps {change}"
    return f"likely {change}" if found is Verdict.LIKELY_WORSE else change
