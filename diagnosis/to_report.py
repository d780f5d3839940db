"""The diagnosis of a stored run as the answer that its report begins with."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.analysis.report.answer import Answer, AnswerFinding
from groupsim.diagnosis.explain import Explanation, explain_run
from groupsim.diagnosis.to_text import after, shown_findings, title
from groupsim.diagnosis.what_if import what_if
from groupsim.events.base import Recorded
from groupsim.events.types import RunId
from groupsim.wording.lists import capital


def answer_of_run(run: RunId, facts: Sequence[Recorded]) -> Answer | None:
    """The answer, its findings without the lines that show them, and the what-if; None where no group is in it."""
    explanation = explain_run(facts)
    return None if explanation is None else _answer(explanation, what_if(run, facts, explanation))


def _answer(explanation: Explanation, question: str | None) -> Answer:
    several = len(explanation.groups) > 1
    findings: list[AnswerFinding] = []
    for group, shown in shown_findings(explanation):
        for finding in shown:
            proposed = {what for earlier in findings for what in earlier.do}
            do = tuple(remedy.what for remedy in finding.do if remedy.what not in proposed)
            findings.append(AnswerFinding(title(finding), finding.what, do, group.group if several else None))
    said = () if several else tuple(map(capital, after(explanation.groups[0])))
    return Answer(explanation.answer, tuple(findings), said, question)
