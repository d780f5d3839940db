"""Which assignor a group uses: most votes of its native members win, ties go by the order of Java's maps.

Kafka: ConsumerGroup.preferredServerAssignor, computePreferredServerAssignor.
"""

from __future__ import annotations

from groupsim.assignors.java.hash_order import java_sorted, string_set
from groupsim.coordinator.consumer.state import ConsumerGroup, Member


def preferred(group: ConsumerGroup) -> str:
    """The winner as an administrator sees it; the first configured assignor if nobody voted."""
    return _winner(group, _votes(group))


def next_preferred(group: ConsumerGroup, before: Member, after: Member) -> str:
    """The winner once the member's vote `before` is taken out and that of `after` put in: it computes the target.

    Kafka looks at the group's map for the one and at a copy for the other. Where the member's vote is the only one for
    its assignor, taking it out removes the name; put in again it comes first in its bin. So a tie can change the
    winner although nobody changed his mind (defect `vote-tie`).
    """
    votes = _votes(group)
    if before.vote:
        votes[before.vote] -= 1
        votes = {name: count for name, count in votes.items() if count}
    if after.vote in votes:
        votes[after.vote] += 1
    elif after.vote:
        votes = {after.vote: 1, **votes}
    return _winner(group, votes)


def _votes(group: ConsumerGroup) -> dict[str, int]:
    if not group.votes:
        return {}
    # Kafka's own two share a bin; uniform is seen first whoever voted first.
    return {name: group.votes[name] for name in string_set(java_sorted(group.votes)[::-1])}


def _winner(group: ConsumerGroup, votes: dict[str, int]) -> str:
    return max(votes, key=lambda name: votes[name], default=group.config.group_consumer_assignors[0])
