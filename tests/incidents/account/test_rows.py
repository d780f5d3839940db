"""No row of the account's tables is dead: without it, some drawn group has a false account, or wider bounds."""

from __future__ import annotations

import pytest

from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from tests.incidents.account.rows import CUT, Needs, needed, rows

NEEDED = {
    "assigned: assigned": Needs(CLASSIC, 40_000_000),
    "state_change: gave up": Needs(CONSUMER, 40_000_000),
    "lost/revoked: gave up partitions": Needs(CONSUMER, 40_000_000),
    "lost/revoked: given back": Needs(CONSUMER, 40_000_000),
    "joined: joined": Needs(CLASSIC, 40_000_001),
    "hidden: removed": Needs(CONSUMER, 40_000_001),
    "state_change: joined": Needs(CONSUMER, 40_000_002),
    "assigned/client_reconciling: granted": Needs(CONSUMER, 40_000_002),
    "generation_reset/leave_sent/lost/poll_timeout: gave up": Needs(CLASSIC, 40_000_004),
    "hidden: lost_after_silence": Needs(CLASSIC, 40_000_004),
    "assigned/lost/revoked: callback": Needs(CONSUMER, 40_000_008),
    "hidden: started_again": Needs(CLASSIC, 40_000_022, CUT),
    "client_fatal/state_change: failed": Needs(CONSUMER, 40_000_026),
    "joining: asked to join": Needs(CLASSIC, 40_000_272),
    "state_change: asked to join": Needs(CONSUMER, 40_000_319, CUT),
    "rejoin_requested: refused": Needs(CLASSIC, 40_000_561),
    "hidden: static": Needs(CONSUMER, 40_000_657),
    "hidden: not_in_rebalance": Needs(CLASSIC, 3_001_267),
}
"""Draws found by `python -m tests.incidents.account.rows`."""
NOT_DRAWN = {
    "listener_assigned: assigned by its listener": "drawn logs have no lines of applications",
    "hidden: replaced": "beside `hidden: started_again`, and what the broker says of who was removed",
    "hidden: taken": "beside `hidden: not_in_rebalance`, which finds the rebalance in which it was taken",
    "hidden: not_in_generation": "beside `hidden: not_in_rebalance`",
}
"""Rows that no draw of 3,600 needs, and why. The last three may be dead: another one finds the same stop."""


def test_each_row_is_needed_by_a_draw() -> None:
    assert NEEDED.keys() | NOT_DRAWN.keys() == rows().keys()
    assert not NEEDED.keys() & NOT_DRAWN.keys()


@pytest.mark.parametrize("name", NEEDED)
def test_without_a_row_a_draw_is_false_or_wider(name: str) -> None:
    assert needed(rows()[name], NEEDED[name].draw()) is not None
