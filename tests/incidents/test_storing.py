"""When an assignment was stored is in the broker's log alone: without that, totals have bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.imported import supported

INCIDENTS = sorted((Path(__file__).parents[2] / "examples" / "incidents").glob("*/broker.log.gz"))


@pytest.mark.parametrize("broker", INCIDENTS, ids=lambda path: path.parent.name)
def test_bounds_without_the_brokers_log_hold_what_it_says(broker: Path) -> None:
    """Real groups: the exact totals of before were up to 2 % too small, as a real broker takes 11 to 19 ms to store."""
    clients = sorted(broker.parent.glob("m*.log.gz"))
    whole, without = supported([broker, *clients]), supported(clients)
    assert whole.unknown is None
    assert whole.at_most_ms is not None
    assert without.unknown is not None or without.inexact
    assert without.at_least_ms <= whole.at_most_ms
    assert without.at_most_ms is None or whole.at_least_ms <= without.at_most_ms
