"""No modules import each other in a circle: every import counts, also for type checkers and inside functions."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.imports import imports

pytestmark = pytest.mark.xdist_group("parsed")


def circles(imported: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """The groups of modules that reach each other by imports."""
    reachable: dict[str, set[str]] = {}
    for start in imported:
        reached: set[str] = set()
        waiting = list(imported[start])
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(imported[name])
        reachable[start] = reached
    found = {frozenset({b for b in reached if a in reachable[b]}) for a, reached in reachable.items() if a in reached}
    return sorted(found, key=sorted)


def test_modules_that_import_each_other_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [frozenset({"b", "c"})]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert len(imports()) > 150
    assert [sorted(circle) for circle in circles(imports())] == []
