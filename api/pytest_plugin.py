"""The pytest plugin: the fixture `groupsim_run`, for tests that hold a scenario to a limit.

pytest loads it wherever groupsim is installed, so it imports nothing heavy before the fixture is used.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from groupsim.api.scenarios import ScenarioLike
    from groupsim.api.testing import Runs
    from groupsim.api.values import Seeds, Settings

REPORTS = "groupsim-reports"


class RunScenario(Protocol):
    """The type of the fixture `groupsim_run`."""

    def __call__(self, scenario: ScenarioLike, *, settings: Settings | None = None, seeds: Seeds = range(10)) -> Runs:
        """Simulate a scenario under each seed. Raises GroupsimError."""
        ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the reports of failed limits go."""
    said = f"Where the report of a seed that breaks a limit is written (default: {REPORTS})."
    parser.getgroup("groupsim").addoption("--groupsim-reports", metavar="DIR", default=REPORTS, help=said)


@pytest.fixture
def groupsim_run(request: pytest.FixtureRequest) -> RunScenario:
    """Simulate a scenario under many seeds, and hold the runs to a limit.

    `runs = groupsim_run("rolling_restart", settings={…}, seeds=range(20))`, then
    `runs.assert_outage(at_most="40 s", share_of_seeds=0.95)`. A failure names the worst seed and how to repeat it, and
    writes its report to `--groupsim-reports`.
    """
    folder = Path(str(request.config.getoption("--groupsim-reports")))
    test = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")

    def report_to(seed: int) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{test}-seed-{seed}.html"

    def groupsim_run(scenario: ScenarioLike, *, settings: Settings | None = None, seeds: Seeds = range(10)) -> Runs:
        from groupsim.api.testing import runs_of

        return runs_of(scenario, settings=settings, seeds=seeds, report_to=report_to)

    return groupsim_run
