"""Which finding stands first, which follows from another, and which is left out: decided here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding

QUIET = frozenset([Code.START_UP, Code.HEALTHY, Code.OTHERS])
"""Codes that say that nothing is wrong here, or that it is elsewhere."""

ON_PURPOSE = frozenset([Code.SCALE_IN, Code.SCALE_OUT, Code.MIGRATION])
"""Codes of what somebody did, with nothing wrong in it."""

_CONSEQUENCES: dict[Code, tuple[Code, ...]] = {
    Code.COMMIT_FAILED: (
        Code.POLL_TIMEOUT, Code.SESSION_EXPIRED, Code.STATIC_FENCED, Code.COORDINATOR_MOVED, Code.NOT_AUTHORIZED,
        Code.ROLLING_RESTART, Code.SLOW_REJOIN, Code.OTHERS,
    ),
    Code.SLOW_REJOIN: (Code.PENDING_MEMBER, Code.CRASH_LOOP),
    Code.SCALE_IN: (Code.AUTOSCALER_CHURN, Code.APP_ERROR),
    Code.SCALE_OUT: (Code.AUTOSCALER_CHURN,),
    Code.STALE_EPOCH: (Code.SESSION_EXPIRED, Code.POLL_TIMEOUT),
    Code.GHOST_MEMBERS: (Code.CRASH_LOOP,),
    Code.SESSION_EXPIRED: (Code.CRASH_LOOP, Code.GHOST_MEMBERS),
    Code.IDLE_MEMBERS: (Code.SCALE_OUT, Code.SLOW_REJOIN),
    Code.CONNECTION_LOST: (Code.COORDINATOR_MOVED,),
    Code.CONNECT_DELAY: (Code.COORDINATOR_MOVED, Code.CONNECTION_LOST, Code.SESSION_EXPIRED, Code.POLL_TIMEOUT),
    Code.STREAMS_RESTORE: (Code.SESSION_EXPIRED,),
}  # fmt: skip
"""A code, and the causes that it follows from where they are found, too."""

_ECHOES = frozenset([Code.CONNECTION_LOST])
"""What has no remedy of its own where its cause is found."""
LASTING = frozenset([Code.CONNECT_DELAY, Code.STREAMS_RESTORE])
"""What may go on long after the cause that it follows from, and has a remedy of its own."""

SECONDARY = frozenset([Code.COMMIT_FAILED, Code.STALE_EPOCH, Code.IDLE_MEMBERS])
"""What is only ever noticed because of something else, though the lines may not show what."""

_RANK = [
    Code.NOT_AUTHORIZED, Code.GROUP_FULL, Code.STATIC_FENCED, Code.INCONSISTENT_PROTOCOL, Code.UNSUPPORTED,
    Code.STATIC_UNRELEASED, Code.CONNECT_CONFIG, Code.POLL_TIMEOUT, Code.CRASH_LOOP, Code.GHOST_MEMBERS,
    Code.COORDINATOR_MOVED, Code.SESSION_EXPIRED, Code.STATIC_NAME_CHANGES, Code.APP_ERROR, Code.TOPIC_MISSING,
    Code.STALLED, Code.WORKER_STUCK, Code.CONNECT_DELAY, Code.SLOW_CALLBACK, Code.RESTART, Code.ROLLING_RESTART,
    Code.AUTOSCALER_CHURN, Code.MIGRATION, Code.SLOW_REJOIN, Code.SLOW_ASSIGNOR, Code.PENDING_MEMBER,
    Code.WRONG_COORDINATOR_CLIENT, Code.SCALE_IN, Code.ASSIGNMENT_CHANGED, Code.STREAMS_PROBING, Code.STREAMS_RESTORE,
    Code.CONNECTION_LOST, Code.STALE_EPOCH, Code.COMMIT_FAILED, Code.CLOCK_JUMP, Code.SCALE_OUT,
    Code.IDLE_MEMBERS, Code.OTHERS, Code.START_UP, Code.HEALTHY,
]  # fmt: skip
"""From what explains most to what explains least, where harm does not decide."""

FAILURES = frozenset(_RANK[: _RANK.index(Code.RESTART)])
"""Codes of something that failed; what stands behind them in rank is done on purpose, or follows from something."""

GREAT_HARM_MS = 600_000
"""A failure that cost minutes stands before one that cost seconds, whatever they are."""

LONG_HARM_MS = 60_000
"""What may have cost as long stands before what somebody did on purpose."""

_CERTAIN = {Certainty.SHOWN: 0, Certainty.LIKELY: 0, Certainty.POSSIBLE: 1}


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Root causes before what follows from them; then what is certain; then by rank."""
    loud = [finding for finding in findings if finding.code not in QUIET and finding.code not in SECONDARY]
    kept = [finding for finding in findings if not (finding.code is Code.HEALTHY and len(findings) > 1)]
    if any(finding.certainty is not Certainty.POSSIBLE for finding in loud):
        kept = [finding for finding in kept if finding.code is not Code.OTHERS]
    if any(not finding.last_resort for finding in loud):
        kept = [finding for finding in kept if not finding.last_resort]
    late = next((finding.members for finding in kept if finding.code is Code.POLL_TIMEOUT), ())
    kept = [
        finding
        for finding in kept
        if not (finding.code is Code.SLOW_REJOIN and finding.members and set(finding.members) <= set(late))
    ]
    certain = {f.code for f in kept if f.certainty is not Certainty.POSSIBLE or f.last_resort}
    linked = [replace(finding, after=_cause_of(finding, kept, certain)) for finding in kept]
    hurt = any(finding.harm_ms >= LONG_HARM_MS and finding.code not in ON_PURPOSE for finding in loud)
    roots = sorted((f for f in linked if f.after is None), key=lambda f: _place(f, loud=bool(loud), hurt=hurt))
    placed: list[Finding] = []
    for root in roots:
        placed += _with_consequences(root, linked)
    echoes = [finding for finding in placed if _echoes(finding, placed)]
    return [finding for finding in placed if finding not in echoes] + echoes


