"""The application's own code failed, and the client left or closed because of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import takewhile

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.failures import failed
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.incarnations import Incarnation
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import EVIDENCE, RowKind
from groupsim.wording.numbers import often

_CRASH = re.compile(r"^Crash: |Crash:|uncaught exception|handler failed")
_ANY_EXCEPTION = "Consumer exception"
_SOON_MS = 30_000
_DO = (
    Remedy(
        "handle the error in the application (its lines just before the leave say which); no setting of the group"
        " helps",
        brief="handle the error in the application",
    ),
)

_DO_EARLY = (
    Remedy(
        "read the application's log just before `sending LeaveGroup request`, or see what stopped it (SIGTERM, a failed"
        " health check, a deploy): no setting of the group helps",
        brief="read the application's log just before it left",
    ),
)

_ASSIGNOR = re.compile(r"onLeaderElected|Assignor\.assign")
_DO_ASSIGNOR = (
    Remedy(
        "update the client, or take another assignor (partition.assignment.strategy) until then",
        ("version", "partition.assignment.strategy"),
        brief="update the client, or take another assignor",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    if (found := failed(log)) is not None:
        return found
    crashed = [line for line in log.of(RowKind.APP_FAILED) if not _is_of_kafka(log, line)]
    crashed += [line for line in log.that_say(_CRASH) if line.client is not None and line.row.kind not in EVIDENCE]
    early = [
        incarnation
        for incarnations in log.incarnations.values()
        for incarnation in incarnations
        if _left_before_it_began(incarnation)
    ]
    if not crashed and not early:
        return _assignor_failed(log)
    said: list[Said] = crashed + [
        incarnation.of(RowKind.LEAVE_SENT, RowKind.CLIENT_UNSUBSCRIBED)[0] for incarnation in early
    ]
    who = names(line.client for line in said if line.client)
    times = len(said)
    what = (
        _failed(log.called(who))
        if crashed
        else f"{log.called(who)[0]} was stopped{often(times)} by its application before it had a partition"
    )
    return Finding(
        code=Code.APP_ERROR,
        certainty=Certainty.SHOWN if crashed else Certainty.LIKELY,
        what=what,
        members=who,
        times=times,
        evidence=evidence_of(said),
        do=_DO if crashed else _DO_EARLY,
        confirm="the application's log just before it left",
        harm_ms=5_000 * times,
    )


def _assignor_failed(log: GroupLog) -> Finding | None:
    """The leader's assignor threw an exception (ConsumerCoordinator.onLeaderElected): nobody gets an assignment."""
    said = [line for line in log.of(RowKind.EXCEPTION) if _ASSIGNOR.search(str(line.row.detail.get("at"))) is not None]
    what = "the assignor that the group's leader ran failed with an exception"
    return _threw(
        said, what, _DO_ASSIGNOR, "whether the defect is known for this assignor in this version of the client"
    )


def _threw(said: list[Said], what: str, do: tuple[Remedy, ...], confirm: str) -> Finding | None:
    """What lines of a group show that name no client of it; None without any."""
    if not said:
        return None
    return Finding(
        code=Code.APP_ERROR,
        certainty=Certainty.LIKELY,
        what=what,
        times=len(said),
        evidence=evidence_of(said),
        do=do,
        confirm=confirm,
        harm_ms=5_000,
    )


def _is_of_kafka(log: GroupLog, failed: Said) -> bool:
    """Whether Spring's line is about an error of the group: its kind stands in the lines below, without a time."""
    if failed.reason != _ANY_EXCEPTION:
        return False
    below = (line for line in log.lines[bisect_right(log.lines, failed.nth, key=lambda line: line.nth) :])
    return any(
        line.row.kind is RowKind.ERROR_NAMED
        for line in takewhile(lambda line: line.row.file == failed.row.file and line.at is None, below)
    )


def _failed(who: tuple[str, ...]) -> str:
    if len(who) == 1:
        return f"the application of {who[0]} failed, and its consumer stopped"
    return f"the applications of {len(who)} members failed, and their consumers stopped"


def _left_before_it_began(incarnation: Incarnation) -> bool:
    """Whether a client asked to join, and left of itself before it was ever assigned anything."""
    left = incarnation.of(RowKind.LEAVE_SENT, RowKind.CLIENT_UNSUBSCRIBED)
    asked = incarnation.of(RowKind.JOINING)
    if not left or not asked or incarnation.of(RowKind.ASSIGNED, RowKind.JOINED, RowKind.SYNCED, RowKind.POLL_TIMEOUT):
        return False
    begin, end = asked[0].at, left[0].at
    return asked[0].nth < left[0].nth and (begin is None or end is None or end - begin < _SOON_MS)


CAUSE = Cause(
    code=Code.APP_ERROR,
    title="The application failed",
    means="The application's own code failed (a handler, a listener, a task), and the client left or closed because of"
    " it. The group only follows.",
    seen=(
        Message("KafkaJS", "Crash: KafkaJSNumberOfRetriesExceeded / [Consumer] Crash: TypeError …"),
        Message("Java", "unsubscribed from all topics, right after a start"),
        Message("Spring", "Consumer stopped / Error handler threw an exception"),
        Message("Streams", "All stream threads have died. The instance will be in error state and should be closed."),
        Message("Streams", "Encountered the following exception during processing"),
        Message("Connect", "WorkerSinkTask{id=…} Task threw an uncaught and unrecoverable exception"),
        Message("Connect", "WorkerSinkTask{id=…} Offset commit failed, rewinding to last committed offsets"),
        Message("Connect", "Uncaught exception in herder work thread, exiting"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
