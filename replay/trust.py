"""Trust: how far an answer can be trusted, from how near the replay is to the record and from what chance does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.cost import Cost
from groupsim.replay.fidelity import Fidelity
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted, partition_seconds, percent, seconds

LEAST_MARGIN = 0.1
"""By how much the range of the seeds is widened at least: so it holds most true values (`docs/predictions.md`)."""
LOW_ERROR, LOW_MATCH = 0.25, 0.8
"""A replay that is off by more, or has a smaller share of the recorded generations, is of low fidelity."""
SMALL_MS = 500
"""Hardly anything, in partition-milliseconds."""
_RARE = 0.1
"""A record is rare if a smaller share of the seeds, as recorded, cost about as much."""
_WIDE = 1.1
"""A drawn setting is worth a word if its greatest value is more than so many times its least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What the answers rest on, in partition-milliseconds: what is recorded (at most, where logs leave something
    unknown), and the replay of exactly that. `unknown`: why the record's total is not known.
    `recorded_between_ms`: the same where the record shows a death only in bounds (None: it does not depend on one).
    `partitions_known`: the record names some; else those of the replay are assumed. `open_settings`: by name, between
    which values each seed drew a setting that the logs do not show; twice the same value: it is assumed. `stopped`: the
    processes that seem to have been stopped for less than a session. `imported`: the record's total after start-up as
    an import says it, in words, which has time in which a process held a partition and did not read it, too (None: it
    is not known, or other time is compared).
    """

    recorded_ms: int
    recorded_at_most_ms: int
    replayed_ms: int
    matched: float
    unknown: str | None = None
    partitions_known: bool = True
    recorded_between_ms: tuple[int, int] | None = None
    open_settings: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    stopped: tuple[str, ...] = ()
    imported: str | None = None

    @property
    def error(self) -> float | None:
        """How far the replay is from the record, as a share of the record; None: the record shows nearly nothing."""
        if self.recorded_at_most_ms < SMALL_MS:
            return 0.0 if self._off_ms < SMALL_MS else None
        return self._off_ms / self.recorded_at_most_ms

    @property
    def recorded_range_ms(self) -> tuple[int, int]:
        """Between what the record's total lies."""
        least, most = self.recorded_between_ms or (self.recorded_ms, self.recorded_ms)
        return least, most + self.recorded_at_most_ms - self.recorded_ms

    def recorded(self) -> str:
        """The record's total in words, partition-seconds; with its bounds where it is known in bounds only."""
        least, most = self.recorded_range_ms
        if self.recorded_between_ms is None:
            return seconds(least)
        return f"about {seconds(self.recorded_ms)} ({seconds(least)} to {seconds(most)})"

    def recorded_in_brief(self) -> str:
        """The same without its bounds."""
        return self.recorded().partition(" (")[0]

    @property
    def _off_ms(self) -> int:
        return max(self.recorded_ms - self.replayed_ms, self.replayed_ms - self.recorded_at_most_ms, 0)

    @property
    def low(self) -> bool:
        """Whether the replay is too far from the record; hardly anything is never too far."""
        far = self.error is None or (self.error > LOW_ERROR and self._off_ms >= SMALL_MS)
        return far or self.matched < LOW_MATCH

    @property
    def margin(self) -> float:
        """By how much the range of the seeds is widened, as a share: at least `LEAST_MARGIN`, in steps of 5 %."""
        return max(LEAST_MARGIN, math.ceil((self.error or 0) * 20) / 20)

    def amount(self, results: Sequence[ChoiceResult]) -> tuple[float, float]:
        """Between which partition-milliseconds the true cost of some choices is expected."""
        ranges = [each.unavailable_partition_ms for each in results]
        return min(r.least for r in ranges) * (1 - self.margin), max(r.most for r in ranges) * (1 + self.margin)

    def reasons(self, result: ChoiceResult) -> str:
        """What trust in a choice rests on: what speaks against it, and how far the replay is from the record."""
        return "; ".join([*self.doubts(result), self.off()])

    def doubts(self, result: ChoiceResult) -> list[str]:
        """Why the direction of an answer may be wrong whatever the seeds say."""
        return self.doubts_about([each.unavailable_partition_ms for each in result.baseline])

    def doubts_about(self, baseline_ms: Sequence[float]) -> list[str]:
        """The same, from what the seeds cost as recorded."""
        found = []
        if self.stopped:
            found.append(
                f"{listed(list(self.stopped))} {'was' if len(self.stopped) == 1 else 'were'} probably stopped for a"
                " time, and no log shows when and for how long"
            )
        seeds, near = len(baseline_ms), sum(map(self._like, baseline_ms))
        if near < _RARE * seeds and not self.low and self.unknown is None:
            cost = f"costs about as much as was recorded ({self.recorded()})"
            found.append(f"as recorded, {f'only {near}' if near else 'none'} of {counted(seeds, 'simulation')} {cost}")
        return found

    def _like(self, cost_ms: float) -> bool:
        """Whether a replay with drawn times costs about what was recorded."""
        least, most = self.recorded_range_ms
        return max(least - cost_ms, cost_ms - most) <= max(SMALL_MS, LOW_ERROR * most)

    def off(self) -> str:
        """How far the replay is from the record, in words."""
        if self.error is None:
            return f"the replay of the record has {partition_seconds(self.replayed_ms)} and the record nearly none"
        replayed, recorded = seconds(self.replayed_ms), self.recorded()
        amounts = f" ({replayed} instead of {recorded} partition-seconds)" if replayed != recorded else ""
        return f"the replay of the record is {percent(self.error)} off{amounts}"

    def warning(self) -> str:
        """What a headline of low fidelity begins with."""
        if not self.low:
            return ""
        return f"Low fidelity ({why}): " if (why := self.low_because()) else "Low fidelity: "

    def low_because(self) -> str:
        """Why fidelity is low although the replay costs about what the record does; else nothing."""
        if not self.low or self.error is None or (self.error > LOW_ERROR and self._off_ms >= SMALL_MS):
            return ""
        return f"only {percent(self.matched)} of the recorded generations are replayed"

    def not_in_the_logs(self) -> str:
        """Which settings the logs do not show, what was taken instead, and how to name them; empty if there is none."""
        wide = {name: (a, b) for name, (a, b) in self.open_settings.items() if a == b or b > a * _WIDE}
        if not wide or self.unknown is not None:
            return ""
        named = [f"{name} ({_taken(*taken)})" for name, taken in wide.items()]
        options = " ".join(f"--assume {name}=..." for name in wide)
        return f"the logs do not show {' and '.join(named)}: {options} narrows the answer"


def _taken(least: int, greatest: int) -> str:
    return f"{least} is assumed" if least == greatest else f"drawn from {least} to {greatest}"


def trust(
    close: Fidelity,
    replayed_ms: int,
    recorded: Cost,
    unknown: str | None,
    open_settings: Mapping[str, tuple[int, int]],
    stopped: tuple[str, ...] = (),
    imported: str | None = None,
) -> Trust:
    """What the answers about a record rest on."""
    return Trust(
        recorded_ms=recorded.unavailable_partition_ms,
        recorded_at_most_ms=recorded.unavailable_partition_ms + recorded.unknown_ms,
        replayed_ms=replayed_ms,
        matched=close.matched / close.recorded if close.recorded else 1.0,
        unknown=unknown,
        partitions_known=recorded.partitions > 0,
        recorded_between_ms=recorded.bounds_ms,
        open_settings=open_settings,
        stopped=stopped,
        imported=imported,
    )
