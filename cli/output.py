"""Printing: rows as a table for people, as JSON, JSON Lines or CSV for programs.

Names may come from somebody else's log: nothing of them is taken for markup or for a terminal's control sequence.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.options import Format

Row = Mapping[str, Any]
_UNSEEN = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_AT_ONCE = 5_000
"""Rows of a table that are laid out together, so that a table of any length takes little memory."""


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


def brief(body: Mapping[str, Any], most: int) -> str:
    """An object as `key=value key=value`, values that are no text as JSON, cut at `most` characters."""
    parts = (f"{key}={value if isinstance(value, str) else _json(value)}" for key, value in body.items())
    text = " ".join(parts)
    return text if len(text) <= most else text[: most - 1] + "…"


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
            print("[", end="")
            for number, row in enumerate(found):
                print((", " if number else "") + _json(row), end="")
            print("]")
        case Format.JSONL:
            for row in found:
                print(_json(row))
        case Format.CSV:
            writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: _csv(row.get(name)) for name in columns} for row in found)
        case Format.TABLE:
            table(found, columns, title)


def write_json(value: object) -> None:
    """One JSON document."""
    print(_json(value))


def _json(value: object) -> str:
    """JSON in readable Unicode; what a terminal would obey, or what turns the reading direction, is escaped."""
    return _UNSEEN.sub(lambda c: f"\\u{ord(c[0]):04x}", json.dumps(value, ensure_ascii=False))


def _csv(value: object) -> object:
    """A cell of CSV: text as it is but for control characters, lists, objects and truth values as JSON."""
    if isinstance(value, str):
        return plain(value)
    return _json(value) if isinstance(value, bool | list | tuple | dict) else value


def table(found: Iterable[Row], columns: Sequence[str], title: str | None = None) -> None:
    """A table as wide as the terminal; without one (a pipe), as wide as it needs to be."""
    waiting = iter(found)
    widths: list[int] = []
    while (part := list(islice(waiting, _AT_ONCE))) or not widths:
        shown = [[row.get(name) for name in columns] for row in part]
        drawn = Table(title=Text(title) if title and not widths else None, title_justify="left", box=None)
        drawn.show_header, drawn.header_style = not widths, "bold"
        for i, name in enumerate(columns):
            numeric = all(isinstance(row[i], int | float | None) for row in shown)
            least = widths[i] if widths else None
            justify = "right" if numeric and shown else "left"
            drawn.add_column(name, justify=justify, overflow="fold", min_width=least)  # type: ignore[arg-type]
        for row in shown:
            drawn.add_row(*(Text(cell(value)) for value in row))
        console().print(drawn)
        widths = widths or [
            min(max([len(name), *(len(cell(row[i])) for row in shown)]), 40) for i, name in enumerate(columns)
        ]


def console() -> Console:
    """Where tables go; a pipe does not cut them at 80 columns."""
    width = None if sys.stdout.isatty() else 200
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)
