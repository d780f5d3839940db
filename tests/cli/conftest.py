"""A command line in a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from groupsim.cli.main import status


class Called(NamedTuple):
    """What one call printed and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as JSON."""
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call groupsim in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPSIM_STORE", raising=False)

    def run(*arguments: str) -> Called:
        capsys.readouterr()
        code = status(list(arguments))
        printed = capsys.readouterr()
        return Called(code, printed.out, printed.err)

    return run
