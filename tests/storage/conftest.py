"""Every test that asks for `store` runs on each kind of store."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupsim.storage import EventStore, open_store
from tests.postgres import Server, server

_schemas = (f"store_{number}" for number in itertools.count())


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real server, started when the first test asks for it."""
    with server() as running:
        yield running


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    opened = open_store(_url(request, tmp_path))
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=["memory", "sqlite", "postgresql"])
def kept_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """One for the whole module, for tests that write runs of their own: making one takes longer than they do."""
    opened = open_store(_url(request, tmp_path_factory.mktemp("kept")))
    yield opened
    opened.close()


def _url(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    if request.param == "postgresql":
        running: Server = request.getfixturevalue("postgres")
        return running.schema(next(_schemas))
    return ":memory:" if request.param == "memory" else tmp_path / "store.db"
