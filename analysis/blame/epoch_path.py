"""The critical path of a consumer group's rebalance: what the member did that each phase waited for (KIP-848)."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.analysis.blame.steps import Step, Wait, with_saving
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.analysis.timelines.process_timeline import Activity
from groupsim.analysis.timelines.rebalance import PhaseName, Rebalance

_KNOWN = (PhaseName.REVOKING, PhaseName.ACKNOWLEDGING)
"""The member knows what to do: its heartbeats do not wait for the interval."""


def epoch_steps(timeline: GroupTimeline, number: int, r: Rebalance, ended_ms: int) -> Iterator[Step]:
    """The steps of each member until it has reached the epoch. Nobody is waited for before there is a target."""
    first = r.phases[0]
    if first.name is PhaseName.ASSIGNING and (until := _until(first.to_ms, ended_ms)) > first.from_ms:
        yield Step(timeline.group, r.generation, number, None, Wait.TARGET, None, first.from_ms, until, True)
    for member in r.expected:
        last = r.phases[-1]
        saved = _saved_ms(r, ended_ms) if r.stored and last.waited_for == member else None
        yield from with_saving(list(_member_steps(timeline, number, r, member, ended_ms)), saved)


def _member_steps(timeline: GroupTimeline, number: int, r: Rebalance, member: str, ended_ms: int) -> Iterator[Step]:
    process, reached = timeline.process(member), r.arrived_ms.get(member, ended_ms)
    for phase in r.phases:
        to_ms = min(_until(phase.to_ms, ended_ms), reached)
        critical = phase.waited_for == member
        if process is None and to_ms > phase.from_ms:
            yield Step(timeline.group, r.generation, number, member, Wait.UNKNOWN, None, phase.from_ms, to_ms, critical)
        for at, until, activity, kind in process.during(phase.from_ms, to_ms) if process is not None else ():
            on_its_way = process is not None and process.native and phase.name in _KNOWN
            step = Wait.HEARTBEAT if on_its_way and activity is Activity.AWAITING_HEARTBEAT else activity
            yield Step(timeline.group, r.generation, number, member, step, kind, at, until, critical)


def _saved_ms(r: Rebalance, ended_ms: int) -> int:
    """How much sooner it had ended without the last member; that one's part may have begun only with the last phase."""
    others = sorted(r.arrived_ms.values())[:-1]
    return ended_ms - max([r.phases[-1].from_ms, *others])


def _until(to_ms: int | None, ended_ms: int) -> int:
    return ended_ms if to_ms is None else to_ms
