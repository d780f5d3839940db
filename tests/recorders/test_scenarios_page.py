"""docs/scenarios.md says what the scenarios say."""

from __future__ import annotations

from groupsim.scenarios.catalogue import find, names
from recorders.page.scenarios_page import PAGE, page

SCENARIOS = {name: find(name) for name in names()}


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m recorders.page.scenarios_page"


def test_every_scenario_has_a_section_with_its_parameters() -> None:
    text = page()
    assert [name for name in SCENARIOS if f"\n## {name}\n" not in text] == []
    assert "`session_ms=" in text or "`members=" in text


def test_a_scenario_names_its_source() -> None:
    first = {"steady_state", "rolling_restart", "zombie_member", "eager_vs_cooperative", "swarm"}
    silent = [name for name, scenario in SCENARIOS.items() if "Source:" not in (scenario.story.__doc__ or "")]
    assert set(silent) <= first
