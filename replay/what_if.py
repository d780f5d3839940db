"""`compare_choices`: what an incident costs as recorded and with choices, over as many seeds as medians need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from groupsim.events.errors import GroupsimError
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.cost import Cost
from groupsim.replay.player import ReplayedRun
from groupsim.replay.spread import Sampling, batches, narrow

Player = Callable[[Choice, int], ReplayedRun]
"""Replays one choice with one seed."""
Measure = Callable[[ReplayedRun], Cost]
"""What a replay cost."""
NARROW_SHARE, NARROW_MS = 0.05, 250
"""A median is stable if its interval reaches at most so far to each side."""


def compare_choices(
    replay: Player,
    measure: Measure,
    choices: Sequence[Choice],
    seeds: range | Sampling,
    recorded_ms: tuple[int, int] | None = None,
    refused: Callable[[Choice], str | None] = lambda _: None,
    as_recorded: Callable[[Choice], bool] = lambda _: False,
    progress: Callable[[float], None] = lambda _: None,
) -> list[ChoiceResult]:
    """The incident as recorded, then with each choice, all with the same seeds; in this order.

    `refused` says why the record can't answer a choice, `as_recorded` whether the record has it already; these are not
    simulated, and a choice that is not possible ends with its first seed. With a `Sampling` seeds are added until the
    medians of all are stable. Raises GroupsimError where the incident can't be replayed as recorded.
    """
    reasons = {choice.name: refused(choice) for choice in choices}
    same = {choice.name for choice in choices if as_recorded(choice)}
    played = [_Played(AS_RECORDED)]
    played += [_Played(choice) for choice in choices if reasons[choice.name] is None and choice.name not in same]
    done = 0
    most = seeds.most if isinstance(seeds, Sampling) else len(seeds)
    for batch in batches(seeds):
        for of_choice in played:
            for seed in batch:
                of_choice.play(replay, seed, measure)
                done += 1
                progress(done / (most * len(played)))
        if isinstance(seeds, Sampling) and all(of_choice.stable for of_choice in played):
            break
    progress(1.0)
    baseline = tuple(played[0].costs)
    results = {of_choice.choice.name: of_choice.result(baseline, recorded_ms) for of_choice in played}
    unchanged = results[AS_RECORDED.name]
    for name, reason in reasons.items():
        if reason is not None:
            results[name] = ChoiceResult(choice=name, costs=(), baseline=(), refused=reason)
        elif name in same:
            results[name] = replace(unchanged, choice=name, as_recorded=True)
    return [unchanged, *(results[choice.name] for choice in choices)]


class _Played:
    """The costs of one choice, seed by seed."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.costs: list[Cost] = []
        self.impossible: str | None = None
        self._failures: dict[str, None] = {}

    def play(self, replay: Player, seed: int, measure: Measure) -> None:
        """Replay one seed more, if that is possible."""
        if self.impossible is not None:
            return
        try:
            run = replay(self.choice, seed)
        except GroupsimError as error:
            if self.choice is AS_RECORDED:
                raise
            self.impossible, self.costs = str(error), []
            return
        self.costs.append(measure(run))
        if run.failure:
            self._failures.setdefault(run.failure)

    @property
    def stable(self) -> bool:
        """Whether the median would hardly move with more seeds."""
        return self.impossible is not None or narrow(
            [each.unavailable_partition_ms for each in self.costs], NARROW_SHARE, NARROW_MS
        )

    def result(self, baseline: tuple[Cost, ...], recorded_ms: tuple[int, int] | None) -> ChoiceResult:
        if self.impossible is not None:
            return ChoiceResult(
                choice=self.choice.name, costs=(), baseline=(), refused=self.impossible, impossible=True
            )
        return ChoiceResult(
            choice=self.choice.name,
            costs=tuple(self.costs),
            baseline=baseline,
            recorded_ms=recorded_ms,
            failures=tuple(self._failures),
        )
