"""A scenario by its name, by its file, or as the function that `@scenario` marked."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from groupsim.api.errors import BadRequest

if TYPE_CHECKING:
    from groupsim.pipeline.grid import Subject
    from groupsim.simulation.run import Scenario

ScenarioLike: TypeAlias = "str | Path | Scenario"
"""A built-in name, `path/to/file.py`, `path/to/file.py::function`, or a function that `@groupsim.scenario` marked."""
_CELLS = "ipykernel_"
"""The folder in which a debugger of a notebook writes cells, whole."""


def found(scenario: ScenarioLike) -> Scenario:
    """The scenario that is meant. Raises BadScenario; BadRequest for what is none, with a hint for a bare function."""
    from groupsim.scenarios import catalogue
    from groupsim.simulation.run import Scenario

    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, str | Path):
        return catalogue.find(str(scenario))
    name = getattr(scenario, "__name__", repr(scenario))
    raise BadRequest(f"{name} is no scenario: mark the function with @groupsim.scenario(lasts=groupsim.minutes(2))")


def subject(scenario: ScenarioLike, record: str = "all") -> Subject:
    """The scenario for other processes, with the text of its file, or of its function in a notebook's cell.

    Raises BadRequest, PipelineError.
    """
    from groupsim.api.cells import text_of
    from groupsim.pipeline import grid

    named = reference(scenario)
    if named is not None:
        return grid.subject(named, record)
    story = found(scenario)
    return grid.Subject(scenario=f"{story.name}.py::{story.name}", text=text_of(story), record=record)


def reference(scenario: ScenarioLike) -> str | None:
    """How another process or a command finds the scenario; None for a function that stands in no file."""
    if isinstance(scenario, str | Path):
        return str(scenario)
    story = found(scenario)
    if story.path is not None:
        return story.path
    try:
        file = Path(inspect.getsourcefile(story.story) or "")
    except TypeError:
        return None
    if file.suffix != ".py" or not file.is_file() or file.parent.name.startswith(_CELLS):
        return None
    built_in = Path(__file__).parent.parent / "scenarios"
    return story.name if file.parent == built_in else f"{file}::{story.name}"
