"""The command that asks of a stored run what the remedies of its diagnosis would have changed."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.diagnosis.explain import Explanation
from groupsim.events.base import Recorded
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.types import RunId


def what_if(run: RunId, facts: Sequence[Recorded], explanation: Explanation) -> str | None:
    """The what-if with the remedies of the first finding; None where none of them is a setting that can be simulated.

    Whether the run shows enough to be simulated is asked before (`analysis.what_ifs.first_question`).
    """
    findings = explanation.groups[0].findings
    used = {fact.event.protocol for fact in facts if isinstance(fact.event, JoinPhaseCompleted)}
    settings = [
        f"--assignor {value}" if key == "assignor" else f"--set {key}={value}"
        for finding in findings[:1]
        for remedy in finding.do
        for key, value in remedy.trial
        if key != "assignor" or value not in used
    ]
    return f"groupsim incident whatif {run} {' '.join(settings)}" if settings else None
