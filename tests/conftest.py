"""The order of the tests, and how the Java that they start is set."""

from __future__ import annotations

import os

import pytest

# Tests run little code for a short time: optimising it would take more processor time than it saves.
FAST_START = "-XX:TieredStopAtLevel=1"
os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{FAST_START} -Dspark.executor.extraJavaOptions={FAST_START}")


def pytest_configure(config: pytest.Config) -> None:
    """kafka-python reads its schemas by a function that Python 3.11 calls deprecated, and 3.13 does not any more."""
    config.addinivalue_line("filterwarnings", "ignore:(read|open)_text is deprecated:DeprecationWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the one Spark session come first and run in one process: two sessions would start twice. Then the slow
    ones, so that none of them is the last that everybody waits for."""
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))
    items.sort(key=lambda item: 0 if item.get_closest_marker("spark") else 1 if item.get_closest_marker("slow") else 2)
