"""This code as one zip, which Spark sends to machines that have the dependencies but not groupsim."""

from __future__ import annotations

import zipfile
from pathlib import Path

_NOT_THERE = frozenset(["api", "checking", "cli", "conformance", "diagnosis"])
"""What only the user's own machine runs. A new package runs on executors, too, unless it is listed."""
_NOT_INSTALLED = frozenset(["benchmarks", "build", "recorders", "tests"])
"""What stands beside the packages in a checkout."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def code_archive(folder: Path) -> Path:
    """`folder/groupsim.zip` with the packages that run on executors; the same code gives the same bytes."""
    root = Path(__file__).resolve().parents[1]
    target = folder / "groupsim.zip"
    packages = sorted(file.parent for file in root.glob("*/__init__.py"))
    sent = [package for package in packages if package.name not in _NOT_THERE | _NOT_INSTALLED]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for file in [root / "__init__.py", *(file for package in sent for file in sorted(package.rglob("*.py")))]:
            name = (Path("groupsim") / file.relative_to(root)).as_posix()
            out.writestr(zipfile.ZipInfo(name, _EPOCH), file.read_bytes())
    return target
