"""This code as one zip, which Spark sends to machines that have the dependencies but not groupsim."""

from __future__ import annotations

import zipfile
from pathlib import Path

PACKAGES: tuple[str, ...] = (
    "advice",
    "analysis",
    "assignors",
    "coordinator",
    "events",
    "incidents",
    "invariants",
    "pipeline",
    "replay",
    "scenarios",
    "simulation",
    "storage",
    "wording",
)
"""The packages that run on executors: all except the command line and the conformance tools."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def code_archive(folder: Path) -> Path:
    """`folder/groupsim.zip` with the modules of PACKAGES; the same code gives the same bytes."""
    root = Path(__file__).resolve().parents[1]
    target = folder / "groupsim.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        files = [root / "__init__.py", *(file for name in PACKAGES for file in sorted((root / name).rglob("*.py")))]
        for file in files:
            name = (Path("groupsim") / file.relative_to(root)).as_posix()
            out.writestr(zipfile.ZipInfo(name, _EPOCH), file.read_bytes())
    return target
