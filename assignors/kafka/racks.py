"""Racks as the sticky assignors see them (AbstractStickyAssignor.RackInfo, KIP-881): who is near a partition."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from groupsim.assignors.kafka.quotas import Quotas
from groupsim.assignors.partition_array import TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group

NOWHERE: frozenset[str] = frozenset()


def uses_racks(member_racks: Collection[str], partition_racks: Sequence[frozenset[str]]) -> bool:
    """AbstractPartitionAssignor.useRackAwareAssignment: some rack in common, and not every partition in every rack."""
    everywhere = frozenset[str]().union(*partition_racks)
    if everywhere.isdisjoint(member_racks):
        return False
    return any(racks != everywhere for racks in partition_racks)


def replica_racks(group: Group, rank: int) -> list[frozenset[str]]:
    """The racks of each partition of a topic; a topic or partition left out in the problem has none."""
    listed = group.spec.racks.get(group.names[rank], ())
    racks = [frozenset(replicas) for replicas in listed[: int(group.counts[rank])]]
    return racks + [NOWHERE] * (int(group.counts[rank]) - len(racks))


class Racks:
    """`members[i]` is the rack of group.members[i] ("" for none), `aware` whether racks decide anything at all."""

    def __init__(self, group: Group) -> None:
        self.members = [member.rack or "" for member in group.members]
        self._near = {
            rank << TOPIC_SHIFT | number: racks
            for rank in np.flatnonzero(group.counts).tolist()
            for number, racks in enumerate(replica_racks(group, rank))
        }
        in_rack: dict[str, int] = {}
        for rack in self.members:
            in_rack[rack] = in_rack.get(rack, 0) + bool(rack)
        self._consumers = {code: sum(in_rack.get(r, 0) for r in racks) for code, racks in self._near.items()}
        self.aware = uses_racks(set(self.members) - {""}, list(self._near.values()))

    @staticmethod
    def of(group: Group) -> Racks | None:
        """None where no member has a rack."""
        return Racks(group) if any(member.rack for member in group.members) else None

    def mismatch(self, owner: int, code: int) -> bool:
        """RackInfo.racksMismatch: the member has a rack and no replica of the partition is in it."""
        rack = self.members[owner] if self.aware else ""
        return bool(rack) and rack not in self._near.get(code, NOWHERE)

    def near(self, owner: int, code: int) -> bool:
        """The member has a rack, racks count, and a replica of the partition is in it."""
        rack = self.members[owner] if self.aware else ""
        return bool(rack) and rack in self._near.get(code, NOWHERE)

    def far(self, owners: Codes, codes: Codes) -> npt.NDArray[np.bool_]:
        """`mismatch` for each claim."""
        pairs = zip(owners.tolist(), codes.tolist(), strict=True)
        return np.array([self.mismatch(owner, code) for owner, code in pairs], bool)

    def by_consumers(self, codes: Codes) -> Codes:
        """Partitions with the fewest members near them first (sortPartitionsByRackConsumers)."""
        counts = np.array([self._consumers[code] for code in codes.tolist()], np.int64)
        result: Codes = codes[np.argsort(counts, kind="stable")]
        return result

    def next_near(self, code: int, members: Sequence[int], first: int) -> int:
        """Index of the first of `members`, circularly from `first`, near the partition; -1 if none."""
        racks = self._near.get(code, NOWHERE) if self.aware else NOWHERE
        if not racks:
            return -1
        for i in range(len(members)):
            index = (first + i) % len(members)
            rack = self.members[members[index]]
            if rack and rack in racks:
                return index
        return -1

    def assign_near(self, quotas: Quotas, rest: Codes) -> tuple[Codes, Codes]:
        """Give partitions to members near them while quotas allow (assignRackAwareRoundRobin).

        Returns the new owners, and all of `rest` in its new order: first the partitions of these owners.
        """
        rest = self.by_consumers(rest)
        if not self.aware:
            return np.empty(0, np.int64), rest
        takers: list[int] = []
        taken: list[int] = []
        left: list[int] = []
        turn = 0
        for code in rest.tolist():
            taker, turn = self._take(quotas, code, turn)
            if taker < 0:
                left.append(code)
            else:
                quotas.sizes[taker] += 1
                takers.append(taker)
                taken.append(code)
        return np.array(takers, np.int64), np.array(taken + left, np.int64)

    def _take(self, quotas: Quotas, code: int, turn: int) -> tuple[int, int]:
        """Who takes one partition (-1: nobody near) and whose turn is next; moves members between the quota lists."""
        index = self.next_near(code, quotas.under_min, turn)
        if index >= 0:
            taker = quotas.under_min[index]
            size = quotas.sizes[taker] + 1
            if size >= quotas.min_quota:
                del quotas.under_min[index]
                if size < quotas.max_quota and quotas.over_min < quotas.expected_over_min:
                    quotas.exactly_min.append(taker)
            else:
                index += 1
            return taker, index % len(quotas.under_min) if quotas.under_min else 0
        index = self.next_near(code, quotas.exactly_min, 0)
        if index < 0:
            return -1, turn
        taker = quotas.exactly_min[index]
        if quotas.sizes[taker] + 1 == quotas.max_quota:
            del quotas.exactly_min[index]
            quotas.over_min += 1
            if quotas.over_min == quotas.expected_over_min:
                quotas.exactly_min.clear()
        return taker, turn