def _echoes(finding: Finding, findings: Sequence[Finding]) -> bool:
    """Whether it only says again what its cause says: then it stands last."""
    return finding.code in _ECHOES and finding.after is not None and all(f.after is not finding.code for f in findings)


def _cause_of(finding: Finding, findings: Sequence[Finding], certain: Set[Code]) -> Code | None:
    """The code that a finding follows from: by a known defect, because the same members failed, or in general."""
    for other in findings:
        if finding.code in other.leads_to:
            return other.code
        failed = finding.code is Code.SESSION_EXPIRED and other.code is Code.APP_ERROR and finding.members
        if failed and other.code in certain and set(finding.members) <= set(other.members):
            return other.code
    if finding.leads_to:
        return None
    return next((code for code in _CONSEQUENCES.get(finding.code, ()) if code in certain), None)


def _with_consequences(cause: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """A finding, and right behind it those that follow from it."""
    found = [cause]
    for finding in findings:
        if finding.after is cause.code:
            found += _with_consequences(finding, findings)
    return found


def _place(finding: Finding, *, loud: bool, hurt: bool) -> tuple[bool, int, bool, int, int]:
    """Where a root cause stands: what went wrong, what is certain, what did a multiple of the harm, then by rank.

    What shows a known defect stands with what is certain: nothing else explains its lines.
    """
    quiet = finding.code in QUIET and not (finding.code is Code.OTHERS and not loud)
    harm = -1 if finding.harm_ms >= GREAT_HARM_MS and finding.code in FAILURES else 0
    doubt = 0 if finding.known else 1 if hurt and finding.code in ON_PURPOSE else _CERTAIN[finding.certainty]
    secondary = finding.code in SECONDARY and not finding.leads_to
    return quiet, doubt, secondary, harm, _RANK.index(finding.code)
