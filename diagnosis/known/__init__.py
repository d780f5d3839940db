"""Known defects that public trackers document. They name what may be behind a finding; they make none more certain.

- `defect`: what is known of one, and the lines by which a log shows it
- `brokers`, `java`, `librdkafka`, `others`: the defects of brokers, of Java clients, of librdkafka, of other clients
- `streams_groups`: those of streams groups that recordings show, and nobody has reported
- `new_member_id`: the lines of one defect: a member syncs without a generation, and joins again as another member
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groupsim.diagnosis.cause import evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.known import brokers, java, librdkafka, others, streams_groups
from groupsim.diagnosis.known.defect import Defect
from groupsim.diagnosis.order import ON_PURPOSE, QUIET, SECONDARY

DEFECTS: dict[str, Defect] = {
    defect.id: defect for module in (brokers, java, librdkafka, streams_groups, others) for defect in module.DEFECTS
}


def with_known(findings: Sequence[Finding], log: GroupLog) -> list[Finding]:
    """The findings, each with the id of a defect behind its code whose signature the log shows.

    Of several, the first of those whose versions the log prints, else the first. Where nothing failed by any finding,
    or only commits did, a defect may be one itself, as *possible*.
    """
    shown = sorted((d for d in DEFECTS.values() if d.lines(log)), key=lambda defect: not defect.fits(log))
    codes = {finding.code for finding in findings if not finding.last_resort}
    behind: dict[Code, Defect] = {}
    for defect in shown:
        code = next((code for code in (defect.code, *defect.also) if code in codes), None)
        if code is not None:
            behind.setdefault(code, defect)
    named = [_named(finding, behind.get(finding.code), log) for finding in findings]
    if codes - QUIET - ON_PURPOSE - SECONDARY:
        return named
    alone: dict[Code, Defect] = {}
    for defect in shown:
        if defect.alone is not None:
            alone.setdefault(defect.code, defect)
    return named + [_alone(defect, log) for defect in alone.values() if defect not in behind.values()]


def _named(finding: Finding, defect: Defect | None, log: GroupLog) -> Finding:
    if defect is None:
        return finding
    # What looks like a failure of the application, or is behind other causes, is one of its library.
    behind = finding.code is Code.APP_ERROR or defect.leads_to
    first = (_update(defect),) if behind and defect.fixed is not None else ()
    return replace(
        finding,
        known=defect.id,
        known_fits=bool(defect.fits(log)),
        leads_to=defect.leads_to,
        do=first + finding.do,
    )


def _update(defect: Defect) -> Remedy:
    if defect.fixed is None:
        return Remedy("read the report of the defect: no fixed version is known", ("version",), brief="read its report")
    return Remedy("update what has the defect", ("version",), brief=f"update {defect.library}")


def _alone(defect: Defect, log: GroupLog) -> Finding:
    said = defect.lines(log)
    return Finding(
        code=defect.code,
        certainty=Certainty.POSSIBLE,
        what=defect.alone or defect.what,
        times=len(said),
        evidence=evidence_of(said),
        do=(_update(defect),),
        known=defect.id,
        known_fits=bool(defect.fits(log)),
    )


def sentence(id_: str, *, fits: bool = False) -> str:
    """The line of the text answer. `fits`: a version that the log prints has the defect."""
    defect = DEFECTS[id_]
    certainty = Certainty.LIKELY if fits else Certainty.POSSIBLE
    where = f"{defect.library} {defect.versions}" if defect.versions else defect.library
    fixed = f"fixed in {defect.fixed}" if defect.fixed else "no fixed version is known"
    return f"known defect ({certainty}): {id_} in {where}, {fixed}: {defect.what}, {defect.link}"
