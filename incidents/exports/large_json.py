"""The records of JSON documents of any size: a value that is small is decoded whole, a large one is entered.

Memory is bounded by the largest record, not by the document. `json` decodes the values; only the way to them is here,
because what stands above a list of records (a stream's labels, column names) belongs to each of them.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, Protocol, cast

from groupsim.incidents.exports.find_records import (
    DOCUMENT,
    TEXTS,
    Record,
    column_names,
    flat,
    holds_records,
    is_record,
    plain,
    walk,
)
from groupsim.incidents.exports.relevant import ACTIVITY, HIDDEN, names_groups
from groupsim.incidents.logs.scanned_words import KEYWORDS, PARTITION, REVOKED

_BLOCK = 1 << 20
WHOLE = 4 << 20
"""Characters: a value up to this size is decoded at once."""
_DEPTH = 60
_WIDEST = 400
"""Labels above a list of records that are kept."""
_DIGITS = 400
_SPACE = re.compile(r"[\s,\ufeff]*")
_STRING = re.compile(r"[^\"\\]*(?:\\.[^\"\\]*)*", re.DOTALL)
_HIDDEN = [re.compile(each.decode()) for each in HIDDEN]
_WORDS = tuple(word.decode() for word in (*KEYWORDS, PARTITION, *REVOKED))
_LONGEST_WORD = max(map(len, _WORDS))


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < _DIGITS else float("inf")


_DECODE = json.JSONDecoder(strict=False, parse_int=_number).raw_decode
_UNESCAPED = re.compile(r"[\w .,:;=()\[\]'-]+", re.ASCII)
"""What stands in a JSON text as it is said."""
_NOTHING = object()
_STRAY = "}];"
"""What closes nothing: behind a document, or where the document's beginning is cut off."""


class Readable(Protocol):
    """What bytes can be read from, about so many at a time; none at the end."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        ...


class Damaged(ValueError):
    """The document breaks off, or is no JSON, at this place."""


class _Lines:
    """On which lines of a file the messages of a value's records stand: `text` is the value's, from `line` on."""

    def __init__(self, text: str, line: int) -> None:
        self._text, self._at, self._line = text, 0, line
        self.several = "\n" in text

    def of(self, record: Record) -> int:
        """The line of the next record's message."""
        texts = {name.rpartition(".")[2]: said for name, said in record.items() if isinstance(said, str)}
        message = next((texts[name] for name in TEXTS if name in texts), "")
        part = max(_UNESCAPED.findall(message or max(texts.values(), key=len, default="")), key=len, default="")
        at = self._text.find(part, self._at) if part else -1
        if at >= 0:
            self._line += self._text.count("\n", self._at, at)
            self._at = at
        return self._line


class Found:
    """A record that was found, flattened when it is asked for. `only`: its document, at `line`, may hold no other."""

    __slots__ = ("_above", "_hot", "_lines", "_value", "line", "only")

    def __init__(self, value: Any, above: Record | None, hot: bool, lines: _Lines) -> None:
        self._value, self._above, self._hot, self._lines = value, above, hot, lines
        self.line, self.only = 0, False

    def concerns_groups(self) -> bool:
        """Whether it may."""
        if not self._hot or self._above is not None:
            return self._hot
        return names_groups(self._value)

    def record(self) -> Record:
        """Its fields."""
        if self._above is None:
            return cast(Record, self._value)
        return next(walk(plain(self._value), self._above), {}) | {DOCUMENT: self._value}

    def number(self, record: Record, count: int) -> int:
        """The line of its document; of several records in one, that of its message, or its count if all is one line."""
        if self.only:
            return self.line
        return self._lines.of(record) if self._lines.several else count


class _Buffer:
    """The part of a document that is looked at: `text` from `at` on."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self.text = ""
        self.at = 0
        self.ended = False
        self.hot = False
        """Whether the value that was decoded last may concern groups."""
        self.lines = _Lines("", 1)
        """Those of the value that was decoded last."""
        self._line, self._counted = 1, 0
        self._hits: deque[int] = deque()

    def line(self) -> int:
        """The number of the line that is looked at, from 1."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def fill(self) -> bool:
        """Read a block more; False at the end of the document."""
        block = self._stream.read(_BLOCK)
        self.ended = not block
        self.line()
        self._counted = 0
        kept = self.text[self.at :]
        self._hits = deque(hit - self.at for hit in self._hits if hit >= self.at)
        self.text, self.at = kept + self._decode.decode(block, final=not block), 0
        self._search(len(kept))
        return not self.ended

    def _search(self, begin: int) -> None:
        """Find what may concern groups in the text from `begin` on, and in a word that began before."""
        start = max(0, begin - 2 * _LONGEST_WORD)
        found = [hidden.start() for pattern in _HIDDEN for hidden in pattern.finditer(self.text, start)]
        for word in _WORDS:
            at = self.text.find(word, max(0, begin - len(word) + 1))
            while at >= 0:
                found.append(at)
                at = self.text.find(word, at + len(word))
        self._hits.extend(sorted(found))

    def _is_hot(self, begin: int, end: int) -> bool:
        while self._hits and self._hits[0] < begin:
            self._hits.popleft()
        if not self._hits or self._hits[0] >= end:
            return False
        return any(pattern.search(self.text, begin, end) for pattern in (ACTIVITY, *_HIDDEN))

    def peek(self) -> str:
        """The next character that is neither white space nor a comma; empty at the end."""
        while True:
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found is not None else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended or not self.fill():
                return ""

    def whole(self) -> Any:
        """The value that begins here, if it is no larger than WHOLE; _NOTHING if it is, or if it is damaged."""
        while True:
            try:
                value, end = _DECODE(self.text, self.at)
            except RecursionError:
                return _NOTHING
            except ValueError:
                if self.ended or len(self.text) - self.at > WHOLE or not self.fill():
                    return _NOTHING
                continue
            if end == len(self.text) and not self.ended and not isinstance(value, dict | list | str):
                self.fill()  # a number may go on in the next block
                continue
            self.hot = self._is_hot(self.at, end)
            if isinstance(value, dict | list):
                self.lines = _Lines(self.text[self.at : end], self.line())
            self.at = end
            return value

    def pass_string(self) -> None:
        """Pass over a text that is too large to be decoded. Raises Damaged where it does not end."""
        self.at += 1
        while True:
            found = _STRING.match(self.text, self.at)
            self.at = found.end() if found is not None else self.at
            if self.text[self.at : self.at + 1] == '"':
                self.at += 1
                return
            if self.ended or not self.fill():
                raise Damaged


