"""The command that asks of a stored run what the remedies of its diagnosis would have changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupsim.analysis.what_ifs import simulable
from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.finding import Remedy
from groupsim.events.base import Recorded
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.types import RunId

_OPTIONS = {"assignor": "--assignor {}", "protocol": "--protocol {}"}


def what_if(run: RunId, facts: Sequence[Recorded], explanation: Explanation) -> str | None:
    """The what-if with the remedies of the first finding.

    None where none of them is a setting that can be simulated and that the run does not have, and where the run shows
    too little to be simulated.
    """
    if not simulable(facts):
        return None
    used = {fact.event.protocol for fact in facts if isinstance(fact.event, JoinPhaseCompleted)}
    return command(run, explanation.groups[0].findings[0].do, used)


def command(run: RunId, remedies: Sequence[Remedy], used: Collection[str | None] = ()) -> str | None:
    """The what-if that simulates these remedies, each for itself; not the assignors that are `used`; None of none."""
    options = [
        _OPTIONS.get(key, f"--set {key}={{}}").format(value)
        for remedy in remedies
        for key, value in remedy.trial
        if key != "assignor" or value not in used
    ]
    return f"groupsim incident whatif {run} {' '.join(options)}" if options else None
