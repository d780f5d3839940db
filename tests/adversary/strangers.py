"""Records that no reader can use, between those of a group: of later types and versions, cut off, without a key."""

from __future__ import annotations

import json
import struct
from random import Random
from typing import NamedTuple

from tests.adversary import kafka_bytes
from tests.adversary.kafka_fields import Out

_TYPES = (9, 10, 12, 17, 23, 24, 99, 32_767)
_GROUPS = ("billing", "another")


class Stranger(NamedTuple):
    """One record: its bytes, the text in a dump behind the offset and the time, and what the console consumer prints.

    `named`: the dump says that it does not know the type; else its line can't be read. `console` None: not printed.
    """

    key: bytes | None
    value: bytes
    dump: str
    named: bool
    console: str | None


def stranger(rng: Random, offset: int) -> Stranger:
    """One of any kind."""
    return rng.choice((_of_later_type, _of_later_version, _cut, _without_key))(rng, offset)


def _of_later_type(rng: Random, offset: int) -> Stranger:
    kind, out = rng.choice(_TYPES), Out(False)
    out.number("h", kind)
    out.text(rng.choice(_GROUPS))
    printed = json.dumps({"key": {"type": str(kind), "data": "unknown"}, "value": None}, separators=(",", ":"))
    dump = f" key: Unknown record type {kind} at offset {offset}, skipping."
    return Stranger(bytes(out.data), rng.randbytes(rng.randrange(40)), dump, True, printed)


def _of_later_version(rng: Random, offset: int) -> Stranger:
    key, _ = _known(rng)
    value = struct.pack(">h", rng.choice((5, 9, 300))) + rng.randbytes(rng.randrange(60))
    said = {"key": {"type": "1", "data": key}, "value": {"version": "9", "data": "unknown"}}
    dump = f' key: {json.dumps({"type": "1", "data": key})} payload: {{"version":"9","data":"unknown"}}'
    return Stranger(kafka_bytes.key(1, key), value, dump, False, json.dumps(said, separators=(",", ":")))


def _cut(rng: Random, offset: int) -> Stranger:
    """The value ends too early, or where the record is text, its line."""
    key, value = _known(rng)
    raw = kafka_bytes.value(1, 3, value)
    payload = json.dumps({"version": "3", "data": value})
    dump = f" key: {json.dumps({'type': '1', 'data': key})} payload: {payload[: rng.randrange(12, len(payload))]}"
    printed = json.dumps({"key": {"type": "1", "data": key}, "value": {"version": "3", "data": value}})
    console = printed[: rng.randrange(len('{"key": {"type": "1"'), len(printed))]
    return Stranger(kafka_bytes.key(1, key), raw[: rng.randrange(len(raw))], dump, False, console)


def _without_key(rng: Random, offset: int) -> Stranger:
    return Stranger(None, rng.randbytes(20), f" payload: {rng.randrange(100)}", False, None)


def _known(rng: Random) -> tuple[dict[str, object], dict[str, object]]:
    key = {"group": rng.choice(_GROUPS), "topic": "orders", "partition": rng.randrange(4)}
    return key, {"offset": rng.randrange(100), "leaderEpoch": 1, "metadata": "m", "commitTimestamp": 1_709_287_200_000}
