"""The zip that a cluster's machines get."""

from __future__ import annotations

import zipfile
from pathlib import Path

from groupsim.pipeline.code_archive import code_archive
from tests.imports import imports, modules, reached

STARTED_BY = ("groupsim.advice", "groupsim.pipeline")
"""Packages whose functions are handed to Spark."""


def test_the_archive_is_the_same_bytes_and_has_what_executors_run(tmp_path: Path) -> None:
    first, again = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    again.mkdir()
    assert code_archive(first).read_bytes() == code_archive(again).read_bytes()
    names = zipfile.ZipFile(first / "groupsim.zip").namelist()
    assert {name.split("/")[0] for name in names} == {"groupsim"}
    assert "groupsim/pipeline/sweep_point.py" in names
    edges = {**imports(), "groupsim": set[str]()}  # its names are imported when they are asked for
    needed = reached((name for name in modules() if name.startswith(STARTED_BY)), edges) - {"groupsim"}
    assert {name.split("/")[1] for name in names} == {"__init__.py", *(name.split(".")[1] for name in needed)}
