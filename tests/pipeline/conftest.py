"""One Spark session for all tests, and a store with two runs whose unavailable time differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groupsim.cli.signals import quietly
from groupsim.storage import EventStore, open_store
from tests.pipeline.logs import cooperative, eager, keep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Started by the first test that asks for it; the others do not pay for it."""
    from groupsim.pipeline.session import spark_session

    session = quietly(lambda: spark_session(memory="1g", app="tests"))
    yield session
    session.stop()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    """Runs `eager` and `007` (a cooperative one, named like a number)."""
    opened = open_store(tmp_path / "store.db")
    keep(opened, "eager", eager())
    keep(opened, "007", cooperative())
    yield opened
    opened.close()
