"""Lines about groups that no wording fits, counted by how they are worded: names and numbers do not tell them apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from groupsim.incidents.logs.formats import parse
from groupsim.incidents.logs.rows import UnrecognisedLine

_COMPARED = 600
_NAMES = re.compile(
    r"\"[^\"]{0,300}\"|'[^']{0,300}'|`[^`]{0,300}`"
    r"|(?<=[=:(\[ ])[\w.-]{0,200}\d[\w.:/-]{0,200}|(?<==)[\w./-]{1,200}|\d{1,40}"
)


class UnknownWording(NamedTuple):
    """`lines` lines are worded as `example` is; `wording` has `…` where they differ in names and numbers."""

    wording: str
    lines: int
    example: UnrecognisedLine


def by_wording(lines: Iterable[UnrecognisedLine]) -> list[UnknownWording]:
    """The lines by wording, most frequent first, then in the order of their first line."""
    found: dict[str, UnknownWording] = {}
    for line in lines:
        wording = _NAMES.sub("…", parse(line.line, line.text).text[:_COMPARED])
        known = found.get(wording, UnknownWording(wording, 0, line))
        found[wording] = known._replace(lines=known.lines + 1)
    return sorted(found.values(), key=lambda each: -each.lines)
