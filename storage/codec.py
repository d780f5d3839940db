"""Facts as rows: deterministic JSON text of each fact's body, decoded strictly, and the digest over rows.

A row is `(seq, at_ms, stream, version, type, schema, body, source)`, in this order everywhere: in the tables (after the
run), in exports and under the digest. `body` is JSON with sorted dictionary keys and no spaces: equal facts are equal
text.
"""

from __future__ import annotations

import difflib
import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import get_type_hints

import msgspec

from groupsim.events.base import Event, Recorded
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.types import RunId
from groupsim.storage.errors import StoreError, UnknownFact
from groupsim.storage.upcasts import upcast_body

Row = tuple[int, int, str, int, str, int, str, str | None]
COLUMNS = ("seq", "at_ms", "stream", "version", "type", "schema", "body", "source")

_ENCODER = msgspec.json.Encoder(order="deterministic")
_DECODERS = {tag: msgspec.json.Decoder(kind) for tag, kind in CATALOGUE.items()}
_TAGS: dict[type[Event], tuple[str, int]] = {kind: (tag, kind.schema) for tag, kind in CATALOGUE.items()}
# JSON has no NaN and no infinity: msgspec writes null for them, which could not be read again.
_FLOATS = {
    _TAGS[kind]: [field for field, hint in get_type_hints(kind).items() if hint is float] for kind in CATALOGUE.values()
}
_WITH_FLOATS = frozenset(tag for tag, fields in _FLOATS.items() if fields)


def encode_all(events: Sequence[Event]) -> Iterator[tuple[tuple[str, int], str]]:
    """`((type, schema), body)` of each. One call per batch, because a call per fact costs as much as SQLite.

    Raises UnknownFact for a type outside the catalogue, StoreError for what JSON can't hold (NaN, lone surrogates).
    """
    try:
        tags = [_TAGS[type(event)] for event in events]
    except KeyError:
        odd = next(event for event in events if type(event) not in _TAGS)
        raise UnknownFact(f"{type(odd).__name__} is not in events.catalogue, so it can't be stored") from None
    if not _WITH_FLOATS.isdisjoint(tags):
        _check_floats(events)
    try:
        # Line feeds inside strings are escaped by JSON, so each line is one body.
        bodies = _ENCODER.encode_lines(events).decode().split("\n")
    except (UnicodeError, TypeError, OverflowError) as error:
        raise StoreError(f"a fact can't be written as JSON: {error}") from None
    return zip(tags, bodies, strict=False)  # `bodies` has one more, empty text after the last line feed


def _check_floats(events: Sequence[Event]) -> None:
    for event in events:
        for field in _FLOATS[_TAGS[type(event)]]:
            value = getattr(event, field)
            if not math.isfinite(value):
                raise StoreError(f"{type(event).__name__}.{field} is {value}, which can't be written as JSON")


def encode(event: Event) -> tuple[str, int, str]:
    """`(type, schema, body)` of one fact. Errors as for `encode_all`."""
    ((tag, schema), body) = next(encode_all((event,)))
    return tag, schema, body


def decode(kind: str, schema: int, body: str | bytes, place: str = "") -> Event:
    """The fact in `body`, upcast to the current schema if it is older.

    Raises UnknownFact, naming the type and `place`, for an unknown type, a newer schema or a body that does not fit.
    """
    known = CATALOGUE.get(kind)
    if known is None:
        raise UnknownFact(f"unknown fact type {kind!r}{_at(place)}; this version of groupsim can't read it")
    try:
        if schema == known.schema:
            event: Event = _DECODERS[kind].decode(body)
            return event
        if schema > known.schema:
            raise UnknownFact(
                f"{kind}{_at(place)} has schema {schema}, newer than {known.schema}, the newest this version reads"
            )
        return msgspec.convert(upcast_body(kind, schema, known.schema, msgspec.json.decode(body)), known)
    except (msgspec.MsgspecError, UnicodeError, LookupError, TypeError, RecursionError) as error:
        raise UnknownFact(f"{kind}{_at(place)} can't be read: {error}") from None


def _at(place: str) -> str:
    return f" at {place}" if place else ""


def recorded(run: RunId, row: Row) -> Recorded:
    """The fact of this row in its envelope. Raises UnknownFact naming run and seq."""
    seq, at_ms, stream, version, kind, schema, body, source = row
    try:
        event = decode(kind, schema, body)
    except UnknownFact:
        event = decode(kind, schema, body, f"run {run}, seq {seq}")  # again, to name the place in the sentence
    return Recorded(run, seq, at_ms, stream, version, event, source)


def check_types(types: Collection[str]) -> tuple[str, ...]:
    """`types`, sorted. Raises UnknownFact, with near names, if one of them is no fact type."""
    for name in sorted(types):
        if name not in CATALOGUE:
            near = difflib.get_close_matches(name, CATALOGUE, n=3, cutoff=0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise UnknownFact(f"there is no fact type {name!r}{hint}")
    return tuple(sorted(set(types)))


class Digest:
    """SHA-256 over rows, fed in order of seq and in pieces of any size.

    The bytes are JSON Lines: each row is a JSON array of its eight columns, `body` as a JSON string. The run's id is
    not in them, so equal runs have equal digests; every stored column is, so a flipped byte, a missing row or a
    swapped order shows.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, rows: Sequence[Row]) -> None:
        """Take these rows in."""
        self._hash.update(_ENCODER.encode_lines(rows))

    def copy(self) -> Digest:
        """Another one that has taken in the same rows."""
        other = Digest()
        other._hash = self._hash.copy()
        return other

    def hex(self) -> str:
        """The digest of all rows so far, as 64 hexadecimal digits."""
        return self._hash.hexdigest()


def digest_of(rows: Iterable[Row]) -> str:
    """The digest of a whole run's rows, a piece at a time."""
    digest, piece = Digest(), list[Row]()
    for row in rows:
        piece.append(row)
        if len(piece) == 1000:
            digest.add(piece)
            piece.clear()
    digest.add(piece)
    return digest.hex()
