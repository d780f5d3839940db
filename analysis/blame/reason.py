"""What a partition waits for, as one value; and the activity of the member waited for, which says what decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from groupsim.analysis.blame.phases import BlamePhase
from groupsim.analysis.timelines.group_timeline import GroupSpan, GroupTimeline
from groupsim.analysis.timelines.process_timeline import CONFIGURATION, Activity
from groupsim.analysis.timelines.rebalance import Rebalance

SESSION, REBALANCE_TIMEOUT = "session.timeout.ms", "max.poll.interval.ms"


@dataclass(frozen=True, slots=True)
class Reason:
    """What a partition waits for: the phase, the member, what decides the length, and the rebalance concerned."""

    phase: BlamePhase
    member: str | None = None
    configuration: str | None = None
    rebalance: Rebalance | None = None


Stretch = tuple[int, int, Reason]
"""From, to, and the reason in between."""


def waiting_for(
    timeline: GroupTimeline, phase: BlamePhase, member: str | None, span: GroupSpan, *, at_heartbeat: bool = False
) -> Iterator[Stretch]:
    """The activity of `member` decides the configuration; None where its own log does not say.

    `at_heartbeat`: the coordinator answers its next heartbeat with what it is to know.
    """
    process = timeline.process(member)
    if process is None:
        yield span.from_ms, span.to_ms, Reason(phase, member, None, span.rebalance)
        return
    granting = phase == BlamePhase.GRANTING and not at_heartbeat
    for at, until, activity, _ in process.during(span.from_ms, span.to_ms):
        unlogged = timeline.recorded and not process.logs_rejoins
        uncertain = activity == Activity.AWAITING_HEARTBEAT and not at_heartbeat and (granting or unlogged)
        uncertain |= activity == Activity.STARTING and timeline.recorded
        configuration = None if uncertain else process.configuration(activity)
        if granting and process.native and activity == Activity.AWAITING_HEARTBEAT:  # the answer is on its way
            configuration = CONFIGURATION[Activity.JOIN]
        if granting and activity == Activity.JOIN and not process.native:  # answered, and it has not polled yet
            configuration = CONFIGURATION[Activity.POLL]
        yield at, until, Reason(phase, member, configuration, span.rebalance)


def zombie(timeline: GroupTimeline, member: str, span: GroupSpan) -> Iterator[Stretch]:
    """The coordinator has assigned it to the member, which is past its poll interval, cut off or fenced."""
    if timeline.removal(member, span.to_ms) == (span.to_ms, "session-expired"):
        following = timeline.next_rebalance(span.to_ms)
        yield span.from_ms, span.to_ms, Reason(BlamePhase.DETECTING, member, session_of(timeline, member), following)
    else:
        yield from waiting_for(timeline, BlamePhase.DETECTING, member, span._replace(rebalance=None))


def session_of(timeline: GroupTimeline, member: str | None) -> str:
    """The setting that is the member's session timeout."""
    process = timeline.process(member)
    return (process and process.configuration(Activity.DEAD)) or SESSION
