"""The answer about one choice: what it would have cost, instead of what, and how far that can be trusted."""

from __future__ import annotations

from groupsim.replay.caveats import humps, needs, unfinished, unpolled
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.phrases import luck, no_difference, not_simulated, would_have_cost
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, how_far, verdict, why_not_sure
from groupsim.wording.lists import capital, joined
from groupsim.wording.numbers import partition_seconds, seconds


def sentence(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice."""
    return f"{about_one(result, trusted)}."


def line(result: ChoiceResult, trusted: Trust) -> str:
    """The same below a headline, which says how far the replay is from the record."""
    found = verdict(result, trusted)
    if not result.simulated:
        return not_simulated(result)
    if found is Verdict.NO_DIFFERENCE:
        return joined([f"{result.choice} {no_difference(result)}", humps(result)])
    if found is Verdict.NOT_SURE:
        return joined([capital(_not_sure(result)), "" if trusted.low else why_not_sure(result, trusted)])
    if found is Verdict.MOVED:
        return _only_moves(result)
    return joined(
        [
            f"{result.choice} {would_have_cost([result])}",
            needs([result]),
            unpolled(result),
            unfinished(result),
            humps(result),
            how_far([result], trusted),
        ]
    )


def _only_moves(result: ChoiceResult, luck: str = "") -> str:
    return joined([f"{result.choice} only moves time: it {would_have_cost([result], luck)}", unpolled(result)])


def about_one(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice, as a part of a sentence."""
    found, warning = verdict(result, trusted), trusted.warning()
    if found is Verdict.SAME and warning:
        return joined([f"{warning}{not_simulated(result)}", trusted.off()])
    if not result.simulated:
        return not_simulated(result)
    if found is Verdict.UNKNOWN:
        return _uncompared(result, trusted)
    if found is Verdict.NO_DIFFERENCE:
        return joined(
            [f"{result.choice} {no_difference(result, luck(result, trusted))}", humps(result), trusted.reasons(result)]
        )
    if found is Verdict.NOT_SURE:
        return joined([capital(f"{warning}{_not_sure(result, luck(result, trusted))}"), why_unsure(result, trusted)])
    if found is Verdict.MOVED:
        return joined([_only_moves(result, luck(result, trusted)), trusted.reasons(result)])
    cost = f"{result.choice} {would_have_cost([result], luck(result, trusted))}"
    return joined(
        [
            cost,
            needs([result]),
            unpolled(result),
            unfinished(result),
            humps(result),
            f"{how_far([result], trusted)}: {trusted.reasons(result)}",
        ]
    )


def _not_sure(result: ChoiceResult, luck: str = "") -> str:
    simulated = would_have_cost([result], luck, costs="it costs")
    found = f"whether {result.choice} would have helped is not sure: simulated, {simulated}"
    return joined([found, needs([result]), unfinished(result), humps(result)])


def why_unsure(result: ChoiceResult, trusted: Trust) -> str:
    """What speaks against every direction; else what the seeds say, or that the replay is too far from the record."""
    return ": ".join(filter(None, [why_not_sure(result, trusted), trusted.reasons(result)]))


def _uncompared(result: ChoiceResult, trusted: Trust) -> str:
    """Amounts of simulations, without a percentage: there is no record to compare them with."""
    unknown = f"whether {result.choice} would have helped is unknown, because the record's total is: {trusted.unknown}"
    if not trusted.partitions_known:
        return capital(unknown)
    own, base = result.unavailable_partition_ms.median, result.base.median
    costs = f"{unknown}; simulated, it costs {partition_seconds(own)} instead of {seconds(base)}"
    return capital(joined([costs, unfinished(result)]))
