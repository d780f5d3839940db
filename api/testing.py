"""Assertions on many runs of one scenario, for tests: a limit that so large a share of the seeds has to keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from groupsim.api.errors import BadRequest
from groupsim.api.run import Run
from groupsim.api.running import run
from groupsim.api.scenarios import ScenarioLike, found, reference
from groupsim.api.values import Duration, Seeds, Settings, ms_of_duration, seeds_of, texts_of

if TYPE_CHECKING:
    import pandas as pd

OUTAGE, LONGEST = "after_start_outage_ms", "after_start_longest_partition_ms"
AFTER_START = "after_start_ms"
LIMITS = {"outage": OUTAGE, "longest_outage": LONGEST, "partition_seconds": AFTER_START}
"""Short names of limits; any measure has its own name besides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many of the runs keep a limit, and whether these are enough. `failed`: a run whose story went wrong."""

    measure: str
    at_most: float
    share_of_seeds: float
    kept: int
    seeds: int
    worst: Run
    failed: Run | None = None

    @property
    def ok(self) -> bool:
        """Whether so large a share of the seeds keeps it, and no run failed."""
        return self.failed is None and self.seeds - self.kept <= self.allowed

    @property
    def allowed(self) -> int:
        """How many seeds may break it."""
        return math.floor(self.seeds * (1 - self.share_of_seeds) + 1e-9)

    @property
    def said(self) -> str:
        """What is not as it should be."""
        if self.failed is not None:
            return "the scenario itself failed"
        wanted = f"{self.share_of_seeds:.0%} of the seeds have to" if self.share_of_seeds < 1 else "all have to"
        limit = shown_measure(self.measure, self.at_most)
        return f"{self.measure} is at most {limit} in {self.kept} of {self.seeds} seeds; {wanted}"


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

    def assert_outage(self, *, at_most: Duration, share_of_seeds: float = 1.0) -> None:
        """One partition or more is unavailable for at most so long, after start-up: "40 s", a timedelta, or ms."""
        __tracebackhide__ = True
        self.assert_measure(OUTAGE, at_most=at_most, share_of_seeds=share_of_seeds)

    def assert_longest_outage(self, *, at_most: Duration, share_of_seeds: float = 1.0) -> None:
        """No partition is unavailable for longer than this at a stretch, after start-up."""
        __tracebackhide__ = True
        self.assert_measure(LONGEST, at_most=at_most, share_of_seeds=share_of_seeds)

    def assert_partition_seconds(self, *, at_most: float, share_of_seeds: float = 1.0) -> None:
        """The sum over all partitions, after start-up, in partition-seconds."""
        __tracebackhide__ = True
        self.assert_measure(AFTER_START, at_most=at_most * 1_000, share_of_seeds=share_of_seeds)

    def assert_measure(self, measure: str, *, at_most: Duration, share_of_seeds: float = 1.0) -> None:
        """A measure of a sweep (`partition_ms`, `rebalances`, `reprocessed_records`, …) is at most this.

        Raises AssertionError with the answer of the worst seed, and the command that repeats it; its report is written.
        BadRequest for a measure that there is not.
        """
        __tracebackhide__ = True  # the sentence says what is wrong; our own lines don't
        _, most = limit_of(measure, at_most)
        verdict = self.verdict(measure, at_most=most, share_of_seeds=share_of_seeds)
        if not verdict.ok:
            raise AssertionError(self._said(verdict.said, verdict.failed or verdict.worst, measure))

    def verdict(self, measure: str, *, at_most: float, share_of_seeds: float = 1.0) -> Verdict:
        """Whether a limit is kept: what the assertions and `groupsim check` decide by. Raises BadRequest."""
        if not 0 < share_of_seeds <= 1:
            raise BadRequest(f"share_of_seeds must be above 0 and at most 1, not {share_of_seeds}")
        values = [each.measures for each in self.runs]
        if any(measure not in each for each in values):
            raise BadRequest(f"there is no measure {measure!r}; there are {', '.join(sorted(values[0]))}")
        kept = sum(each[measure] <= at_most for each in values)
        worst = max(self.runs, key=lambda each: each.measures[measure])
        failed = next((each for each in self.runs if not each.ok), None)
        return Verdict(measure, at_most, share_of_seeds, kept, len(self.runs), worst, failed)

    def _said(self, what: str, worst: Run, measure: str) -> str:
        seed = worst.info.seed or 0
        written = worst.report(self.report_to(seed))
        failure = "" if worst.failure is None else f"\n{worst.failure}"
        return (
            f"{what}{failure}\nworst: seed {seed}, {shown_measure(measure, worst.measures[measure])}: {worst.answer}"
            f"\nrepeat it: {self.command(seed)}\nreport: {written}"
        )


def runs_of(
    scenario: ScenarioLike,
    *,
    settings: Settings | None = None,
    seeds: Seeds = range(10),
    report_to: Callable[[int], Path] = lambda seed: Path(f"seed-{seed}.html"),
    progress: Callable[[float], None] = lambda _: None,
) -> Runs:
    """Simulate a scenario under each seed; `progress` gets the share that is done. Raises GroupsimError."""
    from groupsim.storage.run_info import scenario_command

    story, chosen = found(scenario), texts_of(settings)

    def command(seed: int) -> str:
        return scenario_command("run", reference(scenario) or story.name, chosen, seed)

    wanted, runs = seeds_of(seeds), list[Run]()
    for seed in wanted:
        runs.append(run(story, seed=seed, settings=chosen))
        progress(len(runs) / len(wanted))
    return Runs(runs, command, report_to)


def limit_of(name: str, value: Duration) -> tuple[str, float]:
    """The measure that a limit is about, and its most: ms of times, a number of others. Raises BadRequest."""
    measure = LIMITS.get(name, name)
    if name == "partition_seconds":
        if not isinstance(value, int | float):
            raise BadRequest(f"partition_seconds must be a number, not {value!r}")
        return measure, value * 1_000
    if measure.endswith("_ms"):
        return measure, ms_of_duration(value)
    if not isinstance(value, int | float):
        raise BadRequest(f"{name} must be a number, not {value!r}")
    return measure, value


def shown_measure(measure: str, value: float) -> str:
    """A value with its unit, as sentences and tables have it."""
    return f"{value / 1_000:,.1f}{unit}" if (unit := unit_of(measure)) else f"{value:,.0f}"


def unit_of(measure: str) -> str:
    """What stands behind a value, with the space before it; empty for a count."""
    from groupsim.analysis.tables.measures import PARTITION_TIMES

    return " partition-seconds" if measure in PARTITION_TIMES else " s" if measure.endswith("_ms") else ""
