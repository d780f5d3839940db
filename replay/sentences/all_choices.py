"""The answer about all choices in one sentence: the best, those that are as good, what became of the others."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.sentences import parts
from groupsim.replay.sentences.one_choice import about_one, why_unsure
from groupsim.replay.significance import worth_ms
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, perhaps, promising, verdict
from groupsim.wording.lists import capital, either, joined
from groupsim.wording.numbers import partition_seconds, percent_change, seconds


def headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about all choices in one sentence: the best one, those that are as good, what became of the others.

    It ends with the settings that the logs do not show and that the answer depends on.
    """
    asks = len(results) == 1 or any(each.simulated for each in results[1:])
    return f"{joined([_headline(results, trusted), trusted.not_in_the_logs() if asks else ''])}."


def best(results: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """The choices (not as recorded) that a headline names as the best: none, one, or several that are as good."""
    return _level(_better(results[1:], trusted))


def starting(results: Sequence[ChoiceResult]) -> str:
    """What start-up cost, which is in no comparison: as recorded, and with choices that differ."""
    baseline, *others = (result for result in results if result.costs)
    usual_ms = baseline.founding_ms.median
    differing = [other for other in others if abs(other.founding_ms.median - usual_ms) > worth_ms(usual_ms)]
    costs = [f"{seconds(other.founding_ms.median)} with {other.choice}" for other in differing]
    return ", ".join([partition_seconds(usual_ms), *costs])


def _headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    baseline, *choices = results
    if not choices:
        return _as_recorded(baseline, trusted)
    answered = [choice for choice in choices if choice.refused is None]
    refused = [choice for choice in choices if choice.refused is not None]
    if not answered:
        return joined(map(parts.not_simulated, refused))
    others = ", ".join(f"{choice.choice} {parts.why_none(choice)}" for choice in refused)
    return joined([_about(answered, trusted), others])


def _as_recorded(baseline: ChoiceResult, trusted: Trust) -> str:
    if trusted.unknown is not None:
        return f"The record's total is unknown: {trusted.unknown}"
    cost = baseline.unavailable_partition_ms
    total, compared = trusted.imported or trusted.recorded(), trusted.recorded()
    it, of_it = ("it", "") if total == compared else ("this part", f", of which {compared} are compared")
    chance = f"by chance {it} can be {seconds(cost.least)} to {seconds(cost.most)} ({parts.seeds_of(baseline)})"
    recorded = capital(f"{trusted.warning()}{total} partition-seconds are recorded{of_it}")
    return joined([recorded, chance, trusted.reasons(baseline), "name choices with --assignor and --set"])


def _about(answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about choices that the record can answer."""
    simulated = [choice for choice in answered if choice.simulated]
    if len(answered) == 1 or not simulated:
        return joined([about_one(answered[0], trusted), *map(parts.not_simulated, answered[1:])])
    if trusted.unknown is not None:
        return _all_uncompared(simulated, trusted) if len(simulated) > 1 else about_one(simulated[0], trusted)
    if better := _better(answered, trusted):
        return _best(better, answered, trusted)
    number, listed = len(answered), ", ".join(f"{choice.choice} {_difference(choice, trusted)}" for choice in answered)
    unsure = [choice for choice in simulated if verdict(choice, trusted) is Verdict.NOT_SURE]
    if not unsure:
        said, shown = f"None of the {number} choices would have helped ({listed})", simulated[0]
        return joined([said, parts.simulated_as_recorded(shown, trusted), trusted.reasons(shown)])
    said = capital(f"{trusted.warning()}whether one of the {number} choices would have helped is not sure ({listed})")
    first = _promising(unsure, trusted)
    if first is None:
        shown = unsure[0]
        return joined([said, parts.simulated_as_recorded(shown, trusted), why_unsure(shown, trusted)])
    why = f"the most promising is {first.choice}: {parts.seeds_say(first)}"
    return joined([said, why, parts.simulated_as_recorded(first, trusted), trusted.reasons(first)])


def _all_uncompared(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    unknown = f"Whether one of the {len(results)} choices would have helped is unknown, because the record's total is: "
    if not trusted.partitions_known:
        return f"{unknown}{trusted.unknown}"
    costs = [f"{seconds(each.unavailable_partition_ms.median)} with {each.choice}" for each in results]
    base = f"{partition_seconds(results[0].base.median)} as recorded"
    return f"{unknown}{trusted.unknown}; simulated, it costs {', '.join([base, *costs])}"


def _promising(unsure: Sequence[ChoiceResult], trusted: Trust) -> ChoiceResult | None:
    """Of choices that are not sure the one that costs least, where that would be a gain."""
    return min((each for each in unsure if promising(each, trusted)), key=_median_ms, default=None)


def _best(better: Sequence[ChoiceResult], answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The best choices, from the best: one, or several with no difference worth having between them."""
    level, first = _level(better), better[0]
    names = either([choice.choice for choice in level])
    if len(level) > 1:
        names += ", with no difference worth having between them,"
    named = "Perhaps the best" if perhaps(level, trusted) else "Best"
    behind = next((_next(first, choice) for choice in better if choice not in level), "")
    return joined(
        [
            f"{named} of {len(answered)}: {names} {parts.would_have_cost(level, parts.luck(first, trusted))}",
            behind,
            _maybe_lower(first, answered, trusted),
            *parts.beside(level),
            f"{parts.how_far(level, trusted)}: {trusted.reasons(first)}",
        ]
    )


def _maybe_lower(best: ChoiceResult, answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """A choice that is not sure, where it costs less than the best in the median."""
    lower = _promising([each for each in answered if each.simulated], trusted)
    if lower is None or _median_ms(lower) >= _median_ms(best):
        return ""
    return f"not sure is {lower.choice} with {seconds(_median_ms(lower))}"


def _better(choices: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """Those that would have helped, from the best."""
    return sorted((choice for choice in choices if verdict(choice, trusted).helps), key=_median_ms)


def _level(better: Sequence[ChoiceResult]) -> list[ChoiceResult]:
    """The first, and those whose medians, which the table shows, are no difference worth having from it."""
    return [each for each in better if _median_ms(each) - _median_ms(better[0]) < worth_ms(each.base.median)]


def _median_ms(result: ChoiceResult) -> int:
    return result.unavailable_partition_ms.median


def _next(best: ChoiceResult, other: ChoiceResult) -> str:
    """The best choice that is clearly behind, and in how many seeds it is not."""
    said = f"next is {other.choice} with {seconds(_median_ms(other))}"
    ahead = sum(own < its for own, its in zip(other.values, best.values, strict=True))
    return f"{said}, which costs less in {ahead} of {parts.seeds_of(best)}" if ahead else said


def _difference(result: ChoiceResult, trusted: Trust) -> str:
    """What a list of choices has behind the name of one."""
    decided = verdict(result, trusted)
    if decided is Verdict.SAME:
        return "is what the record has"
    if decided is Verdict.NO_DIFFERENCE:
        return "no difference"
    if decided is Verdict.MOVED:
        return "only moves time to owners that do not poll"
    change = percent_change(result.versus_baseline) or partition_seconds(_median_ms(result))
    if decided is Verdict.NOT_SURE and not trusted.low and not trusted.doubts(result):
        return f"perhaps {change}"
    return f"likely {change}" if decided is Verdict.LIKELY_WORSE else change
