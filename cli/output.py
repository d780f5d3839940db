"""Printing: rows as a table for people, as JSON, JSON Lines or CSV for programs.

Names may come from somebody else's log: nothing of them is taken for markup or for a terminal's control sequence.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.options import Format

Row = Mapping[str, Any]


_quiet = False


def be_quiet(quiet: bool) -> None:
    """Whether notes are left out from now on (`--quiet`); errors never are."""
    global _quiet
    _quiet = quiet


def quiet() -> bool:
    """Whether the user asked for data and errors only."""
    return _quiet


def note(sentence: str) -> None:
    """One line to stderr: something worth knowing beside the data."""
    if not _quiet:
        error(sentence)


def error(sentence: str) -> None:
    """One line to stderr, said in any case."""
    print(plain(sentence), file=sys.stderr)


def plain(value: object) -> str:
    """Text without control characters: what a terminal would obey is shown as an escape."""
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def cell(value: object) -> str:
    """A value in a table: numbers with thousands separators."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "—"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    return plain(value)


def seconds(ms: int | float) -> str:
    """Milliseconds for people: `340 ms`, `12.3 s`, `10m00s`, `2h05m`."""
    if ms < 1_000:
        return f"{ms:,.0f} ms"
    if ms < 100_000:
        return f"{ms / 1_000:,.1f} s"
    minutes, rest = divmod(round(ms / 1_000), 60)
    return f"{minutes}m{rest:02d}s" if minutes < 60 else f"{minutes // 60:,}h{minutes % 60:02d}m"


def rows(found: Iterable[Row], columns: Sequence[str], form: Format, title: str | None = None) -> None:
    """Print rows; JSON is one array, JSONL one object a line. A table shows the columns named."""
    match form:
        case Format.JSON:
            write_json(list(found))
        case Format.JSONL:
            for row in found:
                print(json.dumps(row, ensure_ascii=False))
        case Format.CSV:
            writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
        case Format.TABLE:
            table(found, columns, title)


def write_json(value: object) -> None:
    """One JSON document."""
    print(json.dumps(value, ensure_ascii=False))


def table(found: Iterable[Row], columns: Sequence[str], title: str | None = None) -> None:
    """A table as wide as the terminal; without one (a pipe), as wide as it needs to be."""
    drawn = Table(title=Text(title) if title else None, title_justify="left", header_style="bold", box=None)
    shown = [[row.get(name) for name in columns] for row in found]
    for i, name in enumerate(columns):
        numeric = all(isinstance(row[i], int | float | None) for row in shown)
        drawn.add_column(name, justify="right" if numeric and shown else "left", overflow="fold")
    for row in shown:
        drawn.add_row(*(Text(cell(value)) for value in row))
    console().print(drawn)


def console() -> Console:
    """Where tables go; a pipe does not cut them at 80 columns."""
    width = None if sys.stdout.isatty() else 200
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)
