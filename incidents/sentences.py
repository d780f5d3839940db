"""Pieces of the sentences that notes and errors are made of."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 4) -> str:
    """The first `most` names with commas, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def plural(number: int, noun: str) -> str:
    """`1 generation`, `3 generations`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
