"""The scenario of a stored run, to simulate it again. A file that a store names is somebody's program: it is executed
only if the user names it, or trusts the store."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.scenarios import catalogue
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario
from groupsim.storage.store import RunInfo


class Consent(NamedTuple):
    """What the user allows: the scenario as he names it, or whatever the store names. `how`: how to name the file."""

    named: str | None = None
    trust: bool = False
    how: str = "give it"


NONE = Consent()


def scenario_of(info: RunInfo, consent: Consent = NONE) -> Scenario:
    """The scenario to run `info` again: as the user names it, else the one that the run names.

    Raises BadScenario for a run of which the store names a file, without consent.
    """
    if consent.named is not None:
        return catalogue.find(consent.named)
    reference = info.scenario_path or info.name
    if reference not in catalogue.names() and not consent.trust:
        raise BadScenario(
            f"the scenario of run {info.id} is a file that the store names, {reference!r}: look at that file, for it"
            f" will be executed, and {consent.how}, or add --trust"
        )
    return catalogue.find(reference)
