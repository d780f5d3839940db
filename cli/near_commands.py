"""What to type instead of a command that does not exist: one of the same or a near name, in whatever group it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

_UNKNOWN = re.compile(r"No such command '([^']{1,100})'\.$")


def with_near_command(message: str, program: Any) -> str:
    """The message of a usage error; if it names a command that does not exist, with commands of a near name."""
    unknown = _UNKNOWN.match(message)
    if unknown is None:
        return message
    known = [(path[-1], " ".join(path)) for path in _paths(program)]
    near = get_close_matches(unknown[1], [name for name, _ in known], n=2)
    found = [f"`groupsim {path}`" for name, path in known if name in near]
    return f"{message} Did you mean {' or '.join(found)}?" if found else message


def _paths(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, each in getattr(command, "commands", {}).items():
        if getattr(each, "commands", None):
            yield from _paths(each, (*above, name))
        else:
            yield (*above, name)
