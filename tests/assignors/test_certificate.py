"""The certificate of optimal-sticky, checked again from its published potentials alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.extra.optimal_sticky import Certificate, against_optimum, solve
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition
from tests.assignors.strategies import specs


def bound_again(spec: Spec, certificate: Certificate) -> int:
    """The Lagrangian bound in plain Python: every topic, edge and load at its cheapest, whatever the others do."""
    claims: dict[TopicPartition, list[tuple[int, str]]] = {}
    for member in spec.members:
        for partition in set(member.owned):
            claims.setdefault(partition, []).append((member.generation, member.id))
    owned: dict[tuple[str, str], int] = {}
    for partition, found in claims.items():
        newest = [member for generation, member in found if generation == max(found)[0]]
        if len(newest) == 1 and partition.partition < spec.partitions.get(partition.topic, 0):
            owned[partition.topic, newest[0]] = owned.get((partition.topic, newest[0]), 0) + 1
    total = sum(price * spec.partitions[topic] for topic, price in certificate.topics.items())
    for member in spec.members:
        price = certificate.members[member.id]
        for topic in set(member.topics) & set(certificate.topics):
            had, count = owned.get((topic, member.id), 0), spec.partitions[topic]
            gain = certificate.topics[topic] - price
            total += min(max(0, x - had) - gain * x for x in range(count + 1))
        most = sum(spec.partitions.values()) + 2
        total += min(certificate.weight * load * load - price * load for load in range(most))
    return total


@settings(deadline=None)
@given(specs(members=6, partitions=6))
def test_the_published_potentials_prove_the_optimum(spec: Spec) -> None:
    _, certificate = solve(spec)
    assert bound_again(spec, certificate) == certificate.squares * certificate.weight + certificate.moves


@settings(deadline=None)
@given(specs(honest=True))
def test_no_other_assignor_beats_the_optimum_in_balance(spec: Spec) -> None:
    for name in ("range", "roundrobin", "sticky", "fairest-sticky", "uniform", "server-range"):
        gap = against_optimum(spec, ASSIGNORS[name].assign(spec))
        assert gap["balance_gap"] >= 0
        if gap["balance_gap"] == 0:
            assert gap["excess_moves"] >= 0


def test_a_certificate_that_misses_the_bound_says_so() -> None:
    _, certificate = solve(Spec((Member("a", ("t",)), Member("b", ("t",))), {"t": 3}))
    assert str(certificate).endswith("no improving path exists and no answer as balanced has fewer than 3")
    worse = replace(certificate, moves=certificate.moves + 1)
    assert not worse.proved
    assert "not proved" in str(worse)
