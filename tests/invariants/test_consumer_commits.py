"""Commits in consumer groups and in groups that change their protocol, as `fenced-commits` checks them."""

from __future__ import annotations

import pytest

from groupsim.events import classic as c
from groupsim.events import consumer
from groupsim.events.group import GroupEmptied
from groupsim.events.types import Plan, TopicPartition
from groupsim.invariants.fencing import FencedCommits
from tests.invariants.watched import CREATED, Timed, commit, completed, stored, watch


@pytest.mark.parametrize(
    ("member", "epoch", "end"),
    [
        ("a", 5, ""),
        ("a", 3, ""),
        ("a", 2, "but the member, at epoch 5, has not held orders-0 since then"),
        ("a", 6, "but the member is at epoch 5"),
        ("b", 5, "but it is not a member"),
    ],
)
def test_members_of_a_consumer_group_commit_at_epochs_since_which_they_hold_the_partition(
    member: str, epoch: int, end: str
) -> None:
    state = consumer.MemberState.STABLE
    facts: tuple[Timed, ...] = (
        (0, consumer.ConsumerGroupCreated()),
        (1, consumer.ConsumerMemberUpdated(member="a")),
        (
            1,
            consumer.MemberReconciled(
                member="a", epoch=5, previous_epoch=4, state=state, assigned=(("orders", 0, 3), ("orders", 1, 3))
            ),
        ),
    )
    said = [violation.sentence for violation in watch(FencedCommits(), *facts, commit(2, member, epoch))]
    assert [sentence.endswith(end) for sentence in said] == ([True] if end else [])
    left = (3, consumer.ConsumerMemberRemoved(member="a", cause=consumer.LossCause.LEFT))
    assert len(watch(FencedCommits(), *facts, left, commit(4, "a", 5))) == 1
    assert watch(FencedCommits(), *facts, left, (4, GroupEmptied(generation=6)), commit(5, "a", -1)) == []


def test_commits_are_checked_by_the_protocol_that_the_group_has_when_they_come() -> None:
    held: Plan = {"a": (TopicPartition("orders", 0),)}
    classic = (CREATED, (1, c.MemberAdded(member="a")), completed(2, 4, "a"), stored(2, 4, held))
    upgraded = (3, consumer.GroupUpgraded(generation=4, metadata_hash=1, assignment=held))
    downgraded = (5, consumer.GroupDowngraded(generation=4, protocol="range", leader="a", assignment=held))
    assert watch(FencedCommits(), *classic, upgraded, commit(4, "a", 4)) == []
    assert len(watch(FencedCommits(), *classic, upgraded, commit(4, "a", 3))) == 1
    again = (6, c.MemberAdded(member="b"))
    back = (*classic, upgraded, downgraded)
    assert watch(FencedCommits(), *back, again, completed(7, 5, "a", "b"), commit(8, "b", 5)) == []
    assert len(watch(FencedCommits(), *back, completed(7, 5, "a"), commit(8, "b", 5))) == 1
