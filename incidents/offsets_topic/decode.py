"""Bytes of keys and values into their fields, by the schemas.

Source: Kafka's generated message classes and `kafka.tools.DumpLogSegments`, whose JSON has the same fields: bytes are
base64 texts, ids as Kafka's `Uuid` prints them.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from groupsim.incidents.offsets_topic.field_readers import LONGEST, Reader, structure
from groupsim.incidents.offsets_topic.schemas import ASSIGNMENT, KEYS, SUBSCRIPTION, VALUES, Schema

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
