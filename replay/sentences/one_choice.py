"""The answer about one choice: what it would have cost, instead of what, and how far that can be trusted."""

from __future__ import annotations

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.sentences import parts
from groupsim.replay.trust import SMALL_MS, Trust
from groupsim.replay.verdict import Verdict, verdict
from groupsim.wording.first_sentence import first_that_fits
from groupsim.wording.lists import as_sentence, capital, joined
from groupsim.wording.numbers import about_instead, two_digits


def sentence(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice."""
    return f"{about_one(result, trusted)}."


def brief(result: ChoiceResult, trusted: Trust) -> str:
    """The same in short sentences: the first is what it would have cost, the next how far to trust that."""
    decided, warning = verdict(result, trusted), trusted.warning()
    if not result.simulated:
        refused = f"{warning if decided is Verdict.SAME else ''}{parts.not_simulated(result)}."
        return first_that_fits([refused, f"{result.named} {parts.why_none(result)}."], [result.named])
    own, base = result.unavailable_partition_ms, result.base
    amounts = about_instead([own.median], base.median)
    if decided is Verdict.UNKNOWN:
        unknown = f"Whether {result.named} would have helped is unknown, because the record's total is."
        return f"{unknown} Simulated, it costs {amounts}." if trusted.partitions_known else unknown
    if decided is Verdict.NO_DIFFERENCE:
        small = max(own.most, base.most) < SMALL_MS
        why = "hardly anything is unavailable in the time that is compared" if small else amounts
        said = [f"{result.named} makes no difference worth having: {why}"]
    elif decided is Verdict.NOT_SURE:
        not_sure = f"{warning}whether {result.named} would have helped is not sure: simulated, it costs {amounts}"
        said = [capital(not_sure), why_in_brief(result, trusted)]
    elif decided is Verdict.MOVED:
        longer = "but a process that is stuck in a batch holds partitions for longer"
        said = [f"{result.named} only moves time: {amounts}, {longer}"]
    else:
        said = [f"{result.named} would have cost {amounts}", parts.how_far([result], trusted)]
    total = trusted.imported or trusted.recorded_in_brief()
    record = ""
    if parts.luck(result, trusted):
        record = f"what was recorded is {total}; {two_digits(base.median)} is its simulation"
    rest = [*said[1:], record, parts.needs([result])]
    return " ".join([f"{said[0]}.", *map(as_sentence, filter(None, rest))])


def why_in_brief(result: ChoiceResult, trusted: Trust, it: str = "it") -> str:
    """The first reason why nothing is sure. `it`: how the choice is called."""
    return next(iter(trusted.doubts(result)), "") or parts.why_not_sure(result, trusted, it)


def line(result: ChoiceResult, trusted: Trust) -> str:
    """The same below a headline, which says how far the replay is from the record."""
    decided = verdict(result, trusted)
    if not result.simulated:
        return parts.not_simulated(result)
    if decided is Verdict.NO_DIFFERENCE:
        return joined([f"{result.named} {parts.no_difference(result)}", parts.humps(result)])
    if decided is Verdict.NOT_SURE:
        return joined([capital(_not_sure(result)), "" if trusted.low else parts.why_not_sure(result, trusted)])
    if decided is Verdict.MOVED:
        return _only_moves(result)
    cost = f"{result.named} {parts.would_have_cost([result])}"
    return joined([cost, *parts.beside([result]), parts.how_far([result], trusted)])


def about_one(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice, as a part of a sentence."""
    decided, warning = verdict(result, trusted), trusted.warning()
    if decided is Verdict.SAME and warning:
        return joined([f"{warning}{parts.not_simulated(result)}", trusted.off()])
    if not result.simulated:
        return parts.not_simulated(result)
    if decided is Verdict.UNKNOWN:
        return _uncompared(result, trusted)
    luck, reasons = parts.luck(result, trusted), trusted.reasons(result)
    if decided is Verdict.NO_DIFFERENCE:
        return joined([f"{result.named} {parts.no_difference(result, luck)}", parts.humps(result), reasons])
    if decided is Verdict.NOT_SURE:
        return joined([capital(f"{warning}{_not_sure(result, luck)}"), why_unsure(result, trusted)])
    if decided is Verdict.MOVED:
        return joined([_only_moves(result, luck), reasons])
    cost = f"{result.named} {parts.would_have_cost([result], luck)}"
    return joined([cost, *parts.beside([result]), f"{parts.how_far([result], trusted)}: {reasons}"])


def why_unsure(result: ChoiceResult, trusted: Trust) -> str:
    """What speaks against every direction; else what the seeds say, or that the replay is too far from the record."""
    return ": ".join(filter(None, [parts.why_not_sure(result, trusted), trusted.reasons(result)]))


def _only_moves(result: ChoiceResult, luck: str = "") -> str:
    moves = f"{result.named} only moves time: it {parts.would_have_cost([result], luck)}"
    return joined([moves, parts.unpolled(result)])


def _not_sure(result: ChoiceResult, luck: str = "") -> str:
    simulated = parts.would_have_cost([result], luck, costs="it costs")
    not_sure = f"whether {result.named} would have helped is not sure: simulated, {simulated}"
    return joined([not_sure, parts.needs([result]), parts.unfinished(result), parts.humps(result)])


def _uncompared(result: ChoiceResult, trusted: Trust) -> str:
    """Amounts of simulations, without a percentage: there is no record to compare them with."""
    unknown = f"whether {result.named} would have helped is unknown, because the record's total is: {trusted.unknown}"
    if not trusted.partitions_known:
        return capital(unknown)
    amounts = parts.instead_of(result.unavailable_partition_ms.median, result.base.median)
    return capital(joined([f"{unknown}; simulated, it costs {amounts}", parts.unfinished(result)]))
