"""Which assignor a group uses: most votes of its native members win, ties go by the order of Java's maps.

Kafka: ConsumerGroup.preferredServerAssignor, computePreferredServerAssignor.
"""

from __future__ import annotations

from collections import Counter

from groupsim.assignors.java.hash_order import java_sorted, string_set
from groupsim.coordinator.consumer.state import ConsumerGroup, Member


def preferred(group: ConsumerGroup) -> str:
    """The winner as an administrator sees it; the first configured assignor if nobody voted."""
    return _winner(group, _votes(group))


def next_preferred(group: ConsumerGroup, before: Member, after: Member) -> str:
    """The winner once the member's vote `before` is taken out and that of `after` put in: it computes the target.

    Kafka looks at the group's map for the one and at a copy for the other. Where the member's vote is the only one for
    its assignor, taking it out removes the name; put in again it comes first in its bin. So a tie can change the
    winner although nobody changed his mind (seen: Kafka 4.4, scripts vote-tie-*).
    """
    votes = _votes(group)
    if before.assignor is not None and before.classic is None:
        votes[before.assignor] -= 1
        votes = {name: count for name, count in votes.items() if count}
    if after.assignor is not None and after.classic is None:
        if after.assignor in votes:
            votes[after.assignor] += 1
        else:
            votes = {after.assignor: 1, **votes}
    return _winner(group, votes)


def _votes(group: ConsumerGroup) -> dict[str, int]:
    counts = Counter(m.assignor for m in group.members.values() if m.assignor is not None and m.classic is None)
    # Kafka's own two share a bin; uniform is seen first whoever voted first.
    return {name: counts[name] for name in string_set(java_sorted(counts)[::-1])}


def _winner(group: ConsumerGroup, votes: dict[str, int]) -> str:
    return max(votes, key=lambda name: votes[name], default=group.config.group_consumer_assignors[0])
