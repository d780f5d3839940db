"""Strangers' text as it was written: a page's entities are decoded; what a terminal would obey is gone or escaped."""

from __future__ import annotations

import re
from html import unescape

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,30}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\))")
_CONTROL = re.compile("[\x01-\x08\x0a-\x1f\x7f-\x9f]")
_ENTITY = re.compile(
    r"&(?:amp;)?(#0{0,4}(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])|#[xX]0{0,4}(?:[2-6][0-9a-fA-F]|7[0-9a-eA-E])|quot|apos|amp|lt|gt"
    r"|nbsp);"
)
"""Of the characters that can be printed in ASCII; a page that quotes a page has them twice escaped."""
_DEPTH = 60


def as_written(text: str) -> str:
    """A text in which no page has put entities (`&quot;`) for its characters.

    In a text with quotation marks they stay: it is JSON or CSV, and what they mark is inside a value.
    """
    if "&" not in text:
        return text
    marked = '"' in text

    def decoded(entity: re.Match[str]) -> str:
        character = unescape(f"&{entity[1]};").replace("\xa0", " ")
        return entity[0] if marked and character == '"' else character

    return _ENTITY.sub(decoded, text)


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
