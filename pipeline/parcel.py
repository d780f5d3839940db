"""This code as one zip that Spark sends to machines which have the dependencies but not groupsim."""

from __future__ import annotations

import zipfile
from pathlib import Path

PACKAGES: tuple[str, ...] = (
    "analysis",
    "assignors",
    "coordinator",
    "events",
    "incidents",
    "invariants",
    "pipeline",
    "scenarios",
    "simulation",
    "storage",
)
"""What runs on executors; the command line and the conformance tools stay here."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def parcel(folder: Path) -> Path:
    """`folder/groupsim.zip` with the modules of PACKAGES: the same code is the same bytes."""
    root = Path(__file__).resolve().parents[1]
    target = folder / "groupsim.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for package in PACKAGES:
            for file in sorted((root / package).rglob("*.py")):
                out.writestr(zipfile.ZipInfo(file.relative_to(root).as_posix(), _EPOCH), file.read_bytes())
    return target
