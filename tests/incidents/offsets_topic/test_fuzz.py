"""Damaged segments, a few of those that `python -m tests.incidents.offsets_topic.fuzz` reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.incidents.offsets_topic.fuzz import NAME, cases, check


def test_damaged_segments_are_read_without_a_crash_and_what_is_lost_is_named(tmp_path: Path) -> None:
    outcomes = Counter(check(data, tmp_path / NAME) for data in cases(300, seed=7))
    assert outcomes["damage named"] > 100
    assert outcomes["whole"] > 30
