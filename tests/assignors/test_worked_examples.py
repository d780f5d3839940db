"""The examples of Kafka's own pages: StickyAssignor, KIP-54's score, KIP-315's join."""

from __future__ import annotations

from dataclasses import replace

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.metrics import balance, metrics
from groupsim.assignors.spec import Answer, Member, Spec
from groupsim.events.types import TopicPartition

Short = dict[str, set[str]]


def short(answer: Answer) -> Short:
    return {member: {f"{topic}p{number}" for topic, number in assigned} for member, assigned in answer.items()}


def without(spec: Spec, answer: Answer, leaver: str, generation: int = 1) -> Spec:
    members = (replace(m, owned=tuple(answer[m.id]), generation=generation) for m in spec.members if m.id != leaver)
    return replace(spec, members=tuple(members))


def kept(spec: Spec, answer: Answer) -> int:
    return metrics(spec, answer)["kept"]


FOUR_TOPICS = Spec(tuple(Member(f"C{i}", ("t0", "t1", "t2", "t3")) for i in range(3)), {f"t{k}": 2 for k in range(4)})
GROWING = Spec(
    tuple(Member(f"C{i}", tuple(f"t{k}" for k in range(i + 1))) for i in range(3)), {"t0": 1, "t1": 2, "t2": 3}
)


def test_four_topics_are_dealt_alike_by_sticky_and_roundrobin() -> None:
    expected = {"C0": {"t0p0", "t1p1", "t3p0"}, "C1": {"t0p1", "t2p0", "t3p1"}, "C2": {"t1p0", "t2p1"}}
    assert short(ASSIGNORS["sticky"].assign(FOUR_TOPICS)) == expected
    assert short(ASSIGNORS["roundrobin"].assign(FOUR_TOPICS)) == expected


def test_when_c1_leaves_survivors_keep_everything() -> None:
    before = ASSIGNORS["sticky"].assign(FOUR_TOPICS)
    after = short(ASSIGNORS["sticky"].assign(without(FOUR_TOPICS, before, "C1")))
    assert after["C0"] > {"t0p0", "t1p1", "t3p0"}
    assert after["C2"] > {"t1p0", "t2p1"}
    assert after == {"C0": {"t0p0", "t1p1", "t3p0", "t0p1"}, "C2": {"t1p0", "t2p1", "t2p0", "t3p1"}}, (
        "C1's three are dealt as today's Kafka does; its page still shows the deal of an older version"
    )
    again = ASSIGNORS["roundrobin"].assign(without(FOUR_TOPICS, before, "C1"))
    assert short(again) == {"C0": {"t0p0", "t1p0", "t2p0", "t3p0"}, "C2": {"t0p1", "t1p1", "t2p1", "t3p1"}}


def test_unequal_subscriptions_are_dealt_better_by_sticky() -> None:
    assert short(ASSIGNORS["roundrobin"].assign(GROWING)) == {
        "C0": {"t0p0"},
        "C1": {"t1p0"},
        "C2": {"t1p1", "t2p0", "t2p1", "t2p2"},
    }
    assert short(ASSIGNORS["sticky"].assign(GROWING)) == {
        "C0": {"t0p0"},
        "C1": {"t1p0", "t1p1"},
        "C2": {"t2p0", "t2p1", "t2p2"},
    }


def test_without_c0_sticky_keeps_five_and_roundrobin_three() -> None:
    for name, expected in (("sticky", 5), ("roundrobin", 3)):
        rest = without(GROWING, ASSIGNORS[name].assign(GROWING), "C0")
        assert kept(rest, ASSIGNORS[name].assign(rest)) == expected


def test_the_balance_score_sums_differences_over_all_pairs() -> None:
    assert balance([2, 2, 2]) == 0
    assert balance([1, 1, 4]) == 6
    assert balance([]) == 0
    assert metrics(GROWING, ASSIGNORS["roundrobin"].assign(GROWING))["balance"] == 6
    assert metrics(GROWING, ASSIGNORS["sticky"].assign(GROWING))["balance"] == 4


JOIN = Spec(tuple(Member(m, ("impressions", "clicks")) for m in "ABCD"), {"impressions": 10, "clicks": 10})
RANGES = {"A": (0, 1, 2), "B": (3, 4, 5), "C": (6, 7), "D": (8, 9)}


def numbers(answer: Answer) -> dict[str, set[int]]:
    return {member: {number for _, number in assigned} for member, assigned in answer.items()}


def joined(spec: Spec, answer: Answer) -> None:
    """Every member has its numbers of all its topics."""
    for member in spec.members:
        for number in numbers(answer)[member.id]:
            assert {t for t, n in answer[member.id] if n == number} == set(member.topics)


def with_ranges(*leavers: str) -> Spec:
    def owned(member: str) -> tuple[TopicPartition, ...]:
        return tuple(TopicPartition(t, n) for t in ("impressions", "clicks") for n in RANGES[member])

    members = (replace(m, owned=owned(m.id), generation=4) for m in JOIN.members if m.id not in leavers)
    return replace(JOIN, members=tuple(members))


def test_when_d_leaves_the_join_only_its_numbers_move() -> None:
    rest = with_ranges("D")
    answer = ASSIGNORS["sticky-stream-join"].assign(rest)
    joined(rest, answer)
    found = numbers(answer)
    assert found["A"] >= {0, 1, 2}
    assert found["B"] >= {3, 4, 5}
    assert found["C"] >= {6, 7}
    assert sorted(map(len, found.values())) == [3, 3, 4]


def test_range_moves_numbers_three_and_six_for_nothing() -> None:
    rest = with_ranges("D")
    assert metrics(rest, ASSIGNORS["range"].assign(rest))["moved"] == 4
    assert metrics(rest, ASSIGNORS["sticky-stream-join"].assign(rest))["moved"] == 0
