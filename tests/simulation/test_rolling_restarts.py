"""A rolling restart of four members costs a cooperative group more partition time than an eager one, as recorded."""

from __future__ import annotations

from collections import Counter

import pytest

from groupsim import analysis
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

FIRST_RESTART_MS = 10_000
"""Both groups have started by then; what founding them costs is not part of the restart."""


@pytest.mark.parametrize(("eager", "seed"), [("range", 1), ("range", 2), ("sticky", 3)])
def test_four_members_restarted_in_turn_cost_cooperative_sticky_more_partition_time(eager: str, seed: int) -> None:
    """What moves has no owner until a second round, which waits for the heartbeats of all who give up nothing."""
    store = MemoryStore()
    result = run(find("eager_vs_cooperative"), store, seed=seed, settings={"eager": eager, "partitions": 12})
    assert result.ok
    lost: Counter[str] = Counter()
    for interval in analysis.load(store, result.info.id).intervals:
        if interval.unavailable and interval.from_ms >= FIRST_RESTART_MS:
            lost[interval.group] += interval.to_ms - interval.from_ms
    assert lost["cooperative"] > 1.3 * lost["eager"] > 0
