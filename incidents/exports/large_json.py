"""The records of JSON documents of any size: a value that is small is decoded whole, a large one is entered.

Memory is bounded by the largest record, not by the document. `json` decodes the values; only the way to them is here,
because what stands above a list of records (a stream's labels, column names) belongs to each of them.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Protocol

from groupsim.incidents.exports.walk import Record, column_names, flat, holds_records, plain, walk

_BLOCK = 1 << 20
WHOLE = 4 << 20
"""Characters: a value up to this size is decoded at once."""
_DEPTH = 60
_SPACE = re.compile(r"[\s,\ufeff]*")
_DECODER = json.JSONDecoder(strict=False)


class Readable(Protocol):
    """What bytes can be read from, about so many at a time; none at the end."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        ...


class Damaged(ValueError):
    """The document breaks off, or is no JSON, at this place."""


class _Buffer:
    """The part of a document that is looked at: `text` from `at` on."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self.text = ""
        self.at = 0
        self.ended = False
        self._passed = 0

    @property
    def line(self) -> int:
        """The number of the line that is looked at, from 1."""
        return self._passed + self.text.count("\n", 0, self.at) + 1

    def fill(self) -> bool:
        """Read a block more; False at the end of the document."""
        block = self._stream.read(_BLOCK)
        self.ended = not block
        self._passed += self.text.count("\n", 0, self.at)
        self.text = self.text[self.at :] + self._decode.decode(block, final=not block)
        self.at = 0
        return not self.ended

    def peek(self) -> str:
        """The next character that is neither white space nor a comma; empty at the end."""
        while True:
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found is not None else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended or not self.fill():
                return ""

    def whole(self) -> tuple[Any] | None:
        """The value that begins here, if it is no larger than WHOLE; None if it is, or if it is damaged."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except RecursionError:
                return None
            except ValueError:
                if self.ended or len(self.text) - self.at > WHOLE or not self.fill():
                    return None
                continue
            if end == len(self.text) and not self.ended and not isinstance(value, dict | list | str):
                self.fill()  # a number may go on in the next block
                continue
            self.at = end
            return (value,)


def records(stream: Readable) -> Iterator[tuple[int, bool, Record]]:
    """The records of all documents in a stream, one after another. Raises Damaged where one breaks off.

    Each with the line at which its document begins, from 1, and whether it may be the only record of that document.
    """
    buffer = _Buffer(stream)
    while buffer.peek():
        line, only = buffer.line, False
        found = buffer.whole()
        every = _value(buffer, {}, [], 0) if found is None else _items(found[0], {}, [])
        first = next(every, None)
        if first is None:
            continue
        second = next(every, None)
        only = second is None
        yield line, only, first
        for record in () if second is None else chain([second], every):
            yield line, False, record


def _value(buffer: _Buffer, above: Record, names: list[str], depth: int) -> Iterator[Record]:
    found = buffer.whole()
    if found is not None:
        yield from _items(found[0], above, names)
    elif depth > _DEPTH or buffer.text[buffer.at : buffer.at + 1] not in ("{", "["):
        raise Damaged
    elif buffer.text[buffer.at] == "[":
        yield from _list(buffer, above, names, depth)
    else:
        yield from _object(buffer, above, depth)


def _items(value: Any, above: Record, names: list[str]) -> Iterator[Record]:
    """The records in a value that was decoded whole; `names` are columns that it may be a row of."""
    if names and isinstance(value, list) and len(value) == len(names):
        yield {**above, **flat(dict(zip(names, value, strict=True)))}
    elif isinstance(value, dict | list):
        yield from walk(plain(value), above)


def _list(buffer: _Buffer, above: Record, names: list[str], depth: int) -> Iterator[Record]:
    buffer.at += 1
    while (mark := buffer.peek()) != "]":
        if not mark:
            raise Damaged
        found = buffer.whole()
        if found is None:
            yield from _value(buffer, above, names, depth + 1)
        elif names and isinstance(found[0], list) and len(found[0]) == len(names):
            yield from _items(found[0], above, names)
        else:
            yield from walk([plain(found[0])], above)
    buffer.at += 1


def _object(buffer: _Buffer, above: Record, depth: int) -> Iterator[Record]:
    buffer.at += 1
    labels, names = dict(above), list[str]()
    while (mark := buffer.peek()) != "}":
        key = buffer.whole() if mark == '"' else None
        if key is None or buffer.peek() != ":":
            raise Damaged
        buffer.at += 1
        if not buffer.peek():
            raise Damaged
        found = buffer.whole()
        if found is None:
            yield from _value(buffer, labels, names, depth + 1)
            continue
        value = plain(found[0])
        names = column_names({"": value}) or names
        if holds_records(value) and column_names({"": value}) is None:
            yield from walk(value, labels)
        else:
            labels.update(flat({str(key[0]): value}))
    buffer.at += 1
