"""The answer in one sentence: what a choice would have cost, instead of what, and how far that can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from groupsim.replay.cost import Cost
from groupsim.replay.fidelity import Fidelity
from groupsim.replay.what_if import ChoiceResult, Verdict

LEAST_MARGIN = 0.1
"""What replays of recorded groups are off at best, in the median (`docs/predictions.md`)."""
LOW_ERROR, LOW_MATCH = 0.25, 0.8
"""A replay that is off by more, or has a smaller share of the recorded generations, is of low fidelity."""
_LUCK = 0.1
_SMALL_MS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What the answers rest on, in partition-milliseconds: what is recorded (at most, where logs leave something
    unknown), and the replay of exactly that. `unknown`: why the record's total is not known.
    `partitions_known`: the record names some; else those of the replay are assumed.
    """

    recorded_ms: int
    recorded_at_most_ms: int
    replayed_ms: int
    matched: float
    unknown: str | None = None
    partitions_known: bool = True

    @property
    def error(self) -> float | None:
        """How far the replay is from the record, as a share of the record; None: the record shows nearly nothing."""
        low, high = self.recorded_ms, self.recorded_at_most_ms
        off = max(low - self.replayed_ms, self.replayed_ms - high, 0)
        if high < _SMALL_MS:
            return 0.0 if off < _SMALL_MS else None
        return off / high

    @property
    def low(self) -> bool:
        """Whether the replay is too far from the record."""
        return self.error is None or self.error > LOW_ERROR or self.matched < LOW_MATCH

    @property
    def margin(self) -> float:
        """How far an amount can be off, as a share: at least `LEAST_MARGIN`, in steps of 5 %."""
        return max(LEAST_MARGIN, math.ceil((self.error or 0) * 20) / 20)

    def clause(self, change: float | None, opposed: str = "") -> str:
        """How far the answer can be trusted; `change` is the share by which the choice changes the cost.

        `opposed`: how many seeds say the opposite, if any do.
        """
        off = self._off()
        if self.unknown is not None:
            return ""
        if change is None:
            return off
        if self.low or abs(change) <= (self.error or 0):
            return f"{off}, so the direction is uncertain, too"
        amount = f"about ±{self.margin * 100:.0f} %"
        return (
            f"{off}, so trust the median to {amount}; {opposed}"
            if opposed
            else f"{off}, so trust the direction and {amount}"
        )

    def _off(self) -> str:
        if self.error is None:
            return (
                f"the replay of the record has {seconds(self.replayed_ms)} partition-seconds and the record nearly none"
            )
        return f"the replay of the record is {self.error * 100:.0f} % off"

    def warning(self) -> str:
        """What a headline of low fidelity begins with."""
        if not self.low:
            return ""
        if self.error is not None and self.error <= LOW_ERROR:
            return f"Low fidelity (only {self.matched * 100:.0f} % of the recorded generations are replayed): "
        return "Low fidelity: "


def trust(close: Fidelity, replayed_ms: int, recorded: Cost, unknown: str | None) -> Trust:
    """What the answers about a record rest on."""
    return Trust(
        recorded_ms=recorded.unavailable_partition_ms,
        recorded_at_most_ms=recorded.unavailable_partition_ms + recorded.unknown_ms,
        replayed_ms=replayed_ms,
        matched=close.matched / close.recorded if close.recorded else 1.0,
        unknown=unknown,
        partitions_known=recorded.partitions > 0,
    )


def sentence(result: ChoiceResult, trusted: Trust) -> str:
    """The answer about one choice."""
    if result.refused is not None:
        return f"{result.choice} can't be answered from this record: {result.refused}."
    if trusted.unknown is not None:
        return _uncompared(result, trusted)
    change = result.versus_baseline
    clauses = [f"{trusted.warning()}{result.choice} {_cost(result)}"]
    clauses += [
        _luck(result, trusted),
        _humps(result),
        trusted.clause(None if change is None else change - 1, _opposed(result)),
    ]
    if result.verdict is Verdict.NO_DIFFERENCE:
        clauses[-1] = trusted.clause(None)
    return "; ".join(filter(None, clauses)) + "."


def _uncompared(result: ChoiceResult, trusted: Trust) -> str:
    """Amounts of simulations, without a percentage: there is no record to compare them with."""
    unknown = f"Whether {result.choice} would have helped is unknown, because the record's total is: {trusted.unknown}"
    if not trusted.partitions_known:
        return f"{unknown}."
    own, base = result.unavailable_partition_ms.median, result.base.median
    return f"{unknown}; simulated, it costs {seconds(own)} partition-seconds instead of {seconds(base)}."


