"""A node: one machine on which pods run; it is cordoned and drained, taken away with a notice, or lost."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import simpy

from groupsim.simulation import checks
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.kubernetes.pods import Pod, Span, drawn

RETRY_MS = 5_000
"""`kubectl drain` asks again so long after an eviction was refused (kubectl: drain.Helper.evictPods)."""


class Node:
    """One machine; `usable` is called when pods may come to it again."""

    def __init__(self, context: ConsumerContext, name: str, lost_after_ms: Span, usable: Callable[[], None]) -> None:
        self._context = context
        self._usable = usable
        self._env = context.env
        self._lost_after = lost_after_ms
        self._pods: list[Pod] = []
        self.name = name
        self.cordoned = False
        self.gone = False

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def pods(self) -> list[Pod]:
        """Those on this node that are not gone, the ending ones too."""
        self._pods = [pod for pod in self._pods if not pod.gone]
        return list(self._pods)

    def bind(self, pod: Pod) -> None:
        """Put a pod here."""
        self._pods.append(pod)

    def cordon(self) -> None:
        """No new pod comes here."""
        self.cordoned = True
        self._context.act("cordon", self.name)

    def uncordon(self) -> None:
        """New pods may come here again, those first that wait."""
        self._context.act("uncordon", self.name)
        self.cordoned = self.gone
        self._usable()

    def drain(self, timeout_ms: int | None = None) -> simpy.Event:
        """`kubectl drain`: cordon it, evict its pods; fires when they are gone, with the names of those that are not.

        All pods are asked to go at once; what a disruption budget refuses is asked again every 5 s, for ever or for
        `timeout_ms`.
        """
        until = None if timeout_ms is None else self._context.now + checks.ms(timeout_ms, f"{self.name}: drain")
        self._context.act("drain", self.name)
        self.cordoned = True
        pods = self.pods
        each = [self._env.process(self._evict(pod, until)) for pod in pods]

        def script() -> Generator[simpy.Event, Any, tuple[str, ...]]:
            yield self._env.all_of(each)
            return tuple(pod.name for pod in pods if not pod.gone)

        return self._env.process(script())

    def take(self, notice_ms: int = 0) -> simpy.Event:
        """The node goes in `notice_ms`: until then its pods may end, by SIGTERM; then it is lost. Fires then.

        Kubernetes: graceful node shutdown, which asks no disruption budget.
        """
        notice_ms = checks.ms(notice_ms, f"{self.name}: take(notice_ms=…)")
        self._context.act("take", self.name)
        self.cordoned = True

        def script() -> Generator[simpy.Event]:
            if notice_ms:
                for pod in self.pods:
                    pod.remove()
                yield self._env.timeout(notice_ms)
            else:
                yield self._env.timeout(0)
            self.lose()

        return self._env.process(script())

    def lose(self) -> None:
        """The node is gone: its processes die as by kill -9, and Kubernetes notices only later."""
        if self.gone:
            return
        self.cordoned = self.gone = True
        self._context.act("lose", self.name)
        after_ms = drawn(self._lost_after, self._context.rng, f"nodes/lost/{self.name}")
        for pod in self.pods:
            pod.lose(after_ms)

    def _evict(self, pod: Pod, until: int | None) -> Generator[simpy.Event]:
        refused = False
        while not pod.gone and not pod.evict():
            if not refused:
                refused = True
                self._context.act("evict-refused", pod.name)
            if until is not None and self._context.now + RETRY_MS > until:
                return
            yield self._env.timeout(RETRY_MS)
        left = None if until is None else self._env.timeout(max(until - self._context.now, 0))
        yield pod.removed if left is None else pod.removed | left
