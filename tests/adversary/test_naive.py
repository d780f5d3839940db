"""Availability by a naive reading of its definition equals the project's, span by span, on both protocols."""

from __future__ import annotations

import pytest

from groupsim.scenarios import catalogue
from tests.adversary.compare import differences, facts_of, own
from tests.adversary.naive import naive

LONG = {"slow_assignor", "four_ways_to_roll", "consumer_partitions_added", "librdkafka_commit_in_follow_up"}
"""`python -m tests.adversary` compares these."""


@pytest.mark.parametrize("name", sorted({*catalogue.names()} - LONG))
def test_every_scenario_has_the_same_spans(name: str) -> None:
    facts = facts_of(name, None)
    assert sum(map(len, own(facts).values())) > 0
    assert differences(facts) == []


@pytest.mark.parametrize("name", ["swarm", "consumer_swarm"])
def test_drawn_groups_have_the_same_spans(name: str) -> None:
    for seed in range(12):
        assert differences(facts_of(name, seed)) == [], seed


def test_another_definition_is_found() -> None:
    """A fold that misses what processes take over, say."""
    facts = facts_of("zombie_member", None)
    kept = [fact for fact in facts if type(fact.event).__name__ != "ViewChanged"]
    assert own(kept) != naive(facts) == own(facts)
