"""fairest-sticky: whoever validly has a partition keeps it, the rest is dealt as fairly as that allows."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings

from groupsim.assignors.extra.fairest_sticky import fairest_sticky
from groupsim.assignors.extra.optimal_sticky import valid_owners
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition
from tests.assignors.strategies import specs


def test_a_new_member_gets_nothing_that_has_an_owner() -> None:
    owned = tuple(TopicPartition("t", n) for n in range(4))
    answer = fairest_sticky(Spec((Member("a", ("t",), owned, 1), Member("b", ("t",))), {"t": 5}))
    assert answer == {"a": owned, "b": (TopicPartition("t", 4),)}


@settings(max_examples=100, deadline=None)
@given(specs(members=4, partitions=2))
def test_valid_owners_keep_everything_and_nothing_fairer_is_possible_for_the_rest(spec: Spec) -> None:
    group = Group.of(spec)
    answer = fairest_sticky(spec)
    base = dict.fromkeys((member.id for member in spec.members), 0)
    fixed = set()
    for i, code in zip(*(part.tolist() for part in valid_owners(group)), strict=True):
        partition = TopicPartition(group.names[code >> 32], code & 0xFFFFFFFF)
        fixed.add(partition)
        base[group.members[i].id] += 1
        assert partition in answer[group.members[i].id]
    choices = [
        [member.id for member in spec.members if topic in member.topics]
        for topic, count in spec.partitions.items()
        for number in range(count)
        if (topic, number) not in fixed and any(topic in member.topics for member in spec.members)
    ]
    best = min(sum((base[member] + choice.count(member)) ** 2 for member in base) for choice in product(*choices))
    assert sum(len(assigned) ** 2 for assigned in answer.values()) == best
