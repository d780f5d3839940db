"""The tree of exceptions in `events.errors` is the one that the code has."""

from __future__ import annotations

import importlib
import pkgutil
import re

import groupsim
from groupsim.events import errors
from groupsim.events.errors import GroupSimError

FOLDERS = {
    "analysis",
    "assignors",
    "cli",
    "conformance",
    "coordinator",
    "events",
    "incidents",
    "invariants",
    "pipeline",
    "replay",
    "scenarios",
    "simulation",
    "storage",
}


def _import_everything() -> None:
    for folder in sorted(FOLDERS):
        package = importlib.import_module(f"{groupsim.__name__}.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def _tree(kind: type[Exception], depth: int = 0) -> list[tuple[int, str]]:
    below = sorted((sub for sub in kind.__subclasses__() if sub.__module__.startswith("groupsim.")), key=_name)
    return [(depth, kind.__name__), *(line for sub in below for line in _tree(sub, depth + 1))]


def _name(kind: type[Exception]) -> str:
    return kind.__name__


def test_the_docstring_shows_the_tree_of_exceptions() -> None:
    _import_everything()
    lines = [line for line in (errors.__doc__ or "").splitlines() if re.fullmatch(r"[│├└─ ]*\w+", line)]
    shown = [(len(re.match(r"[│├└─ ]*", line)[0]) // 4, line.strip("│├└─ ")) for line in lines]  # type: ignore[index]
    assert shown == _tree(GroupSimError)
