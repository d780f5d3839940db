"""The text of a scenario of a notebook's cell, as other processes read it: the function, and the names that it uses.

Not the whole cell: that may run the scenario itself.
"""

from __future__ import annotations

import ast
import dis
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from groupsim.api.errors import BadRequest
from groupsim.simulation.run import Scenario

_HEAD = "from __future__ import annotations\n"
"""So that no name is needed that stands in a type alone."""


def text_of(story: Scenario) -> str:
    """A file with this scenario alone. Raises BadRequest where that can't be written, with what to do instead."""
    parts: dict[str, str] = {}
    _add(story.story, story.name, parts)
    return _HEAD + "".join(parts.values())


def _add(function: Callable[..., Any], scenario: str, parts: dict[str, str]) -> None:
    """First what the function uses, then the function, each once."""
    parts[function.__name__] = ""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise _refused(scenario, "was defined neither in a file nor in a notebook") from None
    known = _known(function)
    for name in sorted(set(_names(compile(_HEAD + text, "<cell>", "exec")))):
        if name in known and name not in parts:
            _add_value(name, known[name], scenario, parts)
    del parts[function.__name__]  # it stands behind what it uses
    parts[function.__name__] = text


def _add_value(name: str, value: object, scenario: str, parts: dict[str, str]) -> None:
    made = value.story if isinstance(value, Scenario) else value
    if isinstance(made, FunctionType) and made.__module__ == "__main__" and made.__name__ == name:
        _add(made, scenario, parts)
    elif (line := _line(name, value)) is not None:
        parts[name] = line
    else:
        kind = type(value).__name__
        raise _refused(scenario, f"uses {name!r}, a {kind} of the notebook that can't be written down for them")


def _known(function: Callable[..., Any]) -> Mapping[str, Any]:
    """What the names in its text mean."""
    code: CodeType = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}


def _names(code: CodeType) -> Iterator[str]:
    """The names that are looked up outside of the functions that use them."""
    yield from (each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_NAME", "LOAD_GLOBAL"))
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _line(name: str, value: object) -> str | None:
    """A line that gives this name this value in another process; None if there is none."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__} as {name}\n"
    home, its_name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if home not in (None, "__main__") and its_name and getattr(sys.modules.get(home), its_name, None) is value:
        return f"from {home} import {its_name} as {name}\n"
    try:
        same: bool = ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return None
    return f"{name} = {value!r}\n" if same else None


def _refused(scenario: str, why: str) -> BadRequest:
    return BadRequest(
        f"other processes can't read scenario {scenario!r}: it {why};"
        f' write it to a file, by %%writefile {scenario}.py in a notebook, and name that: "{scenario}.py"'
    )
