"""What a file holds that has no records: the error that a platform answered with, no results, a ZIP archive."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from groupsim.incidents.exports.document import delimiter
from groupsim.incidents.exports.find_records import records
from groupsim.incidents.logs.formats import clean

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_NOT_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROLS = 0.02
"""A text has fewer control characters than this share of its bytes."""
_LARGEST = 1 << 16
"""Bytes: a larger document is not an answer without records."""
_ERRORS = ("error", "errors", "errorMessage", "error_message", "exception", "fault")
_TEXTS = ("message", "reason", "detail", "details", "description", "error", "title", "type", "text")
_FAILED = ("error", "fail", "failed", "failure")
NOT_A_TEXT = "is not a text"
_NO_RECORDS = "holds no records; check the query and its hours"
_LONGEST, _DEPTH = 200, 8


def answer(head: bytes) -> str | None:
    """What a file holds instead of records, said of the file ("is a ZIP archive; unpack it"); None if that is unknown.

    `head` is its beginning, of which a whole document must be no more than 64 KiB.
    """
    if not head:
        return "is empty (0 bytes)"
    if head.startswith(_ZIP):
        return "is a ZIP archive; unpack it"
    if len(_NOT_TEXT.findall(head)) > _MOST_CONTROLS * len(head):
        return NOT_A_TEXT
    if len(head) > _LARGEST:
        return None
    text = head.decode("utf-8-sig", "replace")
    if not text.strip() or ("\n" not in text.strip() and delimiter(text.strip()) is not None):
        return _NO_RECORDS
    try:
        document = json.loads(text, strict=False)
        found = list(records(document))
    except (ValueError, RecursionError):
        return None
    if (error := next(_errors(document, 0), None)) is not None:
        said = clean(" ".join(error.split()).encode("utf-8", "replace"))
        return f'holds no records, but the error "{said[:_LONGEST]}{"…" if len(said) > _LONGEST else ""}"'
    if len(found) < 2 and _holds_empty_list(document, 0):
        return _NO_RECORDS
    return None


def _errors(value: Any, depth: int) -> Iterator[str]:
    """The texts of errors in a document: of a field named so, or the message of one whose status says so."""
    if depth > _DEPTH or not isinstance(value, dict):
        return
    for name in _ERRORS:
        yield from _texts(value.get(name), depth + 1)
    if str(value.get("status")).lower() in _FAILED:
        yield from _texts(value, depth + 1)
    for inner in value.values():
        yield from _errors(inner, depth + 1)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        return
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, list):
        for inner in value[:1]:
            yield from _texts(inner, depth + 1)
    elif isinstance(value, dict):
        for name in _TEXTS:
            yield from _texts(value.get(name), depth + 1)


def _holds_empty_list(value: Any, depth: int) -> bool:
    """Whether a document is empty, or holds an empty list."""
    if isinstance(value, list):
        return not value
    if depth > _DEPTH or not isinstance(value, dict):
        return False
    return not value or any(_holds_empty_list(inner, depth + 1) for inner in value.values())
