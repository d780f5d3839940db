"""Bytes of keys and values into their fields, by the schemas; what bytes claim is checked before it is believed.

Source: Kafka's generated message classes and `kafka.tools.DumpLogSegments`, whose JSON has the same fields: bytes are
base64 texts, ids as Kafka's `Uuid` prints them.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from groupsim.incidents.offsets_topic.schemas import ASSIGNMENT, KEYS, SUBSCRIPTION, VALUES, Field, Schema

MOST_STRUCTURES = 100_000
"""The most members or topics in one array; a crafted record could claim more than memory holds."""
LONGEST = 16 << 20
"""The longest value that is decoded, bytes."""
Reader = Callable[[bytes, int], tuple[Any, int]]
"""Reads one field at a place: gives it, and the place after it. Raises ValueError, IndexError or struct.error."""
Tagged = Mapping[int | None, tuple[str, Reader]]
"""Names and readers of fields by their tags."""


@cache
def structure(fields: tuple[Field, ...], version: int, flexible: bool) -> Reader:
    """A reader of a structure in one version."""
    present = [field for field in fields if field.since <= version <= field.until]
    steps = _steps([field for field in present if field.tag is None], version, flexible)
    tagged: Tagged = {
        field.tag: (field.name, _field(field, version, flexible)) for field in present if field.tag is not None
    }
    absent = {field.name: None for field in present if field.tag is not None and field.nullable}

    def read(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        for names, step in steps:
            if isinstance(names, str):
                found[names], at = step(data, at)
            else:
                numbers, at = step(data, at)
                found.update(zip(names, numbers, strict=False))
        if not flexible:
            return found, at
        if absent:
            found.update(absent)
        tags = data[at]
        at += 1
        if tags:
            if tags >= 0x80:
                raise ValueError("more tags than any version has")
            at = _tags(tags, data, at, tagged, found)
        return found, at

    return read


def _steps(fields: Sequence[Field], version: int, flexible: bool) -> list[tuple[str | tuple[str, ...], Reader]]:
    """Readers of the fields in their order, of numbers that stand together only one."""
    steps: list[tuple[str | tuple[str, ...], Reader]] = []
    for simple, together in groupby(fields, key=lambda field: field.kind in _FORMS):
        run = list(together)
        if simple and len(run) > 1:
            steps.append((tuple(field.name for field in run), _numbers(run)))
        else:
            steps += [(field.name, _field(field, version, flexible)) for field in run]
    return steps


def _tags(count: int, data: bytes, at: int, tagged: Tagged, found: dict[str, Any]) -> int:
    """Adds the tagged fields that are known; the place after all of them."""
    for _ in range(count):
        tag, at = _varint(data, at)
        size, at = _varint(data, at)
        if at + size > len(data):
            raise ValueError("a tag beyond the end")
        if tag in tagged:
            name, reader = tagged[tag]
            found[name], _ = reader(data, at)
        at += size
    return at


def _field(field: Field, version: int, flexible: bool) -> Reader:
    """A reader of one field."""
    if not isinstance(field.kind, str):
        inner = structure(field.kind, version, flexible)
        return _array(inner, flexible, MOST_STRUCTURES) if field.many else _optional(inner)
    if field.kind == "[]int32":
        return _integers(flexible, field.nullable)
    if field.kind == "[]string":
        return _array(_string(flexible, False), flexible, LONGEST)
    if field.kind == "string":
        return _string(flexible, field.nullable)
    if field.kind == "raw":
        return _slice(_INT, flexible, field.nullable)
    return _bytes(flexible, field.nullable) if field.kind == "bytes" else _FIXED[field.kind]


def _number(form: str) -> Reader:
    unpack, size = struct.Struct(form).unpack_from, struct.calcsize(form)

    def read(data: bytes, at: int) -> tuple[int, int]:
        return unpack(data, at)[0], at + size

    return read


def _numbers(fields: Sequence[Field]) -> Reader:
    form = ">" + "".join(_FORMS[str(field.kind)] for field in fields)
    unpack, size = struct.Struct(form).unpack_from, struct.calcsize(form)

    def read(data: bytes, at: int) -> tuple[tuple[int, ...], int]:
        return unpack(data, at), at + size

    return read


@lru_cache(4_096)
def _id(raw: bytes) -> str:
    """As `org.apache.kafka.common.Uuid.toString` writes it: base64 without padding."""
    return base64.urlsafe_b64encode(raw)[:22].decode()


def _uuid(data: bytes, at: int) -> tuple[str, int]:
    if at + 16 > len(data):
        raise ValueError("an id beyond the end")
    return _id(data[at : at + 16]), at + 16


_FORMS = {"int8": "b", "int32": "i", "int64": "q"}
_FIXED: dict[str, Reader] = {"uuid": _uuid, **{kind: _number(f">{form}") for kind, form in _FORMS.items()}}
_SHORT, _INT = _number(">h"), _number(">i")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned varint of up to five bytes."""
    if (value := data[at]) < 0x80:
        return value, at + 1
    value = shift = 0
    for at in range(at, at + 5):  # noqa: B020
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
        shift += 7
    raise ValueError("a varint of more than five bytes")


