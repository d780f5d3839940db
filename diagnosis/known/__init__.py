"""Known defects that public trackers document. They name what may be behind a finding; they make none more certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groupsim.diagnosis.cause import evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.known import java, librdkafka, others
from groupsim.diagnosis.known.defect import Defect
from groupsim.diagnosis.order import ON_PURPOSE, QUIET

DEFECTS: dict[str, Defect] = {defect.id: defect for module in (java, librdkafka, others) for defect in module.DEFECTS}


def with_known(findings: Sequence[Finding], log: GroupLog) -> list[Finding]:
    """The findings, each with the id of the first defect of its code whose signature the log shows.

    Where nothing failed by any finding, a defect may be one itself, as *possible*.
    """
    named = [
        replace(finding, known=next((d.id for d in _of(finding.code) if d.signature.lines(log)), finding.known))
        for finding in findings
    ]
    if any(finding.code not in QUIET | ON_PURPOSE for finding in findings):
        return named
    return named + [found for defect in DEFECTS.values() if (found := _alone(defect, log)) is not None]


def _of(code: Code) -> list[Defect]:
    return [defect for defect in DEFECTS.values() if defect.code is code]


def _alone(defect: Defect, log: GroupLog) -> Finding | None:
    if defect.alone is None or not (said := defect.signature.lines(log)):
        return None
    return Finding(
        code=defect.code,
        certainty=Certainty.POSSIBLE,
        what=defect.alone,
        times=len(said),
        evidence=evidence_of(said),
        do=(Remedy("update what has the defect", ("version",), brief=f"update {defect.library}"),),
        known=defect.id,
    )


def sentence(id_: str) -> str:
    """The line of the text answer."""
    defect = DEFECTS[id_]
    where = f"{defect.library} {defect.versions}" if defect.versions else defect.library
    fixed = f"fixed in {defect.fixed}" if defect.fixed else "no fixed version is known"
    return f"known defect (possible): {id_} in {where}, {fixed}: {defect.what}, {defect.link}"
