"""The order of the tests: those that share the one Spark session run first, one after the other, in one process."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Two sessions side by side would take twice the memory and start twice."""
    shared = [item for item in items if item.get_closest_marker("spark")]
    for item in shared:
        item.add_marker(pytest.mark.xdist_group("spark"))
    rest = [item for item in items if not item.get_closest_marker("spark")]
    items[:] = shared + rest