def _string(flexible: bool, nullable: bool) -> Reader:
    raw = _slice(_SHORT, flexible, nullable)

    def read(data: bytes, at: int) -> tuple[str | None, int]:
        found, at = raw(data, at)
        return None if found is None else found.decode("utf-8", "replace"), at

    return read


def _bytes(flexible: bool, nullable: bool) -> Reader:
    raw = _slice(_INT, flexible, nullable)

    def read(data: bytes, at: int) -> tuple[str | None, int]:
        found, at = raw(data, at)
        return None if found is None else base64.b64encode(found).decode(), at

    return read


def _slice(length: Reader, flexible: bool, nullable: bool) -> Reader:
    measure = _compact if flexible else length

    def read(data: bytes, at: int) -> tuple[bytes | None, int]:
        size, at = measure(data, at)
        end = at + size
        if size >= 0 and end <= len(data):
            return data[at:end], end
        if size == -1 and nullable:
            return None, at
        raise ValueError("a length beyond the end")

    return read


def _compact(data: bytes, at: int) -> tuple[int, int]:
    """A length that is one more than it means, so that 0 is null."""
    size = data[at]
    if size < 0x80:
        return size - 1, at + 1
    size, at = _varint(data, at)
    return size - 1, at


def _array(element: Reader, flexible: bool, most: int) -> Reader:
    measure = _compact if flexible else _INT

    def read(data: bytes, at: int) -> tuple[list[Any], int]:
        count, at = measure(data, at)
        if not 0 <= count <= min(most, len(data) - at):  # an element has a byte at least
            raise ValueError("an array beyond the end")
        elements = []
        for _ in range(count):
            value, at = element(data, at)
            elements.append(value)
        return elements, at

    return read


def _integers(flexible: bool, nullable: bool) -> Reader:
    measure = _compact if flexible else _INT

    def read(data: bytes, at: int) -> tuple[list[int] | None, int]:
        count, at = measure(data, at)
        if count == -1 and nullable:
            return None, at
        if not 0 <= count <= (len(data) - at) // 4:
            raise ValueError("an array beyond the end")
        return list(struct.unpack_from(f">{count}i", data, at)), at + 4 * count

    return read


def _optional(inner: Reader) -> Reader:
    """A tagged structure that may be null begins with 1 where there is one."""

    def read(data: bytes, at: int) -> tuple[Any, int]:
        present, at = _varint(data, at)
        return inner(data, at) if present else (None, at)

    return read


_CLASSIC_GROUP = 2
_CONSUMER = "consumer"
_KEPT = 4_096
"""The longest bytes of a member that are kept decoded."""


class Undecodable(ValueError):
    """Why a key or a value was not decoded: a name to count it by."""


def record_type(key: bytes) -> int:
    """The type of a record: the number in front of its key. Raises Undecodable."""
    if len(key) < 2:
        raise Undecodable("a key without a type")
    return int.from_bytes(key[:2], "big", signed=True)


