"""Rows as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def markdown(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table; the first row has the headings."""
    for number, row in enumerate(rows):
        yield "| " + " | ".join(str(value).replace("|", "\\|") for value in row) + " |"
        if not number:
            yield "| " + " | ".join("---" for _ in row) + " |"
