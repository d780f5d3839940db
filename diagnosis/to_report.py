"""The diagnosis of a stored run as the answer that its report begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groupsim.analysis.report.answer import Answer, AnswerFinding
from groupsim.analysis.runs import Run
from groupsim.analysis.what_ifs import StoredWhatIf
from groupsim.diagnosis.already_tried import in_order, in_words
from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.kept import explanation_of
from groupsim.diagnosis.to_text import after, shown_findings, title
from groupsim.diagnosis.trying import with_trials_of_run
from groupsim.diagnosis.what_if import Question
from groupsim.diagnosis.what_if import questions as proposed
from groupsim.storage.store import RunSource
from groupsim.wording.lists import capital


def answer_of_run(run: Run) -> Answer | None:
    """The answer, its findings with the lines that show them, and the what-ifs; None where no group is in it."""
    explanation = explanation_of(run.store, run.info)
    if explanation is None:
        return None
    if not run.what_ifs and run.info.source is RunSource.RECORDED:  # remedies as `groupsim explain RUN` tries them
        tried = with_trials_of_run(explanation, run.store, run.info)
        explanation = replace(tried, answer=explanation.answer)  # the first sentence is the import's
    facts = run.state_changing
    total_known = run.support is None or run.support.unknown is None
    return _answer(explanation, run.what_ifs, proposed(run.info, facts, explanation, total_known=total_known))


def _answer(explanation: Explanation, kept: Sequence[StoredWhatIf], asked: Sequence[Question]) -> Answer:
    several = len(explanation.groups) > 1
    findings: list[AnswerFinding] = []
    for group, shown in shown_findings(explanation):
        for finding in shown:
            proposed = {what for earlier in findings for what in earlier.do}
            tried = in_order(finding.do, [each for each in kept if each.group == group.group])
            do = tuple(said for remedy in tried if (said := in_words(remedy)) not in proposed)
            lines = tuple(
                (f"{place.file}:{place.line}", explanation.texts.get(place, "")) for place in finding.evidence.places
            )
            findings.append(AnswerFinding(title(finding), finding.what, do, group.group if several else None, lines))
    beside = () if several else tuple(map(capital, after(explanation.groups[0])))
    questions = tuple((question.command, f"what {question.what}{'' if kept else question.more}") for question in asked)
    return Answer(explanation.answer, tuple(findings), beside, questions)
