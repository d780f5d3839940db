"""A command line in a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
import typer

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
built_once = cache(typer.main.get_command)
"""A process builds all commands, in 30 ms, to call one. Here hundreds are called."""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call groupsim in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPSIM_STORE", raising=False)

    def run(*arguments: str) -> Called:
        capsys.readouterr()
        with patch.object(typer.main, "get_command", built_once):
            code = status(list(arguments))
        printed = capsys.readouterr()
        return Called(code, printed.out, printed.err)

    return run
