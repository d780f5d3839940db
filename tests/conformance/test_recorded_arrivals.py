"""When records came is read from what members had read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.conformance.timelines.recorded_times import first_arrivals


def reads(first_ms: int, step_ms: int, late_ms: list[int]) -> dict[str, Any]:
    """A record of one partition's reads: the n-th, so much after it came."""
    rows = [(n, first_ms + n * step_ms + late) for n, late in enumerate(late_ms)]
    return {"events": [{"t_ms": at, "kind": "first_records", "offsets": [["orders", 0, n]]} for n, at in rows]}


@given(st.integers(-5_000, 5_000), st.lists(st.integers(3, 900), min_size=6, max_size=40))
def test_the_earliest_read_tells_when_records_came(first_ms: int, late_ms: list[int]) -> None:
    assert first_arrivals(reads(first_ms, 500, [*late_ms, 3]), 2) == {"orders": first_ms + 3}


def test_positions_given_up_count_as_read_and_a_few_reads_say_nothing() -> None:
    record = reads(100, 500, [20] * 5)
    assert first_arrivals(record, 2) == {}
    record["events"].append({"t_ms": 2_605, "kind": "revoked", "next_offsets": [["orders", 1, 6]]})
    assert first_arrivals(record, 2) == {"orders": 105}


def test_of_several_producers_the_instants_are_unknown() -> None:
    assert first_arrivals(reads(0, 250, [5] * 30), 2) == {}
    assert first_arrivals(reads(0, 250, [5] * 30), 4) == {"orders": pytest.approx(5)}
    assert first_arrivals(reads(0, 250, [5] * 30), 0) == {}
