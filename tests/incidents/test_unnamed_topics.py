"""A topic that the user names and no log does: nothing of it is known, above all not that nobody had it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.imported import supported

LOGS = sorted((Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range").glob("*.log.gz"))


@pytest.mark.parametrize(
    ("topics", "why"),
    [({"oders": 12}, "did you mean orders?"), ({"payments": 6}, "the logs name orders")],
)
def test_all_of_a_topic_that_no_log_names_is_unknown(topics: dict[str, int], why: str) -> None:
    """It counted as UNOWNED: 204.5 exact for a true 34.6 partition-seconds."""
    true, found = supported(LOGS), supported(LOGS, topics)
    assert true.unknown is None
    assert found.unknown is not None
    assert why in found.unknown
    assert found.at_least_ms <= true.at_least_ms
    assert found.at_most_ms is not None
    assert true.at_most_ms is not None
    assert found.at_most_ms >= true.at_most_ms
