"""No modules import each other in a circle: every import counts, also for type checkers and inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"tests", "docs", "examples", "build"}


def _modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if not parts[0].startswith(".") and parts[0] not in ELSEWHERE and parts != ("setup",):
            name = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(name if parts[0] == "benchmarks" else ("groupsim", *name))] = path
    return found


def _imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """`from package import module` is an import of the module, `from package import name` one of the package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in modules else node.module


def _imports(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """By module the modules of ours that it imports."""
    return {name: {each for each in _imported(path, modules) if each in modules} for name, path in modules.items()}


def circles(imports: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """The groups of modules that reach each other by imports."""
    reachable: dict[str, set[str]] = {}
    for start in imports:
        reached: set[str] = set()
        waiting = list(imports[start])
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(imports[name])
        reachable[start] = reached
    found = {frozenset({b for b in reached if a in reachable[b]}) for a, reached in reachable.items() if a in reached}
    return sorted(found, key=sorted)


def test_modules_that_import_each_other_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [frozenset({"b", "c"})]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    modules = _modules()
    assert len(modules) > 150
    assert [sorted(circle) for circle in circles(_imports(modules))] == []
