"""The docstring of each package's `__init__` names its modules and packages, and nothing that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path

import pytest

from tests.parsed import parsed
from tests.test_architecture import PACKAGES, ROOT

pytestmark = pytest.mark.xdist_group("parsed")  # in one process: there each module is parsed once
FEW = 2
"""So few files need no list: their names, and the sentence that each opens with, say as much."""
ALIKE = {
    "diagnosis/causes": ("one file each", "\nCAUSE = "),
    "scenarios": ("one per file", "\n@scenario"),
}
"""Packages of so many alike files that their list would only repeat the folder. The package says so in these words, and
a file is one of them if it has this text; every other one is named. Pages of `docs/` list them with what they say.
"""
_NAMES = r"[a-z_]\w*/?(?:, [a-z_]\w*/?)*"
_ROW = re.compile(rf"^({_NAMES}) {{2,}}\S", re.MULTILINE)
"""A line of a list in columns: names, two spaces or more, what they are."""
_ENTRY = re.compile(r"(?:^- |;\s+|\.\s+)((?:`[a-z_]\w*/?`(?:,\s+|:))+)", re.MULTILINE)
"""The same with backquotes, at the beginning of a line or further on: "- `a`, `b`: what they are; `c`: what it is"."""
_QUOTED = re.compile(r"`([a-z_][\w./]*)`")
_WORD = re.compile(r"\w+")


@cache
def _packages() -> tuple[Path, ...]:
    every = (init.parent for top in (*PACKAGES, "recorders") for init in (ROOT / top).rglob("__init__.py"))
    return tuple(sorted(folder for folder in every if len(_inside(folder)) > FEW))


@cache
def _inside(folder: Path) -> Set[str]:
    """The modules and packages of a package."""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return modules | {init.parent.name for init in folder.glob("*/__init__.py")}


def _name(folder: Path) -> str:
    return str(folder.relative_to(ROOT))


def _listed(docstring: str) -> Set[str]:
    """The names at the head of an entry."""
    heads = [*_ROW.findall(docstring), *_ENTRY.findall(docstring)]
    return {word for head in heads for word in _WORD.findall(head)}


def _named(docstring: str) -> Set[str]:
    """All names; in a list in columns, backquotes are around something else: a command, a function."""
    quoted = set() if _ROW.search(docstring) else {name.strip("/") for name in _QUOTED.findall(docstring)}
    return _listed(docstring) | quoted


def _alike(folder: Path) -> Set[str]:
    _, text = ALIKE.get(_name(folder), ("", ""))
    return {path.stem for path in folder.glob("*.py") if text and text in path.read_text()}


@cache
def _paths() -> Mapping[str, Sequence[Path]]:
    """Every module and package by each end of its name: `incidents.logs.times`, `logs.times`, `times`."""
    found: dict[str, list[Path]] = {}
    for path in (path for top in (*PACKAGES, "recorders") for path in (ROOT / top).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        for start in range(len(parts)):
            found.setdefault(".".join(parts[start:]), []).append(path)
    return found


def _has(paths: Iterable[Path], word: str) -> bool:
    """Whether the code has a word, the first docstring of each file left out."""
    codes = (path.read_text().partition('"""')[2].partition('"""')[2] for path in paths)
    return any(re.search(rf"\b{word}\b", code) for code in codes)


def _is_there(name: str, folder: Path) -> bool:
    """Whether there is what a quoted name means: a file, a module, or a word of the code (a function, a command)."""
    dotted = re.sub(r"\.[A-Z].*", "", name.removeprefix("groupsim.").strip("/").replace("/", "."))
    if (folder / name).exists() or dotted in _paths():
        return True
    module, _, last = dotted.rpartition(".")
    return _has(_paths().get(module, ()) if module else folder.rglob("*.py"), last)


def _wrong(folder: Path) -> Iterator[str]:
    docstring = parsed(folder / "__init__.py").docstring
    there = _inside(folder) | {path.name for path in folder.iterdir()}
    yield from (name for name in _listed(docstring) if name not in there)
    yield from (name for name in _QUOTED.findall(docstring) if not _is_there(name, folder))


def test_every_module_is_named_by_its_package() -> None:
    assert len(_packages()) > 60
    unnamed = [
        f"{_name(folder)}: {module}"
        for folder in _packages()
        for module in sorted(_inside(folder) - _alike(folder) - _named(parsed(folder / "__init__.py").docstring))
    ]
    assert unnamed == []


def test_a_package_names_no_module_that_is_not_there() -> None:
    assert sum(len(_listed(parsed(folder / "__init__.py").docstring)) for folder in _packages()) > 900
    assert [f"{_name(folder)}: {name}" for folder in _packages() for name in sorted(_wrong(folder))] == []


@pytest.mark.parametrize("package", ALIKE)
def test_a_package_of_alike_files_says_so(package: str) -> None:
    said, _ = ALIKE[package]
    assert said in parsed(ROOT / package / "__init__.py").docstring
    assert len(_alike(ROOT / package)) > 30
