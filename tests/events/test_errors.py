"""The tree of exceptions in `events.errors` is the one that the code has."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import groupsim
from groupsim.events import errors
from groupsim.events.errors import GroupsimError

FOLDERS = {
    "advice",
    "analysis",
    "api",
    "assignors",
    "checking",
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


def _below(kind: type[Exception], indent: str = "") -> Iterator[str]:
    """The tree below an exception, line by line."""
    ours = [sub for sub in kind.__subclasses__() if sub.__module__.startswith(f"{groupsim.__name__}.")]
    for sub in sorted(ours, key=lambda each: each.__name__):
        last = sub.__name__ == max(each.__name__ for each in ours)
        yield f"{indent}{'└── ' if last else '├── '}{sub.__name__}"
        yield from _below(sub, indent + ("    " if last else "│   "))


@pytest.mark.slow
def test_the_docstring_shows_the_tree_of_exceptions() -> None:
    _import_everything()
    tree = "\n".join([GroupsimError.__name__, *_below(GroupsimError)])
    assert tree in (errors.__doc__ or ""), f"write this into events/errors.py:\n{tree}"