def headline(results: Sequence[ChoiceResult], trusted: Trust) -> str:
    """The answer about all choices in one sentence: the best one's, and what became of the others."""
    baseline, *choices = results
    if not choices:
        return _as_recorded(baseline, trusted)
    answered = [each for each in choices if each.refused is None]
    if len(choices) == 1 or not answered or trusted.unknown is not None:
        return sentence((answered or choices)[0], trusted)
    better = [each for each in answered if each.verdict is Verdict.BETTER]
    if better:
        best = min(better, key=lambda each: each.unavailable_partition_ms.median)
        return f"Best of {len(choices)}: {sentence(best, trusted)}"
    worse = [f"{each.choice} {_difference(each)}" for each in answered]
    refused = [f"{each.choice} can't be answered" for each in choices if each.refused is not None]
    parts = [
        f"{trusted.warning()}none of the {len(choices)} choices would have helped ({', '.join([*worse, *refused])})"
    ]
    return _capital("; ".join([*parts, trusted.clause(None)])) + "."


def _as_recorded(baseline: ChoiceResult, trusted: Trust) -> str:
    if trusted.unknown is not None:
        return f"The record's total is unknown: {trusted.unknown}."
    parts = [f"{trusted.warning()}{seconds(trusted.recorded_ms)} partition-seconds are recorded"]
    parts += [trusted.clause(None), _between(baseline), "name choices with --assignor and --set"]
    return _capital("; ".join(parts)) + "."


def _cost(result: ChoiceResult) -> str:
    base = result.base.median
    own = result.unavailable_partition_ms.median
    costs = f"{seconds(own)} partition-seconds instead of {seconds(base)}"
    if result.verdict is Verdict.NO_DIFFERENCE:
        return f"makes no difference worth having: {costs}, over {len(result.costs)} seeds"
    change = percent(result.versus_baseline)
    over = f"{ratio_range(result.changes)} over {len(result.costs)} seeds"
    return f"would have cost {costs} ({over if change is None else f'{change}, {over}'})"


def _difference(result: ChoiceResult) -> str:
    if result.verdict is Verdict.NO_DIFFERENCE:
        return "no difference"
    return percent(result.versus_baseline) or f"{seconds(result.unavailable_partition_ms.median)} partition-seconds"


def _luck(result: ChoiceResult, trusted: Trust) -> str:
    """Where the record is not what its replays cost in the median: chance."""
    base, low, high = result.base.median, trusted.recorded_ms, trusted.recorded_at_most_ms
    off = max(low - base, base - high)
    if trusted.low or off <= max(_LUCK * high, _SMALL_MS):
        return ""
    return f"{seconds(low)} are recorded, {seconds(result.base.least)} to {seconds(result.base.most)} by chance"


def _between(baseline: ChoiceResult) -> str:
    found = baseline.unavailable_partition_ms
    return f"by chance it can be {seconds(found.least)} to {seconds(found.most)} ({len(baseline.costs)} seeds)"


def _opposed(result: ChoiceResult) -> str:
    """How many seeds change in the other direction than the median."""
    return f"in {result.opposed} of {len(result.costs)} seeds it is the other way round" if result.opposed else ""


def _humps(result: ChoiceResult) -> str:
    humps = result.modes
    if len(humps) < 2:
        return ""
    parts = [f"{seconds(hump.median)} in {round(hump.share * len(result.costs))}" for hump in humps]
    return f"the seeds are of two kinds, {' and '.join(parts)} of {len(result.costs)}"


def seconds(partition_ms: float) -> str:
    """`12.0`: partition-seconds."""
    return f"{partition_ms / 1_000:,.1f}"


def percent(quotient: float | None) -> str | None:
    """`−47 %` of a quotient 0.53; `0 %` has no sign. None of None."""
    if quotient is None:
        return None
    return f"{_signed(quotient)} %"


def _signed(quotient: float) -> str:
    change = round((quotient - 1) * 100)
    return f"{change:+,}".replace("-", "−") if change else "0"


def ratio_range(found: tuple[float, float] | None) -> str:
    """`−30 to −60 %` of quotients, what is nearer to 0 first."""
    if found is None:
        return "from nothing"
    nearer, further = sorted(found, key=lambda quotient: abs(quotient - 1)) if _same_side(found) else found
    return f"{_signed(nearer)} to {_signed(further)} %"


def _same_side(found: tuple[float, float]) -> bool:
    return (found[0] - 1) * (found[1] - 1) >= 0


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
