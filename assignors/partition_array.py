"""Partitions as numbers: topic rank and partition number in one int64, and lists of them that make tuples on demand.

A million partitions are an array of 8 MB here; as TopicPartition tuples they would be 100 MB and half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import overload

import numpy as np
import numpy.typing as npt

from groupsim.events.types import TopicPartition

Codes = npt.NDArray[np.int64]

TOPIC_SHIFT = 32
NUMBER = (1 << TOPIC_SHIFT) - 1

_PAIR = partial(tuple.__new__, TopicPartition)
"""TopicPartition from a pair, several times as fast as by its own constructor."""


def flatten(lists: Sequence[Codes]) -> tuple[Codes, Codes]:
    """For every code the position of the list it stands in, and all codes, list after list."""
    owners = np.repeat(np.arange(len(lists), dtype=np.int64), [len(codes) for codes in lists])
    return owners, np.concatenate([np.empty(0, np.int64), *lists])


def code_of(rank: int, partition: int) -> int:
    """The number of a partition: sorts by topic rank, then by partition number."""
    return rank << TOPIC_SHIFT | partition


class PartitionArray(Sequence[TopicPartition]):
    """One member's partitions, in order. `codes` index `names` (the sorted topics of the problem); equal to a tuple."""

    __slots__ = ("codes", "names")

    def __init__(self, names: tuple[str, ...], codes: Codes) -> None:
        self.names = names
        self.codes = codes

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> TopicPartition: ...
    @overload
    def __getitem__(self, index: slice) -> PartitionArray: ...
    def __getitem__(self, index: int | slice) -> TopicPartition | PartitionArray:
        if isinstance(index, slice):
            return PartitionArray(self.names, self.codes[index])
        code = int(self.codes[index])
        return TopicPartition(self.names[code >> TOPIC_SHIFT], code & NUMBER)

    def __iter__(self) -> Iterator[TopicPartition]:
        topics = map(self.names.__getitem__, (self.codes >> TOPIC_SHIFT).tolist())
        return map(_PAIR, zip(topics, (self.codes & NUMBER).tolist(), strict=True))

    def made(self, make: Callable[[str, int], TopicPartition]) -> Iterator[TopicPartition]:
        """The partitions, each made of topic and number by this function."""
        topics = map(self.names.__getitem__, (self.codes >> TOPIC_SHIFT).tolist())
        return map(make, topics, (self.codes & NUMBER).tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PartitionArray) and other.names == self.names:
            return bool(np.array_equal(self.codes, other.codes))
        if isinstance(other, PartitionArray | tuple | list):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"PartitionArray({', '.join(map(str, self))})"