def records(stream: Readable) -> Iterator[Found]:
    """The records of all documents in a stream, one after another. Raises Damaged where one breaks off."""
    buffer = _Buffer(stream)
    while mark := buffer.peek():
        if mark in _STRAY:
            buffer.at += 1
            continue
        line = buffer.line()
        value = buffer.whole()
        every = _value(buffer, {}, [], 0) if value is _NOTHING else _items(value, {}, [], buffer)
        first = next(every, None)
        if first is None:
            continue
        second = next(every, None)
        first.line, first.only = line, second is None
        yield first
        yield from () if second is None else chain([second], every)


def _value(buffer: _Buffer, above: Record, names: list[str], depth: int) -> Iterator[Found]:
    """The records in a value that can't be decoded whole."""
    mark = buffer.text[buffer.at : buffer.at + 1]
    if mark == '"':
        buffer.pass_string()
    elif depth > _DEPTH or mark not in ("{", "["):
        raise Damaged
    elif mark == "[":
        yield from _list(buffer, above, names, depth)
    else:
        yield from _object(buffer, above, depth)


def _items(value: Any, above: Record, names: list[str], buffer: _Buffer) -> Iterator[Found]:
    """The records in a value that was decoded whole; `names` are columns that it may be a row of."""
    hot, lines = buffer.hot, buffer.lines
    if names and isinstance(value, list) and len(value) == len(names):
        yield Found({**above, **flat(dict(zip(names, value, strict=True)))}, None, hot, lines)
    elif isinstance(value, dict) and (is_record(value) or (len(value) > 1 and _is_single(value, 0))):
        yield Found(value, above, hot, lines)
    elif isinstance(value, dict | list):
        for record in walk(plain(value), above):
            yield Found(record, None, hot, lines)


def _is_single(value: dict[str, Any], depth: int) -> bool:
    """Whether a mapping is certainly one record: no list of mappings or lists, no two lists that may be columns."""
    lengths: list[int] = []
    for inner in value.values():
        if isinstance(inner, dict):
            if depth > _DEPTH // 2 or not _is_single(inner, depth + 1):
                return False
        elif isinstance(inner, list):
            for item in inner:
                if isinstance(item, dict | list):
                    return False
            if len(inner) > 1:
                lengths.append(len(inner))
    return len(lengths) == len(set(lengths))


def _list(buffer: _Buffer, above: Record, names: list[str], depth: int) -> Iterator[Found]:
    buffer.at += 1
    while (mark := buffer.peek()) != "]":
        if not mark:
            raise Damaged
        value = buffer.whole()
        if value is _NOTHING:
            yield from _value(buffer, above, names, depth + 1)
        elif isinstance(value, dict) or (names and isinstance(value, list) and len(value) == len(names)):
            yield from _items(value, above, names, buffer)
        else:
            for record in walk([plain(value)], above):
                yield Found(record, None, buffer.hot, buffer.lines)
    buffer.at += 1


def _object(buffer: _Buffer, above: Record, depth: int) -> Iterator[Found]:
    buffer.at += 1
    labels, names = dict(above), list[str]()
    while (mark := buffer.peek()) != "}":
        key = buffer.whole() if mark == '"' else _NOTHING
        if key is _NOTHING or buffer.peek() != ":":
            raise Damaged
        buffer.at += 1
        if not buffer.peek():
            raise Damaged
        value = buffer.whole()
        if value is _NOTHING:
            yield from _value(buffer, labels, names, depth + 1)
            continue
        value = plain(value)
        names = column_names({"": value}) or names
        if holds_records(value) and column_names({"": value}) is None:
            for record in walk(value, labels):
                yield Found(record, None, buffer.hot, buffer.lines)
        elif len(labels) < _WIDEST:
            labels.update(flat({str(key): value}))
    buffer.at += 1
