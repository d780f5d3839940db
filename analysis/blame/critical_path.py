"""The critical path of every rebalance: which action of which member ended it, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from groupsim.analysis.blame.steps import Step, Wait, with_saving
from groupsim.analysis.timelines.builder import group_timelines
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.analysis.timelines.process_timeline import Activity
from groupsim.analysis.timelines.rebalance import PhaseEnd, PhaseName, Rebalance
from groupsim.events.base import Recorded


def critical_paths(
    facts: Iterable[Recorded], end_ms: int, timelines: Mapping[str, GroupTimeline] | None = None
) -> list[Step]:
    """Every rebalance's steps, by group, rebalance, member, time. A rebalance still running goes on to `end_ms`.

    `timelines` are the run's, where the caller has them already.
    """
    known = group_timelines(facts) if timelines is None else timelines
    return [
        step
        for timeline in known.values()
        for number, rebalance in enumerate(timeline.rebalances)
        for step in _steps(timeline, number, rebalance, end_ms)
    ]


def _steps(timeline: GroupTimeline, number: int, r: Rebalance, end_ms: int) -> Iterator[Step]:
    ended = end_ms if r.ended_ms is None else r.ended_ms
    if r.by_epoch:
        yield from epoch_steps(timeline, number, r, ended)
        return
    join = r.join_phase
    if join.ended_by == PhaseEnd.DELAY and r.joined_ms is not None and r.joined_ms > r.started_ms:  # it may be 0
        saved = r.joined_ms - max(r.arrived_ms.values(), default=r.started_ms)
        yield Step(timeline.group, r.generation, number, None, Wait.DELAY, None, r.started_ms, r.joined_ms, True, saved)
    members = {*r.expected, *r.arrived_ms, *filter(None, (join.waited_for, r.leader, r.initiator))}
    for member in sorted(members):
        yield from _Lane(timeline, number, r, member, ended).steps()


class _Lane:
    """One member's part in one rebalance."""

    def __init__(self, timeline: GroupTimeline, number: int, r: Rebalance, member: str, ended_ms: int) -> None:
        self.timeline, self.number, self.rebalance, self.member, self.ended_ms = timeline, number, r, member, ended_ms
        self.arrived_ms = r.arrived_ms.get(member)

    def steps(self) -> Iterator[Step]:
        """The member's steps in order; the last critical one of each phase has `saved_ms`."""
        r = self.rebalance
        joined = self.ended_ms if r.joined_ms is None else r.joined_ms
        waited_for = r.join_phase.ended_by in _BY_A_MEMBER and self.member == r.join_phase.waited_for
        joining = self._phase(r.started_ms, joined, waited_for)
        yield from with_saving(joining, max(0, joined - r.second_last_join_ms) if waited_for else None)
        if r.joined_ms is not None:
            leads = self.member == r.leader
            completing = self._phase(joined, self.ended_ms, leads)
            yield from with_saving(completing, self._saved_by_another_leader(joined) if r.stored and leads else None)

    def _phase(self, from_ms: int, to_ms: int, critical: bool) -> list[Step]:
        r = self.rebalance
        process = self.timeline.process(self.member)
        if process is None:
            return [self._step(Wait.UNKNOWN, None, from_ms, to_ms, critical)] if to_ms > from_ms else []
        steps: list[Step] = []
        for at, until, activity, kind in process.during(from_ms, to_ms):
            arrived = self.arrived_ms
            joining = r.joined_ms is None or at < r.joined_ms
            if activity == Activity.JOIN and joining and arrived is not None and until > arrived:
                if arrived > at:
                    steps.append(self._step(activity, kind, at, arrived, critical))
                steps.append(self._step(Wait.WAIT, kind, max(at, arrived), until, False))
            elif activity == Activity.JOIN and not joining:
                steps.append(self._step(Wait.ANSWERED, kind, at, until, critical))
            else:
                steps.append(self._step(activity, kind, at, until, critical))
        return steps

    def _step(self, step: Activity | Wait, kind: str | None, from_ms: int, to_ms: int, critical: bool) -> Step:
        generation = self.rebalance.generation
        return Step(self.timeline.group, generation, self.number, self.member, step, kind, from_ms, to_ms, critical)

    def _saved_by_another_leader(self, joined_ms: int) -> int | None:
        """Had the slowest other member led: the time until it had its answer instead of the leader's time.

        None where no other member was there to lead.
        """
        processes = self.timeline.processes
        answered = {m: x.end_of(Activity.JOIN, joined_ms, self.ended_ms) for m, x in processes.items()}
        arrived = self.rebalance.arrived_ms
        others = [at for m, at in answered.items() if m != self.member and m in arrived and at > joined_ms]
        return max(0, answered[self.member] - max(others)) if others and self.member in answered else None


_BY_A_MEMBER = (PhaseEnd.JOIN, PhaseEnd.TIMEOUT, PhaseEnd.REMOVAL)


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
