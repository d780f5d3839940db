"""A leader's line, or a run, says which topic grew: the answer names it, and the setting that decides how late."""

from __future__ import annotations

from pathlib import Path

import pytest

import groupsim
from tests.diagnosis.test_sentences import at, first_of

CHANGED = (
    "[Consumer clientId=shop-1, groupId=shop] Request joining group due to: cached metadata has changed from"
    " (version3: {%s}) at the beginning of the rebalance to (version9: {%s})"
)


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("carts=[NO_RACKS, NO_RACKS]", "carts=[NO_RACKS, NO_RACKS, NO_RACKS]", "topic carts grew"),
        ("carts=2, bills=4", "bills=5, carts=3", "2 topics grew"),
        ("carts=2", "carts=2, carts.v2=4", "topic carts.v2 appeared"),
        ("carts=2, old=1", "carts=2", "topic old is gone"),
        ("carts=2, old=1", "carts=9", "topic carts grew; topic old is gone"),
        ("carts=[rack a, rack b]", "carts=[rack b, rack a]", "the partitions or topics that the group reads changed"),
    ],
)
def test_what_changed_is_named(tmp_path: Path, before: str, after: str, what: str) -> None:
    found = first_of(tmp_path, at(1, CHANGED % (before, after)))
    assert (found.code.value, found.what) == ("assignment-changed", what)
    assert ("metadata.max.age.ms" in found.do[0].brief) == ("grew" in what)


def test_a_run_says_how_late_the_new_partitions_were_noticed() -> None:
    story = groupsim.run("consumer_partitions_added")
    answer = groupsim.explain(story).answer
    assert "grew, and the group noticed it" in answer, answer
    assert "lower metadata.max.age.ms before you add partitions" in answer
