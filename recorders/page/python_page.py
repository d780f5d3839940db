"""docs/reference/python.md: every public name of `import groupsim`, from its signature and its docstring."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import groupsim
from groupsim.analysis.tables.total import Total
from groupsim.api.pytest_plugin import RunScenario
from groupsim.api.testing import Runs

_WIDEST = 100
_SECTION = re.compile(r"^(Args|Returns|Raises):$")
_ITEM = re.compile(r"^ {4}([^\s:][^:]*): (.*)$")
_COLUMNS = re.compile(r"columns `[A-Z]+`")
_OF_THE_PACKAGE = re.compile(r"^`analysis\.[\w.]+`")
"""How docstrings begin of what pages and commands are made from: what users ask has sentences of its own."""


def page(generated: str) -> str:
    """The whole page, functions first. `generated`: the line that says what writes it."""
    public = {name: getattr(groupsim, name) for name in groupsim.__all__}
    functions = [name for name, value in public.items() if inspect.isfunction(value)]
    classes = [name for name, value in public.items() if inspect.isclass(value)]
    parts = [
        f"# Python\n\n{generated}",
        "Everything that `import groupsim` has. [From Python](../how-to/python.md) shows it at work;"
        " [the tables' columns](tables.md) stand on a page of their own.\n",
        "## Functions\n",
        *(_function(name, public[name]) for name in functions),
        "## Objects\n",
        *(_class(name, public[name]) for name in classes),
        _class("run.total()", Total, "What `run.total()` gives."),
        "### groupsim.Script\n",
        "The type of a scenario's story, for annotations: a generator that yields what it waits for.\n",
        "## In a test\n",
        "pytest has the fixture `groupsim_run` wherever groupsim is installed:\n",
        _code(_call("groupsim_run", RunScenario.__call__)),
        *_text(RunScenario.__call__),
        _class("groupsim_run(…)", Runs, ""),
    ]
    return "\n".join(parts)


def _function(name: str, function: Callable[..., Any]) -> str:
    return "\n".join([f"### groupsim.{name}\n", _code(_call(f"groupsim.{name}", function)), *_text(function)])


def _class(name: str, kind: type, about: str | None = None) -> str:
    members = [(each, inspect.getattr_static(kind, each)) for each in sorted(dir(kind)) if not each.startswith("_")]
    shown = [(each, value) for each, value in members if _is_shown(value)]
    rows = [f"| {_member(kind, each, value)} | {_escaped(_first(value))} |" for each, value in shown]
    table = ["| | |", "| --- | --- |", *rows, ""] if rows else []
    title = f"groupsim.{name}" if about is None else name
    return "\n".join([f"### {title}\n", *([f"{about}\n"] if about else []), *_text(kind), *table])


def _is_shown(value: object) -> bool:
    is_property = isinstance(value, property | functools.cached_property)
    return (
        (is_property or inspect.isfunction(value))
        and _first(value) != ""
        and _OF_THE_PACKAGE.match(inspect.getdoc(value) or "") is None
    )


def _member(kind: type, name: str, value: Any) -> str:
    return f"`.{_call(name, value)}`".replace("|", "\\|") if inspect.isfunction(value) else f"`.{name}`"


def _call(name: str, function: Callable[..., Any]) -> str:
    """`groupsim.run(scenario, *, seed=None)`: without the types, which editors show."""
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    call = f"{name}{inspect.Signature(bare)}"
    if len(call) <= _WIDEST:
        return call
    whole = str(inspect.Signature(bare))[1:-1]
    return f"{name}(\n    " + ",\n    ".join(whole.split(", ")) + ",\n)" if ", (" not in whole else call


def _code(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```\n"


def _text(value: object) -> Iterator[str]:
    """A docstring as Markdown: its sections as lists, its example as code."""
    about, _, example = (inspect.getdoc(value) or "").partition("\n>>> ")
    for line in about.strip().splitlines():
        section, item = _SECTION.match(line), _ITEM.match(line)
        if section is not None:
            yield f"\n**{section[1]}**\n"
        elif item is not None:
            yield f"- `{item[1]}`: {item[2]}"
        else:
            yield line.strip() and (f"  {line.strip()}" if line.startswith("     ") else line.strip())
    yield ""
    if example:
        yield _code(f">>> {example.strip()}", "pycon")


def _first(value: object) -> str:
    """A docstring's first paragraph, in one line."""
    first = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    return _COLUMNS.sub("[columns](tables.md)", first)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
