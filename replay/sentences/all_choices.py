"""The answer about all choices: the best, or that none helps, in a short sentence; how far to trust it in the next.

What that rests on is said apart (`rests_on`), and each choice in full by `one_choice`.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.sentences import parts
from groupsim.replay.sentences.one_choice import brief, why_in_brief
from groupsim.replay.significance import worth_ms
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, perhaps, promising, verdict
from groupsim.wording.lists import as_sentence, capital, either
from groupsim.wording.numbers import about_instead, partition_seconds, seconds, two_digits

_NAMED = 3
"""So many choices that are as good are named, and so many others."""
_AMONG_OTHERS = {
    Verdict.BETTER: "costs more than that",
    Verdict.LIKELY_BETTER: "costs more than that",
    Verdict.WORSE: "costs more than as recorded",
    Verdict.LIKELY_WORSE: "is likely to cost more than as recorded",
    Verdict.NO_DIFFERENCE: "changes nothing worth having",
    Verdict.MOVED: "only moves time",
    Verdict.NOT_SURE: "may help or not",
    Verdict.SAME: "is what the record has",
}
"""What is said of a choice that was asked for and is not among the best."""


def headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about all choices: the best one and those that are as good, or that none would have helped."""
    baseline, *choices = results
    if not choices:
        return _as_recorded(baseline, trusted)
    answered = [choice for choice in choices if choice.refused is None]
    refused = [choice for choice in choices if choice.refused is not None]
    if not answered:
        return " ".join(brief(choice, trusted) for choice in refused)
    others = (
        [f"The others: {', '.join(f'{each.named} {parts.why_none(each)}' for each in refused)}."] if refused else []
    )
    return " ".join([*_about(answered, trusted), *others])


def rests_on(results: Sequence[ChoiceResult], trusted: Trust) -> list[str]:
    """What the answer rests on, without full stops: the record beside its replay, and what the logs do not show."""
    baseline, *choices = results
    if trusted.unknown is not None:
        return [f"the record's total is unknown: {trusted.unknown}"]
    if not choices:
        return [*_compared(trusted), *_reasons(baseline, trusted), "name choices with --assignor and --set"]
    simulated = [choice for choice in choices if choice.simulated]
    compared = [said] if simulated and (said := parts.simulated_as_recorded(simulated[0], trusted)) else []
    missing = trusted.not_in_the_logs() if simulated else ""
    return [*compared, *_reasons(simulated[0] if simulated else baseline, trusted), *filter(None, [missing])]


