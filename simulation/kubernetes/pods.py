"""Pods: each runs one member of a group; it starts, becomes ready, is asked to end, and is killed if it does not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

import simpy

from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.rng import Rng

Span = int | tuple[int, int]
"""Milliseconds, or the shortest and the longest of evenly drawn ones."""
GRACE_MS = 30_000
"""terminationGracePeriodSeconds where a pod says nothing."""
PROBE_PERIOD_MS = 10_000
"""periodSeconds where a probe says nothing."""


def checked(name: str, span: Span) -> Span:
    """The span. Raises BadScenario where it is none."""
    shortest, longest = span if isinstance(span, tuple) and len(span) == 2 else (span, span)
    whole = all(isinstance(ms, int) and not isinstance(ms, bool) for ms in (shortest, longest))
    if not whole or not 0 <= shortest <= longest:
        raise BadScenario(f"{name} must be milliseconds, or (shortest, longest), not {span!r}")
    return span


def drawn(span: Span, rng: Rng, stream: str) -> int:
    """Milliseconds: those of the span, or drawn from it."""
    return rng.stream(stream).randint(*span) if isinstance(span, tuple) else span


@dataclass(frozen=True, slots=True)
class PodTimes:
    """`start`: from the pod's creation (on a node) to its process; `ready_after`: from there to its readiness probe.

    `grace_ms`: a process that has not ended so long after SIGTERM is killed.
    """

    start: Span = 0
    ready_after: Span = 0
    grace_ms: int = GRACE_MS

    def __post_init__(self) -> None:
        for name, span in (("start_ms", self.start), ("ready_after_ms", self.ready_after), ("grace", self.grace_ms)):
            checked(name, span)


class Scheduler(Protocol):
    """Finds a node for a pod."""

    def place(self, pod: Pod) -> simpy.Event:
        """Fires when the pod has a node."""
        ...


class Pod:
    """One pod. `changed` is called when it became ready, and when it is gone (`removed` fires then, too).

    `kind`: pods of one kind are spread over nodes. `evictable` is asked before an eviction. Without a `scheduler` a pod
    starts at once, on no node. `probe` is asked for its readiness, after the time that this takes at least.
    """

    def __init__(
        self,
        context: ConsumerContext,
        member: MemberHandle,
        revision: int,
        times: PodTimes,
        changed: Callable[[], None],
        *,
        kind: str = "",
        evictable: Callable[[Pod], bool] = lambda _: True,
        scheduler: Scheduler | None = None,
        probe: Callable[[MemberHandle], bool] | None = None,
    ) -> None:
        self._context = context
        self._times = times
        self._changed = changed
        self._evictable = evictable
        self._scheduler = scheduler
        self._probe = probe
        self._starting: simpy.Event | None = None
        self.member = member
        self.revision = revision
        self.kind = kind
        self.created_ms = context.now
        self.ready = False
        self.terminating = False
        self.lost = False
        self.gone = False
        self._env = context.env
        self.removed = context.env.event()
        self._life = self._env.process(self._live())

    @property
    def name(self) -> str:
        """The pod's name, which is its member's."""
        return self.member.label

    @property
    def pending(self) -> bool:
        """Whether its process has not been started yet."""
        return self._starting is None

    @property
    def healthy(self) -> bool:
        """Whether it counts for a disruption budget."""
        return self.ready and self.member.running

    def delete(self) -> None:
        """Take it out of the count at once, and end its process: SIGTERM, then SIGKILL."""
        if not self.terminating:
            self.terminating, self.ready = True, False
            self._env.process(self._end())

    def remove(self) -> None:
        """Delete it from outside its workload, which sees that at once: another pod may start beside it."""
        self.delete()
        self._changed()

    def evict(self) -> bool:
        """Ask for its deletion; False where a disruption budget does not allow it now."""
        if not self._evictable(self):
            return False
        if not self.terminating:
            self._context.act("evict", self.name)
            self.remove()
        return True

    def lose(self, after_ms: int) -> None:
        """Its node is gone, and its process with it; Kubernetes knows that in `after_ms` and removes the pod."""
        self.lost, self.ready = True, False
        if self.member.running:
            self.member.kill()
        self._env.process(self._vanish(after_ms))

    def _live(self) -> Generator[simpy.Event]:
        if self._scheduler is not None:
            yield self._scheduler.place(self)
        yield self._env.timeout(self._drawn(self._times.start, "start"))
        if self._over:
            return
        self._starting = self.member.start()
        yield self._starting
        if self.lost:
            self.member.kill()
            return
        yield self._env.timeout(self._drawn(self._times.ready_after, "ready"))
        while self._probe is not None and not self._over and not self._probe(self.member):
            yield self._env.timeout(PROBE_PERIOD_MS)
        if not self._over:
            self.ready = True
            self._changed()

    @property
    def _over(self) -> bool:
        return self.terminating or self.lost

    def _end(self) -> Generator[simpy.Event, Any]:
        if self._starting is not None and not self._starting.processed and not self.member.running:
            yield self._starting  # on a slow host a process takes its time to start
        if self.member.running:
            closed = self.member.close()
            yield closed | self._env.timeout(self._times.grace_ms)
            if self.member.running:
                self.member.kill()
        else:
            yield self._env.timeout(0)
        if not self.lost:
            self._leave()

    def _vanish(self, after_ms: int) -> Generator[simpy.Event]:
        yield self._env.timeout(after_ms)
        self.terminating = True
        self._leave()

    def _leave(self) -> None:
        if not self.gone:
            self.gone = True
            self.removed.succeed()
            self._changed()

    def _drawn(self, span: Span, what: str) -> int:
        return drawn(span, self._context.rng, f"pods/{what}/{self.name}")
