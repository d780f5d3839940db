"""Imports by the names of release 0.1 (`scenarios.dsl`, `assignors`, …), in scenario files written for it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

OLD_PACKAGES = frozenset(
    {
        "analysis",
        "assignors",
        "cli",
        "conformance",
        "coordinator",
        "events",
        "incidents",
        "invariants",
        "pipeline",
        "scenarios",
        "simulation",
        "storage",
    }
)
"""What release 0.1 installed as top-level packages."""
RENAMED = {
    "assignors.laws": "assignors.properties",
    "assignors.violations": "assignors.metrics",
    "scenarios.seen": "scenarios.probe",
}
ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def old_imports(path: Path) -> Iterator[None]:
    """Inside the block the old names lead to `groupsim.…`, unless a module of the user has that name.

    A note on stderr says what to import instead. `path` is the file that is loaded.
    """
    finder = _OldNames()
    before = set(sys.modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.imported:
            if name not in before:
                sys.modules.pop(name, None)
    if finder.imported:
        old = finder.imported[-1]
        print(f"note: {path} imports {old}; import {_new_name(old)} instead", file=sys.stderr)


def _new_name(old: str) -> str:
    return f"groupsim.{RENAMED.get(old, old)}"


class _OldNames(MetaPathFinder, Loader):
    """Finds the modules of groupsim under their old names; `imported` lists those names."""

    def __init__(self) -> None:
        self.imported: list[str] = []
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package = fullname.partition(".")[0]
        if package not in OLD_PACKAGES:
            return None
        ours = package in self.imported if path is not None else not _is_users(fullname)
        return ModuleSpec(fullname, self) if ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        try:
            module = importlib.import_module(_new_name(spec.name))
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name) from error
        self._specs[spec.name] = module.__spec__
        self.imported.append(spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module is loaded already; the import system has just replaced its spec."""
        assert module.__spec__ is not None
        module.__spec__ = self._specs[module.__spec__.name]


def _is_users(package: str) -> bool:
    """Whether a package or module of this name exists that is not a folder of groupsim itself, nor a mere folder."""
    spec = PathFinder.find_spec(package)
    return spec is not None and spec.origin is not None and ROOT not in Path(spec.origin).resolve().parents
