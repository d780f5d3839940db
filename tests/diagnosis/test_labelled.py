"""What is said of logs, against what an expert would say: fragments of recordings, and strangers' logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.scoring import Scored, fragments, scored, share, strangers
from tests.thinned import examples


def _check(results: list[Scored], first: float, complete: float, false: float, helpful: float) -> None:
    wrong = [f"{r.name}: {r.first}" for r in results if not r.right]
    assert share([r.right for r in results]) >= first, wrong
    assert share([r.complete for r in results]) >= complete, [r.name for r in results if not r.complete]
    assert sum(len(r.false) for r in results) <= false * len(results), [(r.name, r.false) for r in results if r.false]
    assert not [(r.name, r.surely_wrong) for r in results if r.surely_wrong]
    helped = [r.helpful for r in results if r.helpful is not None]
    assert share(helped) >= helpful, [r.name for r in results if r.helpful is False]


@pytest.mark.slow
def test_fragments_are_explained_as_an_expert_would(tmp_path: Path) -> None:
    results = [scored(each) for each in fragments(tmp_path, every=examples(4, 1))]
    _check(results, first=0.95, complete=0.94, false=0.06, helpful=0.95)
    bounds = [r.bounds for r in results if r.bounds is not None]
    assert share(bounds) >= 0.97


def test_logs_of_strangers_are_explained_as_an_expert_would() -> None:
    results = [scored(each) for each in strangers()]
    if results:
        _check(results, first=0.95, complete=0.92, false=0.2, helpful=0.92)
