"""Kafka's own defects, named one by one."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.errors import AssignorError
from groupsim.assignors.metrics import Kind, metrics, violations
from groupsim.assignors.problem_files import read, specs_of
from groupsim.assignors.spec import Member, Spec
from tests.assignors.test_golden import GOLDEN


def test_an_empty_subscription_met_first_gets_what_it_did_not_ask_for() -> None:
    spec = Spec((Member("b", ("t",)), Member("a", ())), {"t": 2})
    (found,) = violations(spec, ASSIGNORS["sticky"].assign(spec))
    assert found.kind is Kind.UNSUBSCRIBED
    assert str(found) == "t-0 is given to 'a', which does not subscribe to 't'"


@pytest.mark.parametrize("family", ["recreated", "zombies", "edge"])
def test_violations_are_those_that_the_metrics_count(family: str) -> None:
    kinds: Counter[Kind] = Counter()
    with gzip.open(GOLDEN / f"{family}.jsonl.gz", "rt") as file:
        for text in file:
            (spec,) = specs_of(read(text))
            try:
                answer = ASSIGNORS["sticky"].assign(spec)
            except AssignorError:
                continue
            here = Counter(found.kind for found in violations(spec, answer))
            counted = metrics(spec, answer)
            assert {kind: counted.get(kind.value, 0) for kind in Kind} == {kind: here[kind] for kind in Kind}
            kinds.update(here)
    assert kinds
