"""Only the moves of the table are legal; any other is a bug and stops the run."""

from __future__ import annotations

import itertools

import pytest

from groupsim.coordinator.classic import Phase
from groupsim.coordinator.classic.state import TRANSITIONS, move
from groupsim.events.base import Event
from groupsim.events.group import GroupEmptied
from tests.coordinator.given import COMPLETING, CREATED, DEAD, STABLE, after, joined, started, stored

PAIRS = list(itertools.product(Phase, Phase))
LEGAL = [(before, to) for before, to in PAIRS if to in TRANSITIONS[before]]
ILLEGAL = [pair for pair in PAIRS if pair not in LEGAL]


@pytest.mark.parametrize(("before", "to"), LEGAL)
def test_a_legal_move_leads_to_its_phase(before: Phase, to: Phase) -> None:
    assert move(before, to) is to


@pytest.mark.parametrize(("before", "to"), ILLEGAL)
def test_any_other_move_is_an_error(before: Phase, to: Phase) -> None:
    with pytest.raises(AssertionError, match=f"illegal move {before.value} -> {to.value}"):
        move(before, to)


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        (CREATED, stored(1)),
        (CREATED, joined(1, "a")),
        (COMPLETING, GroupEmptied(generation=2)),
        (COMPLETING, joined(2, "a")),
        (STABLE, stored(1)),
        (DEAD, started(1)),
    ],
)
def test_a_fact_that_would_make_an_illegal_move_is_refused(given: tuple[Event, ...], fact: Event) -> None:
    with pytest.raises(AssertionError, match="illegal move"):
        after(*given, fact)
