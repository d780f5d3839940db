"""The critical path of every rebalance: which member's which action ended it, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from groupsim.analysis.blame import activity, timeline
from groupsim.analysis.blame.timeline import GroupTimeline, Round, stories
from groupsim.events.base import Recorded

DELAY, WAIT, ANSWERED = "delay", "wait", "answered"

STEPS = {
    "starting": "its process starts and looks for the coordinator",
    "unaware": "it has not heard of the rebalance: that is told at a heartbeat",
    "poll": "it knows, and its application has not polled yet",
    "commit": "it commits before it revokes",
    "callback": "a rebalance listener runs",
    "join": "its JoinGroup is on its way",
    "wait": "its JoinGroup has arrived; it waits for the others",
    "answered": "its JoinGroup is answered: the answer is on its way, or waits for the application to poll",
    "assign": "it has handled the answer; a leader computes the assignment",
    "sync": "its SyncGroup is on its way, or waits for the leader's",
    "retry": "its request failed; it waits before the next",
    "seeking": "it looks for the coordinator",
    "frozen": "its process stands still",
    "cut": "it is cut off from the coordinator",
    "closing": "it is closing",
    "failed": "a fatal error was raised",
    "dead": "its process is gone",
    "unborn": "its process has not started yet",
    "delay": "the initial delay (of nobody)",
    "unknown": "its log does not tell, or there is none",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One action of one member in one rebalance; `analysis.tables.blame_tables.CRITICAL_PATHS` documents the fields."""

    group: str
    generation: int | None
    round: int
    member: str | None
    step: str
    kind: str | None
    from_ms: int
    to_ms: int
    critical: bool = False
    saved_ms: int | None = None


def critical_paths(
    facts: Iterable[Recorded], end_ms: int, told: Mapping[str, GroupTimeline] | None = None
) -> list[Step]:
    """Every rebalance's steps, by group, rebalance, member, time. A rebalance still running goes on to `end_ms`.

    `told` are the run's stories where the caller has them already.
    """
    return [
        step
        for story in (stories(facts) if told is None else told).values()
        for number, r in enumerate(story.rounds)
        for step in _steps(story, number, r, end_ms)
    ]


def _steps(story: GroupTimeline, number: int, r: Round, end_ms: int) -> Iterator[Step]:
    ended = end_ms if r.ended_ms is None else r.ended_ms
    if r.ended_by == timeline.BY_DELAY and r.joined_ms is not None:
        saved = r.joined_ms - max(r.arrived_ms.values(), default=r.started_ms)
        yield Step(story.group, r.generation, number, None, DELAY, None, r.started_ms, r.joined_ms, True, saved)
    for member in sorted({*r.expected, *r.arrived_ms, *filter(None, (r.awaited, r.leader, r.by))}):
        lane = _Lane(story, number, r, member, ended)
        yield from lane.steps()


class _Lane:
    """One member's part in one rebalance."""

    def __init__(self, story: GroupTimeline, number: int, r: Round, member: str, ended_ms: int) -> None:
        self.story, self.number, self.round, self.member, self.ended_ms = story, number, r, member, ended_ms
        self.arrived_ms = r.arrived_ms.get(member)

    def steps(self) -> Iterator[Step]:
        """The member's steps in order; the last critical one of each phase carries `saved_ms`."""
        r = self.round
        joined = self.ended_ms if r.joined_ms is None else r.joined_ms
        awaited = r.ended_by in (timeline.BY_JOIN, *_ENDED) and self.member == r.awaited
        first = self._phase(r.started_ms, joined, awaited)
        yield from _marked(first, max(0, joined - r.second_ms) if awaited else None)
        if r.joined_ms is not None:
            leads = self.member == r.leader
            second = self._phase(joined, self.ended_ms, leads)
            yield from _marked(second, self._sooner(joined) if r.stored and leads else None)

    def _phase(self, from_ms: int, to_ms: int, critical: bool) -> list[Step]:
        r = self.round
        known = self.story.doings.get(self.member)
        if known is None:
            return [self._step("unknown", None, from_ms, to_ms, critical)] if to_ms > from_ms else []
        found: list[Step] = []
        for at, until, what, kind in known.during(from_ms, to_ms):
            arrived = self.arrived_ms
            joining = r.joined_ms is None or at < r.joined_ms
            if what == activity.JOIN and joining and arrived is not None and until > arrived:
                if arrived > at:
                    found.append(self._step(what, kind, at, arrived, critical))
                found.append(self._step(WAIT, kind, max(at, arrived), until, False))
            elif what == activity.JOIN and not joining:
                found.append(self._step(ANSWERED, kind, at, until, critical))
            else:
                found.append(self._step(what, kind, at, until, critical))
        return found

    def _step(self, what: str, kind: str | None, from_ms: int, to_ms: int, critical: bool) -> Step:
        r = self.round
        return Step(self.story.group, r.generation, self.number, self.member, what, kind, from_ms, to_ms, critical)

    def _sooner(self, joined_ms: int) -> int | None:
        """Had another member led: the slowest other one's handling of its answer instead of the leader's.

        None where no other member was there to lead.
        """
        handled = {m: d.until(activity.JOIN, joined_ms, self.ended_ms) for m, d in self.story.doings.items()}
        others = [at for m, at in handled.items() if m != self.member and m in self.round.arrived_ms and at > joined_ms]
        return max(0, handled[self.member] - max(others)) if others and self.member in handled else None


_ENDED = (timeline.BY_TIMEOUT, timeline.BY_REMOVAL)


def _marked(steps: list[Step], saved_ms: int | None) -> Iterator[Step]:
    """The last critical step gets what would have been saved."""
    last = max((n for n, step in enumerate(steps) if step.critical), default=None)
    for n, step in enumerate(steps):
        yield replace(step, saved_ms=saved_ms) if n == last else step
