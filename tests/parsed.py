"""What the tests ask of the modules' syntax trees: each module is parsed once, and its tree is not kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Function(NamedTuple):
    """A function or method, and how many lines it has."""

    line: int
    name: str
    lines: int


class Import(NamedTuple):
    """`import module` where `names` is empty, otherwise `from module import names`."""

    line: int
    module: str
    names: tuple[str, ...]
    level: int


class Parsed(NamedTuple):
    """One module. `silent`: its public functions and classes without a docstring."""

    docstring: str
    functions: tuple[Function, ...]
    imports: tuple[Import, ...]
    silent: tuple[Function, ...]


@cache
def parsed(path: Path) -> Parsed:
    """The module at this path."""
    tree = ast.parse(path.read_text(), str(path))
    functions, imports = list[Function](), list[Import]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(_sized(node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.extend(_imported(node))
    return Parsed(ast.get_docstring(tree) or "", tuple(functions), tuple(imports), tuple(_silent(tree)))


def _sized(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Function:
    return Function(node.lineno, node.name, (node.end_lineno or node.lineno) - node.lineno + 1)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(node.lineno, alias.name, (), 0) for alias in node.names)
    else:
        yield Import(node.lineno, node.module or "", tuple(alias.name for alias in node.names), node.level)


def _silent(tree: ast.Module) -> Iterator[Function]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node):
            yield _sized(node)
