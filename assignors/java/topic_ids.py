"""Topic ids as Kafka's assignors see them: their hash codes and how they compare (Kafka: Uuid)."""

from __future__ import annotations

import base64
import binascii

from groupsim.assignors.java.hash_order import MASK

WORD = (1 << 64) - 1
SIGN = 1 << 63
BYTES = 16
BASE64_LENGTH = 22


def bits(text: str) -> int:
    """The 128 bits of a topic id, written as Kafka writes it (22 characters, base64) or as a UUID in hexadecimal.

    Raises ValueError for anything else. Kafka: Uuid.fromString.
    """
    try:
        if len(text) == BASE64_LENGTH:
            raw = base64.urlsafe_b64decode(text + "==")
        else:
            raw = bytes.fromhex(text.replace("-", ""))
    except (ValueError, binascii.Error):
        raw = b""
    if len(raw) != BYTES:
        raise ValueError(f"{text!r} is no topic id: 22 characters of base64 or 32 of hexadecimal are wanted")
    return int.from_bytes(raw, "big")


def hash_code(value: int) -> int:
    """`Uuid.hashCode` as an unsigned number."""
    both = (value >> 64) ^ (value & WORD)
    return (both >> 32) ^ (both & MASK)


def sort_key(value: int) -> int:
    """A number that sorts as `Uuid.compareTo` does: both halves are signed there."""
    return value ^ (SIGN << 64) ^ SIGN
