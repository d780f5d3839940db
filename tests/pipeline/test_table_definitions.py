"""The version of the table definitions: it names the folder of cached tables, so it must change with their code."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from groupsim.pipeline.code_archive import code_archive
from groupsim.pipeline.table_definitions import definition_version

PRINT = "import groupsim.pipeline.table_definitions as d; print(d.__file__, d.definition_version())"


def version_in(place: Path) -> str:
    """The version that a process computes which imports groupsim from this folder or zip archive."""
    environment = {**os.environ, "PYTHONPATH": str(place)}
    ended = subprocess.run(
        [sys.executable, "-c", PRINT], env=environment, cwd=place.parent, capture_output=True, text=True, check=True
    )
    file, version = ended.stdout.split()
    assert Path(file) == place / "groupsim" / "pipeline" / "table_definitions.py"
    return version


def unpacked(folder: Path) -> Path:
    """A copy of the code that can be changed."""
    with zipfile.ZipFile(code_archive(folder)) as archive:
        archive.extractall(folder / "code")
    return folder / "code"


def test_an_executor_with_the_zip_archive_computes_the_same_version(tmp_path: Path) -> None:
    assert version_in(code_archive(tmp_path)) == definition_version()


@pytest.mark.parametrize(
    ("module", "changes"),
    [
        ("analysis/availability/view.py", True),
        ("analysis/tables/ownership.py", True),
        ("analysis/log_coverage.py", True),
        ("events/client.py", True),
        ("pipeline/sweep.py", False),
    ],
)
def test_a_change_of_a_module_that_defines_tables_changes_the_version(
    tmp_path: Path, module: str, changes: bool
) -> None:
    copy = unpacked(tmp_path)
    with (copy / "groupsim" / module).open("a") as changed:
        changed.write("# a change\n")
    assert (version_in(copy) != definition_version()) is changes
