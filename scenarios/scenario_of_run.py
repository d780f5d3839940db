"""The scenario of a stored run, to simulate it again. A file that a store names is somebody's program: it is executed
only if the user names it, or trusts the store."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.scenarios import catalogue
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario
from groupsim.storage.store import RunInfo


class Consent(NamedTuple):
    """What the user allows: the scenario as he names or has it, or whatever the store names. `how`: how to name it."""

    named: str | Scenario | None = None
    trust: bool = False
    how: str = "give it"


NONE = Consent()


def scenario_of(info: RunInfo, consent: Consent = NONE) -> Scenario:
    """The scenario to run `info` again: as the user names it, else the one that the run names.

    Raises BadScenario for a run of which the store names a file, without consent.
    """
    if isinstance(consent.named, Scenario):
        return consent.named
    if consent.named is not None:
        return catalogue.find(consent.named)
    reference = info.scenario_path or info.name
    if info.scenario_path is None and reference not in catalogue.names():
        raise BadScenario(f"the scenario of run {info.id}, {reference!r}, stood in no file: {consent.how}")
    if reference not in catalogue.names() and not consent.trust:
        raise BadScenario(
            f"the scenario of run {info.id} is a file that the store names, {reference!r}: look at that file, for it"
            f" will be executed, and {consent.how}, or add --trust"
        )
    return catalogue.find(reference)