def best(results: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """The choices (not as recorded) that a headline names as the best: none, one, or several that are as good."""
    return _level(_better(results[1:], trusted))


def starting(results: Sequence[ChoiceResult]) -> str:
    """What start-up cost, which is in no comparison: as recorded, and with choices that differ."""
    baseline, *others = (result for result in results if result.costs)
    usual_ms = baseline.founding_ms.median
    differing = [other for other in others if abs(other.founding_ms.median - usual_ms) > worth_ms(usual_ms)]
    costs = [f"{seconds(other.founding_ms.median)} with {other.named}" for other in differing]
    return ", ".join([partition_seconds(usual_ms), *costs])


def _as_recorded(baseline: ChoiceResult, trusted: Trust) -> str:
    if trusted.unknown is not None:
        return "The record's total is unknown."
    cost, total = baseline.unavailable_partition_ms, trusted.imported or trusted.recorded_in_brief()
    it = "it" if total == trusted.recorded_in_brief() else "what of it is compared"
    chance = f"by chance {it} can be {seconds(cost.least)} to {seconds(cost.most)}"
    return f"{capital(f'{trusted.warning()}{total}')} partition-seconds are recorded; {chance}."


def _compared(trusted: Trust) -> list[str]:
    total, compared = trusted.imported, trusted.recorded()
    return [] if total is None or total == compared else [f"the record has {total}, of which {compared} are compared"]


def _reasons(result: ChoiceResult, trusted: Trust) -> list[str]:
    return [*trusted.doubts(result), *filter(None, [trusted.low_because()]), trusted.off()]


def _about(answered: Sequence[ChoiceResult], trusted: Trust) -> list[str]:
    """The sentences about choices that the record can answer."""
    simulated = [choice for choice in answered if choice.simulated]
    if len(answered) == 1 or not simulated:
        return [brief(choice, trusted) for choice in answered]
    if trusted.unknown is not None:
        return _uncompared(simulated, trusted) if len(simulated) > 1 else [brief(simulated[0], trusted)]
    if better := _better(answered, trusted):
        level = _level(better)
        return [*_best(level, trusted), *_rest([each for each in answered if each not in level], trusted)]
    unsure = [choice for choice in simulated if verdict(choice, trusted) is Verdict.NOT_SURE]
    if not unsure:
        return [_none(answered, trusted)]
    none = f"tried one by one, none of the {len(answered)} choices clearly costs less than what was set"
    first = _promising(unsure, trusted)
    if first is not None:
        return [as_sentence(f"{none}; {first.named} comes nearest"), as_sentence(parts.seeds_say(first))]
    if trusted.low or trusted.doubts(unsure[0]):
        none = f"{trusted.warning()}it is not sure that any of the {len(answered)} choices would have helped"
    return [as_sentence(none), as_sentence(why_in_brief(unsure[0], trusted, f"for example, {unsure[0].named}"))]


def _none(answered: Sequence[ChoiceResult], trusted: Trust) -> str:
    """That none would have helped, and what the least of those costs that move nothing."""
    none = f"None of the {len(answered)} choices would have helped"
    real = [each for each in answered if each.simulated and verdict(each, trusted) is not Verdict.MOVED]
    if not real:
        return f"{none}: they only move time to owners that do not poll."
    least = min(real, key=_median_ms)
    if two_digits(_median_ms(least)) == (as_now := two_digits(least.base.median)):
        return f"{none}: each would have cost about {as_now} partition-seconds, as recorded, or more."
    return f"{none}: the least is {about_instead([_median_ms(least)], least.base.median)}, with {least.named}."


def _uncompared(results: Sequence[ChoiceResult], trusted: Trust) -> list[str]:
    unknown = f"Whether one of the {len(results)} choices would have helped is unknown, because the record's total is."
    if not trusted.partitions_known:
        return [unknown]
    costs = [f"{seconds(each.unavailable_partition_ms.median)} with {each.named}" for each in results]
    base = f"{partition_seconds(results[0].base.median)} as recorded"
    return [unknown, f"Simulated, it costs {', '.join([base, *costs])}."]


def _promising(unsure: Sequence[ChoiceResult], trusted: Trust) -> ChoiceResult | None:
    """Of choices that are not sure the one that costs least, where that would be a gain."""
    return min((each for each in unsure if promising(each, trusted)), key=_median_ms, default=None)


def _best(level: Sequence[ChoiceResult], trusted: Trust) -> list[str]:
    """The best choices, from the best: one, or several with no difference worth having between them."""
    best = "Perhaps best" if perhaps(level, trusted) else "Best"
    it = "it" if len(level) == 1 else "each alone"
    far = parts.how_far(level, trusted, it)
    return [f"{best}: {_amounts(level)}.", *map(as_sentence, filter(None, [far, parts.needs(level)]))]


def _rest(others: Sequence[ChoiceResult], trusted: Trust) -> list[str]:
    """What of the choices that are not the best, so that none that was asked for is missing from the answer."""
    if len(others) > _NAMED:
        return [f"The other {len(others)} choices are in the table."]
    said = [f"{each.named} {_AMONG_OTHERS[verdict(each, trusted)]}" for each in others]
    return [f"The rest: {', '.join(said)}."] if said else []


def _amounts(level: Sequence[ChoiceResult]) -> str:
    """What choices that are as good would have cost: each of two, and the range of more."""
    names, medians, base = [each.named for each in level], [_median_ms(each) for each in level], level[0].base.median
    if len({two_digits(ms) for ms in medians}) == len(level) == 2:
        first, second = names
        about = about_instead(medians[:1], base)
        return f"{first} would have cost {about}, and {second} about {two_digits(medians[1])}"
    named = either(names if len(names) <= _NAMED else [*names[: _NAMED - 1], "others that are as good"])
    one = "either " if 1 < len(names) <= _NAMED else ""
    return f"{one}{named} would have cost {about_instead(medians, base)}"


def _better(choices: Sequence[ChoiceResult], trusted: Trust) -> list[ChoiceResult]:
    """Those that would have helped, from the best."""
    return sorted((choice for choice in choices if verdict(choice, trusted).helps), key=_median_ms)


def _level(better: Sequence[ChoiceResult]) -> list[ChoiceResult]:
    """The first, and those whose medians, which the table shows, are no difference worth having from it."""
    return [each for each in better if _median_ms(each) - _median_ms(better[0]) < worth_ms(each.base.median)]


def _median_ms(result: ChoiceResult) -> int:
    return result.unavailable_partition_ms.median
