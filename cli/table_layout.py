"""Tables that fit the terminal: equal values are printed once above, long texts fold, spare columns are dropped.

Numbers are never broken over lines. In a pipe no column is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

GAP = 2
NARROW = 14
"""Texts are folded to this width before a column is dropped."""


@dataclass(slots=True)
class Fit:
    """The layout of a table, columns by index: `columns` with widths, `same` in all rows, `left_out`."""

    columns: list[int]
    widths: dict[int, int]
    same: list[int] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)


def fit(
    names: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], width: int, spare: Sequence[str] = ()
) -> Fit:
    """A layout that is at most `width` wide; it keeps at least two columns, even if these are wider.

    The columns in `spare` are dropped first, then columns from the right; the last column stays.
    """
    found = Fit(list(range(len(names))), {})
    needed = [_natural(name, [row[i] for row in cells]) for i, name in enumerate(names)]
    while True:
        found.widths = _folded({i: needed[i] for i in found.columns}, numeric, width)
        if _total(found.widths) <= width or len(found.columns) <= 2:
            return found
        constant = next((i for i in found.columns if not numeric[i] and _constant(cells, i)), None)
        if constant is not None:
            found.columns.remove(constant)
            found.same.append(constant)
            continue
        waiting = [i for name in spare for i in found.columns if names[i] == name]
        found.left_out.append(waiting[0] if waiting else found.columns[-2])
        found.columns.remove(found.left_out[-1])


def heading(name: str, width: int) -> str:
    """The name of a column, split before each underscore if it is wider than the column."""
    return name if len(name) <= width else name.replace("_", "\n_")


def _natural(name: str, cells: Sequence[str]) -> int:
    return max([len(part) for part in heading(name, 0).split("\n")] + [len(cell) for cell in cells])


def _constant(cells: Sequence[Sequence[str]], i: int) -> bool:
    return len(cells) > 1 and len({row[i] for row in cells}) == 1


def _folded(widths: dict[int, int], numeric: Sequence[bool], width: int) -> dict[int, int]:
    """The widths after the widest texts are made narrower, until the table fits or none can shrink further."""
    found = dict(widths)
    while _total(found) > width:
        texts = [i for i in found if not numeric[i] and found[i] > NARROW]
        if not texts:
            break
        found[max(texts, key=lambda i: found[i])] -= 1
    return found


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + GAP * (len(widths) - 1)
