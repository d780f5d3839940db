"""Pods: each runs one member of a group; it starts, becomes ready, is asked to end, and is killed if it does not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import simpy

from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.member import MemberHandle

Span = int | tuple[int, int]
"""Milliseconds, or the shortest and the longest of evenly drawn ones."""
GRACE_MS = 30_000
"""terminationGracePeriodSeconds where a pod says nothing."""


@dataclass(frozen=True, slots=True)
class PodTimes:
    """`start`: from the pod's creation to its process; `ready_after`: from there until its readiness probe succeeds.

    `grace_ms`: a process that has not ended so long after SIGTERM is killed.
    """

    start: Span = 0
    ready_after: Span = 0
    grace_ms: int = GRACE_MS

    def __post_init__(self) -> None:
        for name, span in (("start_ms", self.start), ("ready_after_ms", self.ready_after), ("grace", self.grace_ms)):
            shortest, longest = span if isinstance(span, tuple) else (span, span)
            whole = all(isinstance(ms, int) and not isinstance(ms, bool) for ms in (shortest, longest))
            if not whole or not 0 <= shortest <= longest:
                raise BadScenario(f"{name} must be milliseconds, or (shortest, longest), not {span!r}")


class Pod:
    """One pod. `changed` is called when it became ready, and when it is gone."""

    def __init__(
        self,
        context: ConsumerContext,
        member: MemberHandle,
        revision: int,
        times: PodTimes,
        changed: Callable[[], None],
    ) -> None:
        self._context = context
        self._times = times
        self._changed = changed
        self.member = member
        self.revision = revision
        self.created_ms = context.now
        self.ready = False
        self.terminating = False
        self.gone = False
        self._env = context.env
        self._life = self._env.process(self._live())

    @property
    def name(self) -> str:
        """The pod's name, which is its member's."""
        return self.member.label

    def delete(self) -> None:
        """Take it out of the count at once, and end its process: SIGTERM, then SIGKILL."""
        self.terminating, self.ready = True, False
        self._env.process(self._end())

    def _live(self) -> Generator[simpy.Event]:
        yield self._env.timeout(self._drawn(self._times.start, "start"))
        if self.terminating:
            return
        yield self.member.start()
        yield self._env.timeout(self._drawn(self._times.ready_after, "ready"))
        if not self.terminating:
            self.ready = True
            self._changed()

    def _end(self) -> Generator[simpy.Event]:
        if self.member.running:
            closed = self.member.close()
            yield closed | self._env.timeout(self._times.grace_ms)
            if self.member.running:
                self.member.kill()
        else:
            yield self._env.timeout(0)
        self.gone = True
        self._changed()

    def _drawn(self, span: Span, what: str) -> int:
        if not isinstance(span, tuple):
            return span
        return self._context.rng.stream(f"pods/{what}/{self.name}").randint(*span)
