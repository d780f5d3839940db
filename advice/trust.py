"""How far an advice on an incident can be trusted: decided by what decides it for a what-if, from the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from groupsim.advice.selection import Row
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.cost import Cost
from groupsim.replay.sentences.parts import how_far, why_not_sure
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, only_moves, verdict

_ALIKE = 0.05
"""A mean that differs from the record's total by a smaller share is the same to a reader."""


@dataclass(frozen=True, slots=True)
class Reliance:
    """Sentences without a full stop, empty where there is nothing to say. `verdict`: on the best choice.

    `warning`: why the figures, or their direction, cannot be trusted. `how_far` to trust direction and amount.
    `off`: how far the replay is from the record. `not_in_the_logs`: settings on which the answer depends. `only_moves`:
    the best choice saves nothing, because partitions are held instead by processes that are stuck in a batch.
    `recorded`: the record's total, where that is not what its simulations cost on average.
    """

    warning: str
    off: str
    verdict: str = ""
    how_far: str = ""
    doubts: Sequence[str] = ()
    not_in_the_logs: str = ""
    only_moves: bool = False
    recorded: str = ""


def reliance(best: Sequence[Row], now: Sequence[Row], trusted: Trust, minimised: str) -> Reliance:
    """Of the best choice (no rows: there is none) against the settings of the record, under the same seeds.

    What is `minimised` has no verdict but where it is what the record is compared with, the time without a process.
    """
    result = compared(best, now) if best and minimised == "partition_ms" else None
    moved = result is not None and only_moves(result)
    if trusted.unknown is not None:
        unknown = f"The record's total is unknown ({trusted.unknown}), so all figures are the simulation's alone"
        return Reliance(unknown, trusted.off(), str(Verdict.UNKNOWN), only_moves=moved)
    doubts = trusted.doubts_about([row["partition_ms"] for row in now])
    warning, open_ = trusted.warning().removesuffix(": "), trusted.not_in_the_logs()
    if not warning and doubts:
        warning = f"It is not sure that it helps: {'; '.join(doubts)}"
    if result is None:
        return Reliance(warning, trusted.off(), doubts=doubts, not_in_the_logs=open_)
    total, mean = trusted.imported or trusted.recorded_in_brief(), fmean(row["partition_ms"] for row in now)
    recorded = "" if _alike(trusted, mean) else total
    found = verdict(result, trusted)
    trust = how_far([result], trusted, "the choice")
    if found is Verdict.NOT_SURE:
        trust = why_not_sure(result, trusted)
    elif found is Verdict.NO_DIFFERENCE:
        trust = "the medians of the simulations show no difference worth having"
    return Reliance(warning, trusted.off(), str(found), trust, doubts, open_, moved, recorded)


def _alike(trusted: Trust, mean_ms: float) -> bool:
    """Whether a mean is about the record's total: nobody asks then which of both an advice compares with."""
    least, most = trusted.recorded_range_ms
    return max(least - mean_ms, mean_ms - most) <= _ALIKE * mean_ms


def compared(rows: Sequence[Row], now: Sequence[Row]) -> ChoiceResult:
    """A choice and the settings of the record, as a what-if compares them, as far as both have the same seeds."""
    seeds = min(len(rows), len(now))
    return ChoiceResult(choice="", costs=_costs(rows[:seeds]), baseline=_costs(now[:seeds]))


def _costs(rows: Sequence[Row]) -> tuple[Cost, ...]:
    return tuple(
        Cost(
            rebalances=round(row["rebalances"]),
            unavailable_partition_ms=round(row["partition_ms"]),
            p95_partition_ms=round(row["p95_partition_ms"]),
            max_partitions=round(row["max_partitions"]),
            unsafe_ms=round(row["unsafe_ms"]),
            founding_ms=round(row["founding_ms"]),
            unpolled_partition_ms=round(row["unpolled_ms"]),
        )
        for row in rows
    )