def decode_key(key: bytes) -> Mapping[str, object]:
    """The fields of a key of a known type. Raises Undecodable."""
    kind = record_type(key)
    return _decoded(_KEYS[kind], key, f"a damaged key of type {kind}")


def decode_value(kind: int, value: bytes) -> tuple[int, Mapping[str, object]]:
    """Version and fields of a value of a known type, the bytes of the consumer protocol in it opened.

    Raises Undecodable.
    """
    if len(value) < 2 or len(value) > LONGEST:
        raise Undecodable("a value of more than 16 MB" if len(value) > LONGEST else "a value without a version")
    version = value[0] << 8 | value[1]
    readers = _VALUES[kind]
    if version >= len(readers):
        signed = version - (version >> 15 << 16)
        raise Undecodable(f"version {signed} of the value of type {kind}")
    try:
        found: dict[str, Any] = readers[version](value, 2)[0]
    except (ValueError, IndexError, struct.error):
        raise Undecodable(f"a damaged value of type {kind}") from None
    if kind == _CLASSIC_GROUP:
        consumer = found["protocolType"] == _CONSUMER
        for member in found["members"]:
            member["subscription"] = _member_bytes(False, member["subscription"], consumer)
            member["assignment"] = _member_bytes(True, member["assignment"], consumer)
    return version, found


def opened(kind: int, value: dict[str, Any]) -> dict[str, Any]:
    """A value of a formatter's JSON with the bytes of the consumer protocol in it as fields."""
    members = value.get("members")
    if kind == _CLASSIC_GROUP and value.get("protocolType") == _CONSUMER and isinstance(members, list):
        for member in members:
            if not isinstance(member, dict):
                raise ValueError("a member that is none")
            for name, readers in (("subscription", _SUBSCRIPTIONS), ("assignment", _ASSIGNMENTS)):
                text = member.get(name)
                try:
                    member[name] = _opened(readers, base64.b64decode(text)) if isinstance(text, str) else text
                except ValueError:
                    member[name] = text
    return value


def _member_bytes(assignment: bool, raw: bytes, consumer: bool) -> object:
    """What a member's bytes say; base64 if they are not of a consumer group."""
    if not consumer:
        return base64.b64encode(raw).decode()
    if len(raw) <= _KEPT:
        return _opened_once(assignment, raw)
    return _opened(_ASSIGNMENTS if assignment else _SUBSCRIPTIONS, raw)


@lru_cache(2_048)
def _opened_once(assignment: bool, raw: bytes) -> object:
    """The same subscription comes with every member and every generation."""
    return _opened(_ASSIGNMENTS if assignment else _SUBSCRIPTIONS, raw)


def _opened(readers: Sequence[Reader], raw: bytes) -> object:
    """What the bytes say; base64 where they can't be read. Newer versions only append fields.

    Source: ConsumerProtocol.deserializeSubscription and deserializeAssignment.
    """
    version = int.from_bytes(raw[:2], "big", signed=True)
    if len(raw) >= 2 and version >= 0:
        try:
            return _decoded(readers[min(version, len(readers) - 1)], raw, "")
        except Undecodable:
            pass
    return base64.b64encode(raw).decode()


def _decoded(reader: Reader, data: bytes, name: str) -> dict[str, Any]:
    """The fields behind the two bytes of the version. Raises Undecodable with the name."""
    try:
        found: dict[str, Any] = reader(data, 2)[0]
    except (ValueError, IndexError, struct.error):
        raise Undecodable(name) from None
    return found


def _versions(schema: Schema) -> list[Reader]:
    return [structure(schema.fields, version, version >= schema.flexible) for version in range(schema.newest + 1)]


_KEYS = {kind: _versions(schema)[0] for kind, schema in KEYS.items()}
_VALUES = {kind: _versions(schema) for kind, schema in VALUES.items()}
_SUBSCRIPTIONS, _ASSIGNMENTS = _versions(SUBSCRIPTION), _versions(ASSIGNMENT)
