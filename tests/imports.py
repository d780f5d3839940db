"""Which module of ours imports which: every import counts, also for type checkers and inside functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parent.parent
NOT_INSTALLED = {"benchmarks", "recorders"}
ELSEWHERE = {"tests", "docs", "examples", "build"}


@cache
def modules() -> dict[str, Path]:
    """Every module but those of the tests, by the name with which it is imported."""
    named = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if not parts[0].startswith(".") and parts[0] not in ELSEWHERE and parts != ("setup",):
            name = parts[:-1] if parts[-1] == "__init__" else parts
            named[".".join(name if parts[0] in NOT_INSTALLED else ("groupsim", *name))] = path
    return named


@cache
def imports() -> dict[str, set[str]]:
    """By module the modules of ours that it imports."""
    known = modules()
    return {name: (known.keys() & _imported(path, known)) - {name} for name, path in known.items()}


def _imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """`from package import module` is an import of the module, `from package import name` one of the package."""
    for each in parsed(path).imports:
        if not each.names:
            yield each.module
        for name in each.names if each.module else ():
            inside = f"{each.module}.{name}"
            yield inside if inside in known else each.module


def reached(starts: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    """The modules that these import, directly or not; the packages they are in; and these themselves."""
    seen: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(edges.get(name, ()))
            waiting.extend([package] if (package := name.rpartition(".")[0]) else [])
    return seen
