"""Finding a scenario: a built-in one by its name, or one in a file."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import resources
from pathlib import Path
from types import ModuleType

from groupsim import scenarios
from groupsim.coordinator.config import near
from groupsim.scenarios.old_imports import old_imports
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario


def names() -> list[str]:
    """The built-in scenarios, sorted: the modules of this package that mark a function with `@scenario`."""
    return sorted(name for _, name, _ in pkgutil.iter_modules(scenarios.__path__) if "\n@scenario(" in _source(name))


def _source(module: str) -> str:
    return resources.files(scenarios).joinpath(f"{module}.py").read_text(encoding="utf-8")


def find(reference: str) -> Scenario:
    """`name`, `path/to/file.py` or `path/to/file.py::function`. Raises BadScenario."""
    path, _, function = reference.partition("::")
    if path.endswith(".py") or "/" in path:
        return _from_file(Path(path), function or None)
    if path not in names():
        rest = f"`groupsim scenarios` lists all {len(names())}"
        file = Path(f"{path}.py")
        meant = f"; did you mean {file}?" if file.is_file() else near(path, names())
        raise BadScenario(f"unknown scenario {path!r}{meant}; {rest}")
    return _only(importlib.import_module(f"{scenarios.__name__}.{path}"), function or path, path)


def _from_file(path: Path, function: str | None) -> Scenario:
    if not path.is_file():
        raise BadScenario(f"scenario file {str(path)!r} does not exist")
    module = ModuleType(f"_groupsim_scenario_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        # No import: a file that is edited twice in one second would be loaded from its cached bytecode.
        with beside(path), old_imports(path):
            exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the user's own code may raise anything, SystemExit and GeneratorExit, too
        kind = type(error).__name__
        raise BadScenario(f"scenario file {str(path)!r} can't be loaded: {kind}: {error}") from error
    where = f"{path}::{function}" if function else str(path)
    return replace(_only(module, function, str(path)), path=where)


@contextmanager
def beside(path: Path) -> Iterator[None]:
    """Inside the block, modules in the folder of the file can be imported, as for a script that Python runs."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _only(module: ModuleType, function: str | None, where: str) -> Scenario:
    marked = {name: value for name, value in vars(module).items() if isinstance(value, Scenario)}
    if function is not None and function in marked:
        return marked[function]
    if function is None and len(marked) == 1:
        return next(iter(marked.values()))
    if not marked:
        raise BadScenario(f"{where}: no function is marked @scenario(lasts=…)")
    asked = f"no scenario {function!r}" if function else "more than one scenario"
    raise BadScenario(f"{where}: {asked}; choose one of: {', '.join(f'{where}::{name}' for name in sorted(marked))}")
