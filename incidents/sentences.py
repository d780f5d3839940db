"""Pieces of the sentences that notes and errors are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath


def listed(names: Sequence[str], most: int = 4) -> str:
    """The first `most` names with commas, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def folded(sentences: Sequence[str]) -> list[str]:
    """The sentences, with those that say the same of three files or more (`FILE: what`) as one that names the files."""
    files: dict[str, list[str]] = {}
    for sentence in sentences:
        file, _, what = sentence.partition(": ")
        files.setdefault(what, []).append(file)
    found: dict[str, None] = {}
    for sentence in sentences:
        what = sentence.partition(": ")[2]
        same = [PurePath(file).name for file in files[what]]
        found.setdefault(f"{len(same)} files ({listed(same)}): {what}" if what and len(same) > 2 else sentence)
    return list(found)


def plural(number: int, noun: str) -> str:
    """`1 generation`, `3 generations`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def joined(parts: Iterable[str]) -> str:
    """The parts that are not empty, with semicolons."""
    return "; ".join(filter(None, parts))


def capital(text: str) -> str:
    """A sentence with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]
