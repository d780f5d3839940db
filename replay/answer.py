"""The answer in one sentence: what a choice would have cost, instead of what, and how far that can be trusted."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.numbers import percent, ratio_range, seconds, seconds_range
from groupsim.replay.trust import SMALL_MS, Trust
from groupsim.replay.what_if import ChoiceResult, Verdict, difference

_LUCK = 0.1
"""A record is not typical if it is further from the median of its replays than this share."""


def sentence(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice."""
    return f"{_said(result, trusted)}."


def line(result: ChoiceResult, trusted: Trust) -> str:
    """The same below a headline, which says how far the replay is from the record."""
    if result.refused is not None or result.as_recorded:
        return _said(result, trusted)
    if result.verdict is Verdict.NO_DIFFERENCE:
        return f"{result.choice} {_no_difference(result)}"
    return _joined([f"{result.choice} {_cost([result])}", _humps(result), trusted.verdict([result])])


def _said(result: ChoiceResult, trusted: Trust) -> str:
    if result.refused is not None:
        return f"{result.choice} can't be answered from this record: {result.refused}"
    if result.as_recorded:
        return f"{result.choice} is what the record has, so it changes nothing"
    if trusted.unknown is not None:
        return _uncompared(result, trusted)
    if result.verdict is Verdict.NO_DIFFERENCE:
        parts = [f"{trusted.warning()}{result.choice} {_no_difference(result)}", trusted.caveat(result)]
    else:
        cost = _cost([result], _luck(result, trusted))
        parts = [f"{trusted.warning()}{result.choice} {cost}", _humps(result), trusted.clause([result])]
    return _joined(parts)


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
    base = seconds(results[0].base.median)
    return f"{unknown}{trusted.unknown}; simulated, {', '.join(costs)} partition-seconds instead of {base}"


def headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about all choices in one sentence: the best one, those that are as good, what became of the others.

    It ends with the settings that the logs do not show and that the answer depends on.
    """
    return f"{_joined([_headline(results, trusted), trusted.not_in_the_logs()])}."


def _headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    baseline, *choices = results
    if not choices:
        return _as_recorded(baseline, trusted)
    answered = [each for each in choices if each.refused is None]
    if trusted.unknown is not None and len(answered) > 1:
        return _all_uncompared(answered, trusted)
    if len(choices) == 1 or not answered or trusted.unknown is not None:
        return _said((answered or choices)[0], trusted)
    if better := _better(choices):
        return _best(better, len(choices), trusted)
    named = [f"{each.choice} {_difference(each)}" for each in choices]
    none = f"{trusted.warning()}none of the {len(choices)} choices would have helped ({', '.join(named)})"
    return _joined([_capital(none), trusted.caveat(next(each for each in choices if each.costs))])


def _best(better: Sequence[ChoiceResult], choices: int, trusted: Trust) -> str:
    """The best choices, from the best: one, or several with no difference worth having between them."""
    level = _level(better)
    names = _either([each.choice for each in level])
    if len(level) > 1:
        names += ", with no difference worth having between them,"
    found = _capital(f"{trusted.warning()}best of {choices}: {names} {_cost(level, _luck(better[0], trusted))}")
    behind = [_next(better[0], each) for each in better if each not in level]
    return _joined([found, *behind[:1], _humps(level[0]), trusted.clause(level)])


def best(results: Sequence[ChoiceResult]) -> list[ChoiceResult]:
    """The choices (not as recorded) that a headline names as the best: none, one, or several that are as good."""
    return _level(_better(results[1:]))


def _better(choices: Sequence[ChoiceResult]) -> list[ChoiceResult]:
    """Those that would have helped, from the best."""
    found = [each for each in choices if each.verdict is Verdict.BETTER]
    return sorted(found, key=lambda each: each.unavailable_partition_ms.median)


def _level(better: Sequence[ChoiceResult]) -> list[ChoiceResult]:
    """The first, and those with no difference worth having from it."""
    return [each for each in better if not difference(better[0].values, each.values, each.base.median)]


def _next(best: ChoiceResult, other: ChoiceResult) -> str:
    """The best choice that is clearly behind, and in how many seeds it is not."""
    found = f"next is {other.choice} with {seconds(other.unavailable_partition_ms.median)}"
    ahead = sum(own < its for own, its in zip(other.values, best.values, strict=True))
    return f"{found}, which costs less in {ahead} of {len(best.costs)} seeds" if ahead else found


def _as_recorded(baseline: ChoiceResult, trusted: Trust) -> str:
    if trusted.unknown is not None:
        return f"The record's total is unknown: {trusted.unknown}"
    found = baseline.unavailable_partition_ms
    chance = f"by chance it can be {seconds(found.least)} to {seconds(found.most)} ({len(baseline.costs)} seeds)"
    parts = [f"{trusted.warning()}{seconds(trusted.recorded_ms)} partition-seconds are recorded", chance]
    return _capital(_joined([*parts, trusted.reasons(baseline), "name choices with --assignor and --set"]))


def _cost(results: Sequence[ChoiceResult], luck: str = "") -> str:
    """What the choices would have cost together: their medians, and how they change the cost, seed by seed."""
    base, medians = results[0].base.median, [each.unavailable_partition_ms.median for each in results]
    costs = f"would have cost {seconds_range(medians)} partition-seconds instead of {seconds(base)}"
    seeds = _joined([f"over {len(results[0].costs)} seeds", luck])
    if not base:
        return f"{costs} ({seeds})"
    quotients = [each.versus_baseline or 0.0 for each in results]
    by_seed = [each.changes or (1.0, 1.0) for each in results]
    change = ratio_range((min(quotients), max(quotients)))
    over = ratio_range((min(low for low, _ in by_seed), max(high for _, high in by_seed)))
    return f"{costs} ({change} {seeds})" if over == change else f"{costs} ({change}, {over} {seeds})"


def _no_difference(result: ChoiceResult) -> str:
    own, base, seeds = result.unavailable_partition_ms, result.base, len(result.costs)
    if max(own.most, base.most) < SMALL_MS:
        nothing = f"hardly anything is unavailable in the time that is compared ({seeds} seeds)"
        return f"makes no difference worth having: {nothing}"
    amounts = f"{seconds(own.median)} partition-seconds instead of {seconds(base.median)}"
    chance = f"by chance {seconds_range((own.least, own.most))} over {seeds} seeds"
    moved = abs(own.median - base.median) >= max(_LUCK * base.median, SMALL_MS)
    other = f", and in {result.opposed} of them the other way round" if moved and result.opposed else ""
    return f"makes no difference worth having: {amounts}, {chance}{other}"


def _difference(result: ChoiceResult) -> str:
    if result.refused is not None:
        return "can't be answered"
    if result.as_recorded:
        return "is what the record has"
    if result.verdict is Verdict.NO_DIFFERENCE:
        return "no difference"
    return percent(result.versus_baseline) or f"{seconds(result.unavailable_partition_ms.median)} partition-seconds"


def _luck(result: ChoiceResult, trusted: Trust) -> str:
    """Where the record is not what its replays cost in the median: chance."""
    base, low, high = result.base, trusted.recorded_ms, trusted.recorded_at_most_ms
    off = max(low - base.median, base.median - high)
    if trusted.low or trusted.doubts(result) or off <= max(_LUCK * high, SMALL_MS):
        return ""
    return f"the record has {seconds(low)}"


def _humps(result: ChoiceResult) -> str:
    humps = result.modes
    if len(humps) < 2:
        return ""
    parts = [f"{seconds(hump.median)} in {round(hump.share * len(result.costs))}" for hump in humps]
    return f"the seeds are of two kinds, {' and '.join(parts)} of {len(result.costs)}"


def _either(names: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _joined(parts: Sequence[str]) -> str:
    return "; ".join(filter(None, parts))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
