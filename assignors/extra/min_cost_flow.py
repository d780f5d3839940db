"""Distribute counted partitions at least cost: a convex min-cost flow over topics and members, with its proof.

Partitions of one topic differ only in their owner, so the unknowns are x[topic, member], not partitions. Loads cost
their square times `Network.weight`, a unit of x above what the member owned costs 1 (a move): with the weight above
all moves of a cycle this is lexicographic, least sum of squares first, then fewest moves. Solved by cancelling
negative cycles (Klein 1967) found by Bellman-Ford; the least sum of squares is the optimal semi-matching of Harvey,
Ladner, Lovász and Tamir (2006). The last potentials give a Lagrangian bound that any reader can recompute.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

NEVER = np.int64(1) << 60


@dataclass(frozen=True, slots=True)
class Proof:
    """Potentials of topics and members and the bound they give on squares * weight + moves, whatever the answer."""

    topics: Ints
    members: Ints
    weight: int
    bound: int


class Network:
    """Edges (topic, member) sorted by topic; `x` is the answer, `owned` what the member had, `counts` per topic.

    Every topic has at least one edge. `base`: the partitions that members have besides, and keep.
    """

    def __init__(self, topic: Ints, member: Ints, owned: Ints, counts: Ints, base: Ints) -> None:
        self.topic, self.member, self.owned, self.counts = topic, member, owned, counts
        self.x = owned.copy()
        self.loads = base + np.bincount(member, weights=owned, minlength=len(base)).astype(np.int64)
        self._base = base
        self._starts = np.searchsorted(topic, np.arange(len(counts)))
        self._ends = np.append(self._starts[1:], len(topic))
        self._by_member = np.argsort(member, kind="stable")
        present, self._member_starts = np.unique(member[self._by_member], return_index=True)
        self._present = present
        self.weight = 8 * (len(counts) + len(base) + 2)

    def solve(self) -> Proof:
        """Bring `x` to the optimum; the proof that it is one."""
        self._give_out()
        self._level()
        while True:
            cycles, topics, members = self._improve()
            if not cycles:
                return Proof(topics, members, self.weight, self.bound(topics, members))

    def cost(self) -> tuple[int, int]:
        """Sum of squared loads, and moves (units above what was owned)."""
        return int((self.loads**2).sum()), int(np.maximum(self.x - self.owned, 0).sum())

    def bound(self, topics: Ints, members: Ints) -> int:
        """Weak duality: for any potentials, no answer has squares * weight + moves below this number."""
        gain = topics[self.topic] - members[self.member]
        counts = self.counts[self.topic]
        some = -gain * np.minimum(self.owned, counts)
        every = np.maximum(counts - self.owned, 0) - gain * counts
        edges = np.minimum(np.minimum(some, every), 0)
        low = np.maximum(members // (2 * self.weight), 0)
        squares = [self.weight * load * load - members * load for load in (low, low + 1)]
        loads = np.minimum(*squares) + members * self._base
        return int((topics * self.counts).sum() + edges.sum() + loads.sum())

    def _give_out(self) -> None:
        """Units nobody owned go to the least loaded subscriber, topics with few subscribers first."""
        free = self.counts - np.add.reduceat(self.x, self._starts) if len(self.counts) else self.counts
        for t in np.argsort(self._ends - self._starts, kind="stable").tolist():
            if free[t] <= 0:
                continue
            edges = range(int(self._starts[t]), int(self._ends[t]))
            heap = [(int(self.loads[self.member[e]]), e) for e in edges]
            heapify(heap)
            for _ in range(int(free[t])):
                load, e = heappop(heap)
                self.x[e] += 1
                self.loads[self.member[e]] += 1
                heappush(heap, (load + 1, e))

    def _level(self) -> None:
        """Single moves within a topic from the fullest holder to the emptiest subscriber while that balances."""
        moved = True
        while moved:
            moved = False
            for t in range(len(self.counts)):
                edges = slice(int(self._starts[t]), int(self._ends[t]))
                loads = self.loads[self.member[edges]]
                while True:
                    low = int(np.argmin(loads))
                    held = np.where(self.x[edges] > 0, loads * 2 + (self.x[edges] > self.owned[edges]), -1)
                    high = int(np.argmax(held))
                    if loads[high] - loads[low] < 2 or held[high] < 0:
                        break
                    self._shift(edges.start + high, edges.start + low)
                    loads[high] -= 1
                    loads[low] += 1
                    moved = True

    def _shift(self, giver: int, taker: int) -> None:
        self.x[giver] -= 1
        self.x[taker] += 1
        self.loads[self.member[giver]] -= 1
        self.loads[self.member[taker]] += 1

    def _improve(self) -> tuple[int, Ints, Ints]:
        """Cancel the negative cycles one search finds; how many, and the potentials (final when there were none)."""
        search = _Search(self)
        while search.sweep():
            cycles = search.cycles()
            if cycles:
                for cycle in cycles:
                    self._cancel(cycle)
                return len(cycles), search.topics, search.members
        return 0, -search.topics, search.sink - search.members

    def _cancel(self, cycle: list[tuple[str, int]]) -> None:
        """Apply one cycle: `take` edges gain a unit, `give` edges lose one; loads follow."""
        for kind, edge in cycle:
            step = 1 if kind == "take" else -1
            if kind in ("take", "give"):
                self.x[edge] += step
                self.loads[self.member[edge]] += step


class _Search:
    """Bellman-Ford from everywhere at once over topics, members and a sink that turns loads into costs."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.topics = np.zeros(len(net.counts), np.int64)
        self.members = np.zeros(len(net.loads), np.int64)
        self.sink = 0
        self._take = (net.x >= net.owned).astype(np.int64)
        self._give = np.where(net.x > 0, np.where(net.x > net.owned, -1, 0), NEVER)
        self._more = net.weight * (2 * net.loads + 1)
        able = np.zeros(len(net.loads), bool)
        able[net.member[net.x > 0]] = True
        self._less = np.where(able, -net.weight * (2 * net.loads - 1), NEVER)
        self._topic_from = np.full(len(self.topics), -1, np.int64)
        self._member_from = np.full(len(self.members), -1, np.int64)
        self._sink_from = -1

    def sweep(self) -> bool:
        """Relax every arc once; False when nothing got shorter."""
        net = self.net
        changed = False
        if len(net.topic):
            values = self.members[net.member] + self._give
            best = np.minimum.reduceat(values, net._starts)
            better = best < self.topics
            if better.any():
                changed = True
                self.topics = np.where(better, best, self.topics)
                hits = np.flatnonzero(better[net.topic] & (values == best[net.topic]))
                self._topic_from[net.topic[hits]] = hits
            values = (self.topics[net.topic] + self._take)[net._by_member]
            best_member = self.members.copy()
            best_member[net._present] = np.minimum.reduceat(values, net._member_starts)
            better = best_member < self.members
            if better.any():
                changed = True
                self.members = np.where(better, best_member, self.members)
                sorted_members = net.member[net._by_member]
                hits = np.flatnonzero(better[sorted_members] & (values == best_member[sorted_members]))
                self._member_from[sorted_members[hits]] = net._by_member[hits]
        values = self.members + self._more
        at = int(np.argmin(values)) if len(values) else 0
        if len(values) and values[at] < self.sink:
            self.sink, self._sink_from, changed = int(values[at]), at, True
        values = self.sink + self._less
        better = values < self.members
        if better.any():
            self.members = np.where(better, values, self.members)
            self._member_from[better] = -2
            changed = True
        return changed

    def cycles(self) -> list[list[tuple[str, int]]]:
        """Cycles among the predecessors: each is negative, and no two share a topic or member."""
        topics, members = len(self.topics), len(self.members)
        sink = topics + members
        back = [-1] * (sink + 1)
        for t, e in enumerate(self._topic_from.tolist()):
            back[t] = -1 if e < 0 else topics + int(self.net.member[e])
        for c, e in enumerate(self._member_from.tolist()):
            back[topics + c] = sink if e == -2 else (-1 if e < 0 else int(self.net.topic[e]))
        back[sink] = -1 if self._sink_from < 0 else topics + self._sink_from
        cycles = []
        seen = [0] * (sink + 1)
        for start in range(sink + 1):
            node, mark = start, start + 1
            while node >= 0 and not seen[node]:
                seen[node] = mark
                node = back[node]
            if node >= 0 and seen[node] == mark:
                cycles.append(self._arcs(node, back))
        return cycles

    def _arcs(self, first: int, back: list[int]) -> list[tuple[str, int]]:
        topics = len(self.topics)
        arcs: list[tuple[str, int]] = []
        node = first
        while True:
            if node < topics:
                arcs.append(("give", int(self._topic_from[node])))
            elif node < topics + len(self.members):
                edge = int(self._member_from[node - topics])
                arcs.append(("take", edge) if edge >= 0 else ("sink", -1))
            else:
                arcs.append(("sink", -1))
            node = back[node]
            if node == first:
                return arcs
