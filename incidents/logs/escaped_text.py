"""Strangers' text without what a terminal would obey: colours are removed, other control characters are escaped."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,30}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\))")
_CONTROL = re.compile("[\x01-\x08\x0a-\x1f\x7f-\x9f]")
_DEPTH = 60


def harmless(text: str) -> str:
    """A line as it may be shown; tabs are kept, NULs removed, the rest is written as an escape (`\\x07`)."""
    if text.isprintable():
        return text
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return _CONTROL.sub(lambda c: f"\\x{ord(c[0]):02x}", text.replace("\x00", ""))


def harmless_value(value: object, depth: int = 0) -> object:
    """A decoded JSON value with its texts and keys made harmless; a text of several lines keeps them."""
    if isinstance(value, str):
        if value.isprintable():
            return value
        return "\n".join(harmless(line.removesuffix("\r")) for line in value.split("\n"))
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        return {harmless(key): harmless_value(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [harmless_value(inner, depth + 1) for inner in value]
    return value
