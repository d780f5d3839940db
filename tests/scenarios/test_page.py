"""docs/scenarios.md says what the stories say, and no row of the field is forgotten."""

from __future__ import annotations

from groupsim.cli.scenarios_page import LEFT_OUT, PAGE, ROWS, page, sources, where
from groupsim.scenarios.catalogue import find, names

TOLD = {name: find(name) for name in names()}


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m groupsim.cli.scenarios_page"


def test_every_row_is_told_or_has_a_reason() -> None:
    assert [row for row in ROWS if where(row, TOLD).endswith("?")] == []
    told = {row for story in TOLD.values() for row in sources(story)}
    assert told.isdisjoint(LEFT_OUT), "a row is told or left out, not both"
    assert told | set(LEFT_OUT) == set(ROWS)


def test_a_story_says_where_it_comes_from() -> None:
    first = {"steady_state", "rolling_restart", "zombie_member", "eager_vs_cooperative", "swarm"}
    silent = [name for name, story in TOLD.items() if "Source:" not in (story.story.__doc__ or "")]
    assert set(silent) <= first


def test_rows_are_read_from_the_source_of_a_story() -> None:
    assert sources(TOLD["bad_leader"]) == {"B7", "L4", "C4"}
    assert sources(TOLD["close_during_rebalance"]) == {"C17", "L3"}
    assert sources(TOLD["steady_state"]) == set()
