"""Every test that asks for `store` runs on each kind of store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import EventStore, open_store


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    opened = open_store(":memory:" if request.param == "memory" else tmp_path / "store.db")
    yield opened
    opened.close()
