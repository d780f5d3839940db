"""Damaged segments, a few of those that `python -m tests.incidents.offsets_topic.fuzz` reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.incidents.offsets_topic.fuzz import NAME, cases, check, check_import, wrong_contents


def test_damaged_segments_are_read_without_a_crash_and_what_is_lost_is_named(tmp_path: Path) -> None:
    outcomes = Counter(check(data, tmp_path / NAME) for data in cases(300, seed=7))
    assert outcomes["damage named"] > 100
    assert outcomes["whole"] > 20


def test_records_with_wrong_contents_become_a_run_or_a_sentence(tmp_path: Path) -> None:
    outcomes = Counter(check_import(data, group, tmp_path / NAME) for data, group in wrong_contents(120, seed=3))
    assert outcomes["a run"] > 30
