"""A clock moved: the times of one program go back."""

from __future__ import annotations

from itertools import pairwise

from groupsim.diagnosis.cause import Cause, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.wording.times import duration

_STEP_MS = 500
"""Threads of one program write within some ms of each other."""
_DO = (
    Remedy(
        "keep the machine's clock in step (NTP that slews); durations around that time are not to be trusted",
        brief="keep clocks in step",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    steps = []
    for said in [log.broker, *log.clients.values()]:
        by_file: dict[str, list[Said]] = {}
        for line in said:
            by_file.setdefault(line.row.file, []).append(line)
        for lines in by_file.values():
            ordered = sorted(lines, key=lambda line: line.row.order if line.row.order is not None else line.row.line)
            timed = [line for line in ordered if line.at is not None]
            for before, line in pairwise(timed):
                if before.at is not None and line.at is not None and line.at < before.at - _STEP_MS:
                    steps.append((before, line, before.at - line.at))
    if not steps or len(steps) > 3:
        return None
    said = [line for before, line, _ in steps for line in (before, line)]
    return Finding(
        code=Code.CLOCK_JUMP,
        certainty=Certainty.LIKELY,
        what=f"the clock was set back by {duration(max(step for _, _, step in steps))}",
        times=len(steps),
        evidence=evidence_of(said),
        do=_DO,
    )


CAUSE = Cause(
    code=Code.CLOCK_JUMP,
    title="Clock moved",
    means="The times of one program go back: its clock was set. Durations around it are not to be trusted.",
    seen=(),
    do=_DO,
    find=_find,
)
