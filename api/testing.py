"""Assertions on many runs of one scenario, for tests: a limit that so large a share of the seeds has to keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from groupsim.api.errors import BadRequest
from groupsim.api.run import Run
from groupsim.api.running import run
from groupsim.api.scenarios import ScenarioLike, found, reference
from groupsim.api.values import Seeds, Settings, seeds_of, texts_of

if TYPE_CHECKING:
    import pandas as pd

OUTAGE, LONGEST = "after_start_outage_ms", "after_start_longest_partition_ms"
AFTER_START = "after_start_ms"


@dataclass(frozen=True)
class Runs:
    """Runs of one scenario with the same settings, one a seed. `command`: how to repeat one, without its seed."""

    runs: Sequence[Run]
    command: Callable[[int], str]
    report_to: Callable[[int], Path] = field(default=lambda seed: Path(f"seed-{seed}.html"))

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self.runs)

    def to_frame(self) -> pd.DataFrame:
        """One row a seed: `seed`, and every measure (ms, counts)."""
        import pandas as pd

        return pd.DataFrame([{"seed": each.info.seed, **each.measures} for each in self.runs])

    def assert_outage(self, *, at_most: int | float | str | timedelta, share_of_seeds: float = 1.0) -> None:
        """One partition or more is unavailable for at most so long, after start-up: "40 s", a timedelta, or ms."""
        self.assert_measure(OUTAGE, at_most=ms_of_duration(at_most), share_of_seeds=share_of_seeds)

    def assert_longest_outage(self, *, at_most: int | float | str | timedelta, share_of_seeds: float = 1.0) -> None:
        """No partition is unavailable for longer than this at a stretch, after start-up."""
        self.assert_measure(LONGEST, at_most=ms_of_duration(at_most), share_of_seeds=share_of_seeds)

    def assert_partition_seconds(self, *, at_most: float, share_of_seeds: float = 1.0) -> None:
        """The sum over all partitions, after start-up, in partition-seconds."""
        self.assert_measure(AFTER_START, at_most=at_most * 1_000, share_of_seeds=share_of_seeds)

    def assert_measure(self, measure: str, *, at_most: float, share_of_seeds: float = 1.0) -> None:
        """A measure of a sweep (`partition_ms`, `rebalances`, `reprocessed_records`, …) is at most this.

        Raises AssertionError with the answer of the worst seed, and the command that repeats it; its report is written.
        BadRequest for a measure that there is not.
        """
        if not 0 < share_of_seeds <= 1:
            raise BadRequest(f"share_of_seeds must be above 0 and at most 1, not {share_of_seeds}")
        values = [each.measures for each in self.runs]
        if any(measure not in each for each in values):
            raise BadRequest(f"there is no measure {measure!r}; there are {', '.join(sorted(values[0]))}")
        broken = [each for each in self.runs if not each.ok]
        over = [each for each in self.runs if each.measures[measure] > at_most]
        allowed = math.floor(len(self.runs) * (1 - share_of_seeds) + 1e-9)
        if broken:
            raise AssertionError(self._said("the scenario itself failed", broken[0], measure))
        if len(over) > allowed:
            worst = max(over, key=lambda each: each.measures[measure])
            wanted = f"{share_of_seeds:.0%} of the seeds have to" if share_of_seeds < 1 else "all have to"
            kept = len(self.runs) - len(over)
            said = f"{measure} is at most {_shown(measure, at_most)} in {kept} of {len(self.runs)} seeds; {wanted}"
            raise AssertionError(self._said(said, worst, measure))

    def _said(self, what: str, worst: Run, measure: str) -> str:
        seed = worst.info.seed or 0
        written = worst.report(self.report_to(seed))
        failure = "" if worst.failure is None else f"\n{worst.failure}"
        return (
            f"{what}{failure}\nworst: seed {seed}, {_shown(measure, worst.measures[measure])}: {worst.answer}"
            f"\nrepeat it: {self.command(seed)}\nreport: {written}"
        )


def runs_of(
    scenario: ScenarioLike,
    *,
    settings: Settings | None = None,
    seeds: Seeds = range(10),
    report_to: Callable[[int], Path] = lambda seed: Path(f"seed-{seed}.html"),
) -> Runs:
    """Simulate a scenario under each seed. Raises GroupsimError."""
    from groupsim.storage.run_info import scenario_command

    story, chosen = found(scenario), texts_of(settings)

    def command(seed: int) -> str:
        try:
            where = reference(scenario)
        except BadRequest:  # defined at a prompt
            where = story.name
        return scenario_command("run", where, chosen, seed)

    return Runs([run(story, seed=seed, settings=chosen) for seed in seeds_of(seeds)], command, report_to)


def ms_of_duration(duration: int | float | str | timedelta) -> float:
    """A duration in milliseconds: "40 s", "1 min 30 s", a timedelta, or a number of ms. Raises BadRequest."""
    import pandas as pd

    if isinstance(duration, int | float):
        return duration
    try:
        return pd.Timedelta(duration) / pd.Timedelta(milliseconds=1)
    except ValueError:
        raise BadRequest(f'{duration!r} is no duration: "40 s", "1 min 30 s", a timedelta, or milliseconds') from None


def _shown(measure: str, value: float) -> str:
    return f"{value / 1_000:,.1f} s" if measure.endswith("_ms") else f"{value:,.0f}"
