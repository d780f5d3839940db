"""Columns of numbers as base64 of little-endian typed arrays: what a browser unpacks without parsing."""

from __future__ import annotations

import base64
from collections.abc import Iterable

import numpy as np

_TYPES = ("u1", "u2", "u4", "f8")
"""The smallest that holds all values is taken; times beyond 49 days are floats, exact to 2**53."""


def packed(numbers: Iterable[int]) -> dict[str, str]:
    """`{"type": "u1" | "u2" | "u4" | "f8", "data": base64}`. Numbers are whole and not negative."""
    column = np.fromiter(numbers, dtype=np.int64)
    highest = int(column.max(initial=0))
    chosen = next(t for t in _TYPES if t == "f8" or highest <= np.iinfo(t).max)
    return {"type": chosen, "data": base64.b64encode(column.astype(f"<{chosen}").tobytes()).decode()}


class Names:
    """Numbers for names, in order of appearance; None is a name too."""

    def __init__(self) -> None:
        self.all: list[str | None] = []
        self._numbers: dict[str | None, int] = {}

    def number(self, name: str | None) -> int:
        """The name's number; a new one if it has none."""
        if name not in self._numbers:
            self._numbers[name] = len(self.all)
            self.all.append(name)
        return self._numbers[name]
