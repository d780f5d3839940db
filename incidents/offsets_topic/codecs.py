"""What record batches are compressed with, unpacked up to a limit: a small batch can claim to hold gigabytes.

Source: org.apache.kafka.common.compress. pyarrow brings all four codecs; kafka-python's own unpack without a limit.
"""

from __future__ import annotations

import pyarrow

MOST = 64 << 20
"""The most that a batch may unpack to, bytes; Kafka's default for a batch is 1 MB."""
CODECS = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
"""By the number in a batch's attributes."""
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEAD = 16


def unpacked(codec: int, data: bytes) -> bytes:
    """The bytes that were compressed. Raises ValueError for damage, an unknown codec and more than MOST bytes."""
    if codec not in CODECS:
        raise ValueError(f"compressed with an unknown codec, {codec}")
    try:
        return _snappy(data) if CODECS[codec] == "snappy" else _stream(CODECS[codec], data)
    except (OSError, pyarrow.ArrowException, MemoryError) as error:
        raise ValueError(f"not what was compressed with {CODECS[codec]}: {error}") from None


def _stream(name: str, data: bytes) -> bytes:
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), name) as stream:
        found: bytes = stream.read(MOST + 1)
    if len(found) > MOST:
        raise ValueError(f"more than {MOST >> 20} MB in one batch")
    return found


def _snappy(data: bytes) -> bytes:
    """One block, or the blocks of snappy-java: a head of 16 bytes, then each block behind its length."""
    if not data.startswith(_XERIAL):
        return _block(data, MOST)
    pieces, at, room = [], _XERIAL_HEAD, MOST
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        piece = _block(data[at + 4 : at + 4 + size], room)
        pieces.append(piece)
        at, room = at + 4 + size, room - len(piece)
    return b"".join(pieces)


def _block(data: bytes, room: int) -> bytes:
    """A raw block; how much it holds stands in front of it, as a varint."""
    size = shift = 0
    for byte in data[:5]:
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    if size > room:
        raise ValueError(f"more than {MOST >> 20} MB in one batch")
    found: bytes = pyarrow.decompress(data, decompressed_size=size, codec="snappy", asbytes=True)
    return found
