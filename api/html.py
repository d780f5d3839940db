"""Pieces of HTML with which objects show themselves in a notebook: no script, right on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def page(answer: str, *parts: str) -> str:
    """The sentence that answers, and below it what it rests on."""
    return f'<div><p style="font-size:1.1em"><b>{escape(answer)}</b></p>{"".join(parts)}</div>'


def line(text: str) -> str:
    """A paragraph."""
    return f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; None is shown as a dash."""
    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def first_rows(columns: Sequence[str], rows: Sequence[Sequence[object]], most: int = 10) -> str:
    """A table of the first rows, which says how many there are beside them."""
    left = len(rows) - most
    return table(columns, rows[:most]) + (line(f"and {left:,} more: to_frame() has them") if left > 0 else "")


def _cell(value: object) -> str:
    text = "—" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    return f'<td style="text-align:left">{escape(text)}</td>'
