"""A rebalance that waits for a process that was stopped is no one that waits for a batch, by its heartbeats."""

from __future__ import annotations

from pathlib import Path

import pytest

import groupsim
from tests.incidents.recordings import FAMILIES, logs_of

STOPPED = [folder for folder in FAMILIES if "-f05__" in folder.name]
BUSY = [folder for folder in FAMILIES if folder.name.startswith(("S11-slow-poller__range", "S06-slow-batch__range"))]


@pytest.mark.parametrize("folder", STOPPED, ids=lambda path: path.name)
def test_a_member_that_hears_of_it_later_than_at_a_heartbeat_was_stopped(folder: Path) -> None:
    answer = groupsim.explain(logs_of(folder), simulate=False).answer
    assert answer.startswith(
        "The process of m2 was probably stopped, as it heard of a rebalance later than at a heartbeat"
    )
    assert "batch" not in answer


@pytest.mark.parametrize("folder", BUSY, ids=lambda path: path.name)
def test_one_that_hears_of_it_in_time_was_not(folder: Path) -> None:
    assert "was probably stopped, as" not in str(groupsim.explain(logs_of(folder), simulate=False))
