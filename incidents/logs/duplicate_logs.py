"""Logs that are given twice: their lines would count twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scan import open_log

_BEGINNING = 4_096
"""Files are compared whole if so many bytes of them, or all, are the same."""
_BLOCK = 1 << 20
_COMPARED = 8
"""A file is compared with at most so many others that begin in the same way."""


class _Found(Enum):
    SAME = "the same lines as"
    BEGINNING = "only lines that are also in"
    LONGER = ""


def given_once(paths: Iterable[Path]) -> tuple[list[Path], list[str]]:
    """Each log once, in order, and a remark on those that are left out.

    A log is given again by its name, by a copy, also a packed one, and by what was copied of it earlier.
    """
    found = dict[Path, Path]()
    named_again = dict[Path, None]()
    for path in (path if isinstance(path, Path) else Path(path) for path in paths):
        if found.setdefault(path.resolve(), path) is not path:
            named_again[path] = None
    remarks = [f"{path} is given twice, and read once" for path in named_again]
    copies = _copies([*found.values()])
    remarks += [f"{path} has {how.value} {other}, and is left out" for path, (how, other) in copies.items()]
    return [path for path in found.values() if path not in copies], remarks


def _copies(paths: Sequence[Path]) -> dict[Path, tuple[_Found, Path]]:
    """The files that say nothing that another one does not say, with that other one."""
    found: dict[Path, tuple[_Found, Path]] = {}
    alike: dict[bytes, list[Path]] = defaultdict(list)
    for path in paths:
        beginning = _beginning(path)
        if not beginning or b"\0" in beginning:  # no text, so no log
            continue
        others = alike[beginning]
        for place, other in enumerate(others[:_COMPARED]):
            match _compared(path, other):
                case (_Found.SAME | _Found.BEGINNING) as how:
                    found[path] = how, other
                    break
                case _Found.LONGER:
                    found[other], others[place] = (_Found.BEGINNING, path), path
                    break
        else:
            others.append(path)
    return found


def _beginning(path: Path) -> bytes:
    """The first bytes of a file, unpacked; none of a pipe, which can be read only once, and of what can't be read."""
    if not path.is_file():
        return b""
    try:
        with open_log(path) as log:
            return log.read(_BEGINNING)
    except (OSError, LogError):  # whoever reads it will say so
        return b""


def _compared(path: Path, other: Path) -> _Found | None:
    """What a file is beside another one; None if each has something of its own."""
    with open_log(path) as left, open_log(other) as right:
        while True:
            one, two = left.read(_BLOCK), right.read(_BLOCK)
            if not one and not two:
                return _Found.SAME
            if len(one) < len(two) and two.startswith(one):
                return _Found.BEGINNING
            if len(two) < len(one) and one.startswith(two):
                return _Found.LONGER
            if one != two:
                return None
