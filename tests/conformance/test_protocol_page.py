"""docs/protocol.md is what the machine says today."""

from __future__ import annotations

from groupsim.conformance.page.protocol_page import PAGE, cell, page
from groupsim.conformance.scripts.classic.matrix_cases import REQUESTS, STATES, ask


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m groupsim.conformance.page.protocol_page"


def test_the_columns_are_the_states_they_are_called() -> None:
    for name, build in STATES.items():
        group = build()
        expected = "Empty" if name == "no group" else name.removesuffix(", initial")
        assert group.phase.value == expected
        assert group.exists == (name != "no group")


def test_cells_say_what_the_broker_says() -> None:
    assert cell(*ask("CompletingRebalance", "SyncGroup, leader")) == "ok: assignment → Stable"
    assert cell(*ask("Stable", "JoinGroup, static member restarted")) == "ok: generation"
    assert cell(*ask("PreparingRebalance, initial", "JoinGroup, static member restarted")) == "park"
    assert len({cell(*ask(state, request)) for state in STATES for request in REQUESTS}) > 10
