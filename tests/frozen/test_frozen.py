"""What may not change, sampled: `python -m tests.frozen check` compares all of it."""

from __future__ import annotations

import pytest

from tests.frozen.__main__ import differences, frozen
from tests.frozen.items import compute

SAMPLE = (
    "run/one_departure/own",
    "run/zombie_member/101",
    "run/static_leader_returns/202",
    "run/failover_between_join_and_sync/own",
    "run/poll_expiry_meets_join/101",
    "example/kill9-range",
    "example/static-restart-range",
    "play/cases.jsonl.gz",
    "assignors",
)


@pytest.mark.parametrize("name", SAMPLE)
def test_it_is_as_it_was(name: str) -> None:
    was = frozen()
    assert name in was
    assert differences(was[name], compute(name)[1]) == []
