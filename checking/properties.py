"""`.properties` files, as java.util.Properties reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parsed(text: str) -> dict[str, str]:
    """By key the value; the last one where a key stands twice."""
    return dict(_pair(line) for line in _lines(text))


def _lines(text: str) -> Iterator[str]:
    """Logical lines: without comments and empty ones; a backslash at the end continues a line."""
    begun = ""
    for line in re.split(r"\r\n|\n|\r", text):
        rest = line.lstrip(" \t\f")
        if not begun and (not rest or rest[0] in "#!"):
            continue
        begun += rest
        slashes = len(begun) - len(begun.rstrip("\\"))
        if slashes % 2:
            begun = begun[:-1]
            continue
        yield begun
        begun = ""
    if begun:
        yield begun


def _pair(line: str) -> tuple[str, str]:
    """The key ends before the first `=`, `:` or space that has no backslash."""
    at = 0
    while at < len(line) and line[at] not in "=: \t\f":
        at += 2 if line[at] == "\\" else 1
    key, rest = line[:at], line[at:].lstrip(" \t\f")
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(" \t\f")
    return _plain(key), _plain(rest)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda found: _letter(found[1]), text)


def _letter(escaped: str) -> str:
    return chr(int(escaped[1:], 16)) if len(escaped) == 5 else _LETTERS.get(escaped, escaped)
