"""What a partition of a consumer group waits for where nobody has it, or nobody who is entitled (KIP-848).

Each partition goes its own way: its owner gives it up, the coordinator gets to know of that, its new owner is informed.
So the stage of the partition decides, not that of the group: `analysis.timelines.target_progress`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.blame.phases import BlamePhase
from groupsim.analysis.blame.reason import Reason, Stretch, waiting_for, zombie
from groupsim.analysis.epoch_causes import REMOVALS
from groupsim.analysis.timelines.group_timeline import GroupSpan, GroupTimeline
from groupsim.analysis.timelines.process_timeline import Activity
from groupsim.analysis.timelines.target_progress import Stage
from groupsim.events.types import TopicPartition

ASSIGNMENT_INTERVAL = "group.consumer.assignment.interval.ms"
NETWORK = "network"


def stages(timeline: GroupTimeline, interval: Interval, span: GroupSpan) -> Iterator[Stretch]:
    """The parts of a span, each with what the partition waits for."""
    partition = TopicPartition(interval.topic, interval.partition)
    for from_ms, to_ms in timeline.progress.cuts(span.from_ms, span.to_ms):
        stage = timeline.progress.stage(partition, from_ms)
        yield from _stage(timeline, interval, stage, span._replace(from_ms=from_ms, to_ms=to_ms))


def _stage(timeline: GroupTimeline, interval: Interval, stage: Stage, span: GroupSpan) -> Iterator[Stretch]:
    holder, target = timeline.progress.name(stage.holder), timeline.progress.name(stage.target)
    if holder is not None and interval.label == Label.ZOMBIE_ONLY:
        served = interval.member is not None and holder == interval.member
        phase = BlamePhase.GRANTING
        yield from zombie(timeline, holder, span) if served else waiting_for(timeline, phase, holder, span)
    elif holder is not None:
        yield from _on_its_way(timeline, BlamePhase.ACKNOWLEDGING, holder, span)
    elif target is None:
        phase = BlamePhase.ASSIGNING if stage.due else BlamePhase.UNASSIGNED
        decides = _computing(span) if stage.due else None
        yield span.from_ms, span.to_ms, Reason(phase, None, decides, span.rebalance)
    elif stage.revokes:
        yield from _on_its_way(timeline, BlamePhase.REVOKING, target, span)
    else:
        phase = BlamePhase.GRANTING if stage.at_target else BlamePhase.TOLD
        yield from waiting_for(timeline, phase, target, span, at_heartbeat=True)


def _on_its_way(timeline: GroupTimeline, phase: BlamePhase, member: str, span: GroupSpan) -> Iterator[Stretch]:
    """A heartbeat says at once what was given up: who seems to wait for the next one has sent it."""
    for from_ms, to_ms, reason in waiting_for(timeline, phase, member, span):
        process = timeline.process(member)
        sent = process is not None and process.native and process.at(from_ms) is Activity.AWAITING_HEARTBEAT
        yield from_ms, to_ms, replace(reason, configuration=NETWORK) if sent else reason


def _computing(span: GroupSpan) -> str | None:
    """What decides when the target is computed: the next heartbeat of anybody, or the interval between two targets.

    An epoch that grows by a heartbeat gets its target with it, unless the interval is not over yet.
    """
    r = span.rebalance
    if r is None:
        return None
    return "group.consumer.heartbeat.interval.ms" if r.cause in REMOVALS.values() else ASSIGNMENT_INTERVAL
