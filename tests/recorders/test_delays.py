"""Delays computed from the logs of real groups, beside those of the records that their members took."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorders.delays.__main__ import compared

RUNS = Path(__file__).parents[1] / "golden" / "delays"
BUSY = ("S06", "S11")
"""Members that do not poll for long: their listeners, by which they are the owners all the time, do not show that."""


@pytest.mark.parametrize("run", sorted(RUNS.glob("*/")), ids=lambda path: path.name)
def test_the_bounds_contain_what_was_measured(run: Path) -> None:
    found = compared(run)
    assert found.records > 1_000
    assert found.near is (run.name[:3] not in BUSY)
    assert found.inside
    least, most = found.by_logs
    assert most is not None
    assert least[3] <= found.measured[3] + 100
    assert found.measured[3] <= most[3] + (500 if run.name.startswith("S11") else 300)
