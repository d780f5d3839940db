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

from groupsim.cli.options import Format
from groupsim.cli.tables import GAP, fit, heading

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


def rows(
    found: Iterable[Row], columns: Sequence[str], form: Format, title: str | None = None, spare: Sequence[str] = ()
) -> None:
    """Print rows; JSON is one array, JSONL one object a line. A table shows the columns named.

    `spare` are those that a narrow terminal is not shown, the least needed first.
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
    """JSON in readable Unicode; what a terminal would obey, or what turns the reading direction, is escaped."""
    return _UNSEEN.sub(lambda c: f"\\u{ord(c[0]):04x}", json.dumps(value, ensure_ascii=False))


def _csv(value: object) -> object:
    """A cell of CSV: text as it is but for control characters, lists, objects and truth values as JSON."""
    if isinstance(value, str):
        return plain(value)
    return _json(value) if isinstance(value, bool | list | tuple | dict) else value


def table(found: Iterable[Row], columns: Sequence[str], title: str | None = None, spare: Sequence[str] = ()) -> None:
    """A table as wide as the terminal (`cli.tables`); without one (a pipe), as wide as it needs to be."""
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
        console().print(drawn)


def _layout(part: Sequence[Row], columns: Sequence[str], spare: Sequence[str]) -> tuple[list[str], list[int], bool]:
    """Columns and widths by the first rows, and whether all fit as they are; what is not in the table is told."""
    cells = [[cell(row.get(name)) for name in columns] for row in part]
    natural = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(columns)]
    if not sys.stdout.isatty() or sum(natural) + 2 * len(natural) <= console().width:
        return list(columns), [min(width, 40) for width in natural], True
    whole = [name == "at" or _numeric([row.get(name) for row in part]) for name in columns]  # an instant is no text
    found = fit(columns, cells, whole, console().width, spare)
    for i in found.same:
        console().print(Text.assemble((columns[i], "bold"), f"  {cells[0][i]}"))
    if found.left_out:
        names = ", ".join(columns[i] for i in sorted(found.left_out))
        note(f"too narrow for {names}: a wider terminal shows them, and so does --format csv")
    return [columns[i] for i in found.columns], [found.widths[i] for i in found.columns], False


def _numeric(values: Sequence[object]) -> bool:
    return all(isinstance(value, int | float | None) for value in values)


def console() -> Console:
    """Where tables go; a pipe does not cut them at 80 columns."""
    width = None if sys.stdout.isatty() else 200
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)
