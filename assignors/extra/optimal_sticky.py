"""optimal-sticky: the least imbalance there is, and among those answers the one that moves the fewest partitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from groupsim.assignors.extra.min_cost_flow import Network
from groupsim.assignors.metrics import effective_owners, metrics
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec
from groupsim.events.types import MemberId


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why no answer is better: no answer has squares * weight + moves below `bound`, and this one reaches it.

    squares: the sum of squared sizes; moves: partitions not with their previous owner, those without one included.
    The bound follows from the potentials by weak duality; `min_cost_flow.Network.bound` says how.
    """

    squares: int
    moves: int
    weight: int
    bound: int
    topics: dict[str, int]
    members: dict[MemberId, int]

    @property
    def proved(self) -> bool:
        """The answer reaches the bound: no improving path exists."""
        return self.squares * self.weight + self.moves == self.bound

    def __str__(self) -> str:
        reached = f"sum of squared sizes {self.squares}, {self.moves} partitions new to their owner"
        if not self.proved:
            return f"{reached}: not proved to be best, the bound is {self.bound / self.weight:.3f}"
        return f"{reached}: proved best, no improving path exists and no answer as balanced has fewer than {self.moves}"


def optimal_sticky(spec: Spec) -> Answer:
    """Least sum of squared sizes, then fewest moves, for any subscriptions. Racks play no part."""
    return solve(spec)[0]


def solve(spec: Spec) -> tuple[Answer, Certificate]:
    """The answer and its certificate; the algorithm is described in `min_cost_flow`."""
    group = Group.of(spec)
    owners, codes = valid_owners(group)
    net = network(group, owners, codes, np.zeros(len(group.members), np.int64))
    proof = net.solve()
    taken_owners, taken = partitions_of(group, net, owners, codes)
    squares, moves = net.cost()
    names = [group.names[rank] for rank in np.flatnonzero(group.counts)]
    potentials = (
        dict(zip(names, proof.topics.tolist(), strict=True)),
        dict(zip((member.id for member in group.members), proof.members.tolist(), strict=True)),
    )
    return group.answer(taken_owners, taken), Certificate(squares, moves, net.weight, proof.bound, *potentials)


def valid_owners(group: Group) -> tuple[Codes, Codes]:
    """Previous owners that may keep what they had: it exists and they still subscribe to it. Sorted by partition."""
    owners, codes = effective_owners(group)
    ranks = codes >> TOPIC_SHIFT
    allowed = np.zeros((len(group.members), len(group.names)), bool)
    for i, member in enumerate(group.members):
        allowed[i, [group.rank[topic] for topic in member.topics]] = True
    valid = group.exists(codes) & allowed[owners, ranks]
    return owners[valid], codes[valid]


def network(group: Group, owners: Codes, codes: Codes, base: Codes, counts: Codes | None = None) -> Network:
    """Topics (those with partitions, in order of rank) and their subscribers; `owners` hold `codes`.

    `counts`: how many partitions of each topic to give out, all of them by default.
    """
    ranks = np.flatnonzero(group.counts)
    place = np.full(len(group.names), -1, np.int64)
    place[ranks] = np.arange(len(ranks))
    topic, member = [], []
    for i, subscriber in enumerate(group.members):
        mine = [int(place[group.rank[name]]) for name in dict.fromkeys(subscriber.topics)]
        mine = [t for t in mine if t >= 0]
        topic.extend(mine)
        member.extend([i] * len(mine))
    edges = np.array(sorted(zip(topic, member, strict=True)), np.int64).reshape(-1, 2)
    key = edges[:, 0] * max(len(group.members), 1) + edges[:, 1]
    held = place[codes >> TOPIC_SHIFT] * max(len(group.members), 1) + owners
    owned = np.bincount(np.searchsorted(key, held), minlength=len(key)).astype(np.int64)
    return Network(edges[:, 0], edges[:, 1], owned, (group.counts if counts is None else counts)[ranks], base)


def partitions_of(group: Group, net: Network, owners: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """From numbers per topic and member to partitions: owners keep their lowest numbers, the rest follows in order."""
    keep = np.minimum(net.x, net.owned)
    order = np.lexsort((codes, owners, codes >> TOPIC_SHIFT))  # as the edges stand: by topic, then member
    owners, codes = owners[order], codes[order]
    place = np.arange(len(codes), dtype=np.int64) - np.repeat(np.cumsum(net.owned) - net.owned, net.owned)
    kept = place < np.repeat(keep, net.owned)
    free = np.ones(len(every := group.all_codes()), bool)
    free[(group.starts[codes >> TOPIC_SHIFT] + (codes & NUMBER))[kept]] = False
    takers = np.repeat(net.member, net.x - keep)
    return np.concatenate([owners[kept], takers]), np.concatenate([codes[kept], every[free]])


def against_optimum(spec: Spec, answer: Answer, best: Answer | None = None) -> dict[str, int]:
    """How far an answer is from the optimum: `balance_gap` (KIP-54's score) and `excess_moves` (partitions taken away).

    Partitions withheld count as taken away. Either number is negative where an answer is worse in the other, or
    leaves partitions to nobody. `best`: the optimum, if it is known already.
    """
    ours, least = metrics(spec, answer), metrics(spec, optimal_sticky(spec) if best is None else best)
    lost, needed = (measured["claimed"] - measured["kept"] for measured in (ours, least))
    return {"balance_gap": ours["balance"] - least["balance"], "excess_moves": lost - needed}
