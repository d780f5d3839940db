"""How many partitions members may have when all subscribe to the same topics, and who may still get some.

Kafka: AbstractStickyAssignor.ConstrainedAssignmentBuilder, its quotas and its two lists of unfilled members.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Quotas:
    """A member has `min_quota` or `max_quota` partitions, and `expected_over_min` members have more than `min_quota`.

    `sizes[i]` is the number of partitions that members[i] has so far, `over_min` the number of members above
    `min_quota`. `under_min` and `exactly_min`: Kafka's lists of members (as positions) that may still get partitions.
    """

    min_quota: int
    max_quota: int
    expected_over_min: int
    sizes: list[int]
    over_min: int = 0
    under_min: list[int] = field(default_factory=list)
    exactly_min: list[int] = field(default_factory=list)

    @staticmethod
    def of(partitions: int, members: int) -> Quotas:
        """The quotas before any partition is given. At least one member."""
        return Quotas(partitions // members, -(-partitions // members), partitions % members, [0] * members)
