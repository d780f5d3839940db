"""The order in which Java iterates over a HashMap: part of what Kafka's assignors answer.

`String.hashCode` and `java.util.HashMap` are deterministic, so their order is computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from groupsim.assignors.java.hash_map import literal_order

Ints = npt.NDArray[np.int64]

MASK = 0xFFFFFFFF
CAPACITY = 16
"""Default table size of a HashMap; it doubles when more than three quarters of it are filled."""
LONGEST_BIN = 8
"""A ninth key in one bin makes Java resize the table or turn the bin into a tree."""
FEW = 48
"""Below so many strings a plain loop is faster than arrays."""


def string_hash(text: str) -> int:
    """`String.hashCode` as an unsigned 32-bit number: over UTF-16 units, h = 31 h + unit."""
    h = 0
    if text.isascii():
        for byte in text.encode():
            h = (31 * h + byte) & MASK
        return h
    units = text.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(units), 2):
        h = (31 * h + (units[i] << 8) + units[i + 1]) & MASK
    return h


def string_hashes(texts: Sequence[str]) -> list[int]:
    """`string_hash` of each text; texts of one length are hashed together when there are many."""
    if len(texts) < FEW:
        return [string_hash(text) for text in texts]
    lengths = list(map(len, texts))
    by_length: dict[int, list[int]] = {}
    if min(lengths) == max(lengths):
        by_length[lengths[0]] = list(range(len(texts)))
    else:
        for i, length in enumerate(lengths):
            by_length.setdefault(length, []).append(i)
    result = [0] * len(texts)
    for length, where in by_length.items():
        joined = "".join([texts[i] for i in where])
        if not length or not joined.isascii():
            hashes = [string_hash(texts[i]) for i in where]
        else:
            powers = np.array([pow(31, length - 1 - k, 1 << 32) for k in range(length)], np.uint32)
            hashes = (np.frombuffer(joined.encode(), np.uint8).reshape(-1, length) @ powers).tolist()
        if len(where) == len(texts):
            return hashes
        for i, h in zip(where, hashes, strict=True):
            result[i] = h
    return result


def java_sorted(texts: Iterable[str]) -> list[str]:
    """Sorted as `String.compareTo` sorts: by UTF-16 unit (code points differ beyond the basic plane only)."""
    items = list(texts)
    if all(map(str.isascii, items)):
        return sorted(items)
    return sorted(items, key=lambda text: text.encode("utf-16-be", "surrogatepass"))


def partition_hash(topic_hash: int, partition: int) -> int:
    """`TopicPartition.hashCode` as an unsigned number, from the topic's `string_hash`."""
    return (31 * (31 + partition) + topic_hash) & MASK


def hash_order(hashes: Sequence[int], capacity: int = CAPACITY) -> list[int]:
    """Positions of keys, given their unsigned hash codes in order of insertion, as a HashMap iterates over them.

    Keys must be distinct. Where a bin grows beyond eight keys the caller needs `string_order`, which knows the
    keys; here such keys keep the order of insertion.
    """
    order = _short_bins(hashes, capacity)
    return _by_bin(hashes, _grown(len(hashes), capacity)) if order is None else order


def string_order(texts: Sequence[str]) -> list[int]:
    """Positions of distinct strings, in order of insertion, as a HashMap (or HashSet) of them iterates."""
    hashes = string_hashes(texts)
    order = _short_bins(hashes, CAPACITY)
    return literal_order(texts, hashes) if order is None else order


def string_set(texts: Iterable[str]) -> list[str]:
    """The distinct texts in the order of a `HashSet` filled in the given order."""
    distinct = list(dict.fromkeys(texts))
    return [distinct[i] for i in string_order(distinct)]


def computed_order(hashes: Sequence[int], growing: bool, capacity: int = CAPACITY) -> list[int]:
    """Positions of distinct keys (their hash codes) put by `HashMap.computeIfAbsent`; it differs from `put` twice.

    A new key goes to the front of its bin, and the table grows at the start of the next call only: `growing` says
    that the very last call brought the last key. `capacity`: the size of the table before the first key.
    (Trees of more than eight keys in a bin are ignored.)
    """
    capacity = _grown(len(hashes) - growing, capacity)
    bins = [(h ^ (h >> 16)) & (capacity - 1) for h in hashes]
    return sorted(range(len(bins) - 1, -1, -1), key=bins.__getitem__)


def table_size(wanted: int) -> int:
    """The table of `new HashMap<>(wanted)`: the next power of two."""
    return 1 << max(wanted - 1, 0).bit_length()


def _grown(size: int, capacity: int) -> int:
    while size > 0.75 * capacity:
        capacity *= 2
    return capacity


def _short_bins(hashes: Sequence[int], capacity: int) -> list[int] | None:
    """The order if no bin ever held more than eight keys while the table grew, else None."""
    size = len(hashes)
    if size <= LONGEST_BIN:
        return _by_bin(hashes, _grown(size, capacity))
    spread = np.array(hashes, np.int64)
    spread ^= spread >> 16
    while True:
        filled = min(size, int(0.75 * capacity) + 1)
        bins = spread[:filled] & (capacity - 1)
        if filled > LONGEST_BIN and int(np.bincount(bins).max()) > LONGEST_BIN:
            return None
        if filled == size and size <= 0.75 * capacity:
            order: list[int] = np.argsort(bins, kind="stable").tolist()
            return order
        capacity *= 2


def _by_bin(hashes: Sequence[int], capacity: int) -> list[int]:
    bins = [(h ^ (h >> 16)) & (capacity - 1) for h in hashes]
    return sorted(range(len(bins)), key=bins.__getitem__)
