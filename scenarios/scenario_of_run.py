"""The scenario of a stored run. Code that came with an imported run is run only if the user names its file."""

from __future__ import annotations

from groupsim.scenarios import catalogue
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario
from groupsim.storage.run_import import was_imported
from groupsim.storage.store import EventStore, RunInfo


def scenario_of(store: EventStore, info: RunInfo, named: str | None = None, how: str = "") -> Scenario:
    """The scenario to run `info` again: `named` by the user, else the one that the run names.

    Raises BadScenario for a run that was imported and names a file of its own, with `how` to name the file.
    """
    if named is not None:
        return catalogue.find(named)
    reference = info.scenario_path or info.name
    if reference not in catalogue.names() and was_imported(store, info.id):
        raise BadScenario(
            f"run {info.id} was imported, and its scenario is a file, {reference!r}: look at that file, for it will be"
            f" executed, and name it{how}"
        )
    return catalogue.find(reference)
