"""Printing: rows as a table for people, as JSON, JSON Lines or CSV for programs.

Names can come from untrusted logs: they are never interpreted as markup or as terminal control sequences.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from groupsim.cli.table_layout import GAP, fit, heading
from groupsim.wording.names import plain as plain


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


Row = Mapping[str, Any]
_INVISIBLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a formula begins, in full-width characters, too."""
_AT_ONCE = 5_000
"""Rows that are laid out together, so that a table of any length needs little memory."""


_quiet = False


def be_quiet(quiet: bool) -> None:
    """Whether to suppress notes from now on (`--quiet`); errors are always printed."""
    global _quiet
    _quiet = quiet


def quiet() -> bool:
    """Whether notes and progress are suppressed."""
    return _quiet


def note(sentence: str) -> None:
    """Print one line of extra information to stderr."""
    if not _quiet:
        error(sentence)


def error(sentence: str) -> None:
    """Print one line to stderr, also with `--quiet`."""
    print(plain(sentence), file=sys.stderr)


def cell(value: object) -> str:
    """A value as a table shows it: numbers with thousands separators, `—` for none or unknown."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "—"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    return plain(value)


def brief(body: Mapping[str, Any], longest: int) -> str:
    """An object as `key=value key=value`, non-text values as JSON, cut after `longest` characters."""
    parts = (f"{key}={value if isinstance(value, str) else _json(value)}" for key, value in body.items())
    text = " ".join(parts)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def rows(
    found: Iterable[Row], columns: Sequence[str], form: Format, title: str | None = None, spare: Sequence[str] = ()
) -> None:
    """Print rows: JSON as one array, JSON Lines as one object per line; tables and CSV have the named columns.

    A narrow terminal does not show the columns in `spare`; the first of them is dropped first.
    """
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
            table(found, columns, title, spare)


def write_json(value: object) -> None:
    """One JSON document."""
    print(_json(value))


def _json(value: object) -> str:
    """JSON in readable Unicode; control characters and marks that change the reading direction are escaped."""
    return _INVISIBLE.sub(lambda c: f"\\u{ord(c[0]):04x}", json.dumps(value, ensure_ascii=False))


def _csv(value: object) -> object:
    """A cell of CSV: text with escaped control characters; lists, objects and booleans as JSON.

    A text that a spreadsheet would take for a formula gets an apostrophe in front, as spreadsheets mark texts.
    """
    if isinstance(value, str):
        text = plain(value)
        return f"'{text}" if text.startswith(_FORMULA) else text
    return _json(value) if isinstance(value, bool | list | tuple | dict) else value


def table(found: Iterable[Row], columns: Sequence[str], title: str | None = None, spare: Sequence[str] = ()) -> None:
    """A table as wide as the terminal (`cli.table_layout`); in a pipe as wide as it needs to be."""
    waiting = iter(found)
    chosen, widths = list(columns), list[int]()
    fits = True
    while (part := list(islice(waiting, _AT_ONCE))) or not widths:
        begins = not widths
        if begins:
            chosen, widths, fits = _layout(part, columns, spare)
        shown = [[row.get(name) for name in chosen] for row in part]
        drawn = Table(title=Text(title) if title and begins else None, title_justify="left", box=None)
        drawn.show_header, drawn.header_style = begins, "bold"
        if not fits:
            drawn.pad_edge, drawn.padding = False, (0, GAP, 0, 0)
        for i, name in enumerate(chosen):
            numeric = _numeric([row[i] for row in shown])
            size: dict[str, Any] = {"min_width": widths[i] if fits and not begins else None}
            if not fits:
                size = {"width": widths[i], "no_wrap": numeric}
            justify = "right" if numeric and shown else "left"
            drawn.add_column(name if fits else heading(name, widths[i]), justify=justify, overflow="fold", **size)  # type: ignore[arg-type]
        for row in shown:
            drawn.add_row(*(Text(cell(value)) for value in row))
        _draw(drawn)


def _draw(drawn: Table) -> None:
    """Print a table; in a pipe without the spaces that fill its lines."""
    shown = console()
    if sys.stdout.isatty():
        shown.print(drawn)
        return
    with shown.capture() as captured:
        shown.print(drawn)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _layout(part: Sequence[Row], columns: Sequence[str], spare: Sequence[str]) -> tuple[list[str], list[int], bool]:
    """Columns, widths, and whether all columns fit, decided on the first rows. Notes which columns are not shown."""
    cells = [[cell(row.get(name)) for name in columns] for row in part]
    natural = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(columns)]
    if not sys.stdout.isatty() or sum(natural) + 2 * len(natural) <= console().width:
        return list(columns), [min(width, 40) for width in natural], True
    whole = [name == "at" or _numeric([row.get(name) for row in part]) for name in columns]  # a time must not be folded
    found = fit(columns, cells, whole, console().width, spare)
    for i in found.same:
        console().print(Text.assemble((columns[i], "bold"), f"  {cells[0][i]}"))
    if found.left_out:
        names = ", ".join(columns[i] for i in sorted(found.left_out))
        note(f"the terminal is too narrow for {names}; use a wider one or --format csv")
    return [columns[i] for i in found.columns], [found.widths[i] for i in found.columns], False


def _numeric(values: Sequence[object]) -> bool:
    return all(isinstance(value, int | float | None) for value in values)


def console() -> Console:
    """The console that tables are printed to; in a pipe it is 200 columns wide instead of 80."""
    width = None if sys.stdout.isatty() else 200
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)
