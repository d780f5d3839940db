"""Nodes, the machines on which pods run, and the scheduler that spreads pods over them.

A node is cordoned and drained, taken away with a notice, or lost.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

import simpy

from groupsim.simulation import checks
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.pods import Pod, Span, checked, drawn

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
        evictions = [self._env.process(self._evict(pod, until)) for pod in pods]

        def script() -> Generator[simpy.Event, Any, tuple[str, ...]]:
            yield self._env.all_of(evictions)
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


LOST_AFTER_MS = (80_000, 140_000)
"""From the end of a machine until its pods are removed, with the defaults of Kubernetes 1.32 in a cloud.

node-monitor-grace-period (50 s since the last renewal of the node's lease, up to 10 s before the end), the next looks
of the node controller and of the cloud's, which deletes the node (5 s each), and of PodGCController (20 s), its
quarantineTime (40 s) and the look after that (20 s). Where nobody deletes the node, its pods are deleted 300 s after
the first of these.
"""


class Nodes:
    """A pool of machines that are alike. `nodes[0]` is the first that is still there.

    A pod comes to the node with the fewest pods of its kind that do not end (a version of a Deployment, or a
    StatefulSet); among these to one with the fewest pods; among these to any. A plain form of Kubernetes' scheduler
    with its default constraints (PodTopologySpread by host name, NodeResourcesFit, selectHost), without zones.
    `room`: so many pods fit on a node; one that fits nowhere waits.
    """

    def __init__(
        self, context: ConsumerContext, count: int, name: str, room: int | None, lost_after_ms: Span = LOST_AFTER_MS
    ) -> None:
        self._context = context
        self._lost_after = checked("lost_after_ms", lost_after_ms)
        self._room = None if room is None else checks.whole(room, f"nodes {name!r}: room", 1)
        self._waiting: list[tuple[Pod, simpy.Event]] = []
        self._made = 0
        self.name = name
        self._nodes: list[Node] = []
        for _ in range(checks.whole(count, f"nodes {name!r}: how many there are", 1, 100_000)):
            self.add()

    def __iter__(self) -> Iterator[Node]:
        return iter(self.present)

    def __getitem__(self, number: int) -> Node:
        return self.present[number]

    def __len__(self) -> int:
        return len(self.present)

    @property
    def present(self) -> list[Node]:
        """Nodes that are there, the cordoned ones too."""
        return [node for node in self._nodes if not node.gone]

    def add(self) -> Node:
        """One more node; pods that wait come to it."""
        self._made += 1
        name = f"{self.name}-{self._made}"
        if name in self._context.labels:
            raise BadScenario(f"nodes {self.name!r}: the name {name!r} is taken")
        self._context.labels.add(name)
        node = Node(self._context, name, self._lost_after, self._look)
        self._nodes.append(node)
        self._look()
        return node

    def interrupt(
        self, every_ms: int, notice_ms: int = 0, replaced_after_ms: int | None = None, lasts_ms: int | None = None
    ) -> None:
        """From now on each node is taken after a random time, `every_ms` in the mean, with `notice_ms` of notice.

        Spot instances. A new node is there `replaced_after_ms` after the notice; None: never. It ends after
        `lasts_ms`. Pools with as many nodes lose them at the same instants, so that they can be compared.
        """
        every_ms = checks.whole(every_ms, f"nodes {self.name!r}: interrupt(every_ms=…)", 1)
        notice_ms = checks.ms(notice_ms, f"nodes {self.name!r}: interrupt(notice_ms=…)")
        after = None if replaced_after_ms is None else checks.ms(replaced_after_ms, f"nodes {self.name!r}: replaced")
        until = None if lasts_ms is None else checks.ms(lasts_ms, f"nodes {self.name!r}: lasts") + self._context.now
        self._context.env.process(self._interrupt(every_ms / len(self), notice_ms, after, until))

    def _interrupt(
        self, mean_ms: float, notice_ms: int, after_ms: int | None, until: int | None
    ) -> Generator[simpy.Event]:
        chance = self._context.rng.again("nodes/interrupt")
        while True:
            yield self._context.env.timeout(max(round(chance.expovariate(1 / mean_ms)), 1))
            which = chance.random()
            none_left = after_ms is None and not self.present
            if none_left or (until is not None and self._context.now >= until):
                return
            up = [node for node in self.present if not node.cordoned]
            if up:
                up[int(which * len(up))].take(notice_ms)
                if after_ms is not None:
                    self._context.env.process(self._replace(after_ms))

    def _replace(self, after_ms: int) -> Generator[simpy.Event]:
        yield self._context.env.timeout(after_ms)
        self.add()

    def place(self, pod: Pod) -> simpy.Event:
        """Fires when the pod has a node, at once where there is one."""
        event = self._context.env.event()
        self._waiting.append((pod, event))
        self._look()
        return event

    def look_again(self) -> None:
        """A pod is gone: there may be room for one that waits."""
        self._look()

    def _look(self) -> None:
        waiting, self._waiting = self._waiting, []
        for pod, event in waiting:
            if pod.terminating:
                continue
            node = self._best(pod.kind)
            if node is None:
                self._waiting.append((pod, event))
            else:
                node.bind(pod)
                event.succeed()

    def _best(self, kind: str) -> Node | None:
        counts = {}
        for node in self._nodes:
            pods = node.pods
            if not node.cordoned and (self._room is None or len(pods) < self._room):
                same = sum(1 for pod in pods if pod.kind == kind and not pod.terminating)
                counts[node.name] = (same, len(pods), node)
        least = min((place[:2] for place in counts.values()), default=None)
        best = [node for *count, node in counts.values() if tuple(count) == least]
        return self._context.rng.stream(f"nodes/place/{self.name}").choice(best) if best else None
