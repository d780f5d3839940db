"""Availability by a naive reading of its definition equals the project's, span by span, on both protocols."""

from __future__ import annotations

import pytest

from tests.adversary.compare import differences, facts_of, of_spans, own, owners_differ, states_differ
from tests.adversary.naive import naive
from tests.scenarios.shorter import every_scenario
from tests.thinned import examples, some

LONG = {"consumer_partitions_added", "librdkafka_commit_in_follow_up"}
"""`python -m tests.adversary` compares these."""
SHORTER = dict(some(((name, own) for name, own in every_scenario() if name not in LONG), 3))


@pytest.mark.parametrize(("name", "settings"), SHORTER.items(), ids=SHORTER)
def test_every_scenario_has_the_same_spans(name: str, settings: dict[str, str]) -> None:
    facts = facts_of(name, None, settings)
    spans = own(facts)
    assert sum(map(len, spans.values())) > 0
    assert of_spans(spans, naive(facts)) == []
    assert states_differ(facts, range(0, len(facts), 50)) == owners_differ(facts) == []


@pytest.mark.parametrize("name", ["swarm", "consumer_swarm"])
def test_drawn_groups_have_the_same_spans(name: str) -> None:
    for seed in range(examples(4, 12)):
        facts = facts_of(name, seed)
        assert differences(facts) == states_differ(facts, range(0, len(facts), 20)) == owners_differ(facts) == [], seed


def test_what_a_consumer_group_owed_is_not_owed_by_the_classic_group_that_it_becomes() -> None:
    shares = {"classic_share": "0.3", "static_share": "0.3", "pattern_share": "0.6"}
    assert differences(facts_of("consumer_swarm", 441_163, {**shares, "faults": "15"})) == []


def test_a_member_has_the_name_of_its_process_as_soon_as_that_is_known() -> None:
    shares = {"classic_share": "0.6", "static_share": "0.6", "pattern_share": "0.3"}
    assert owners_differ(facts_of("consumer_swarm", 570_122, {**shares, "faults": "15"})) == []


def test_another_definition_is_found() -> None:
    """A fold that misses what processes take over, say."""
    facts = facts_of("zombie_member", None)
    kept = [fact for fact in facts if type(fact.event).__name__ != "ViewChanged"]
    assert own(kept) != naive(facts) == own(facts)
