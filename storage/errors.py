"""The errors of a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groupsim.events.errors import GroupSimError

if TYPE_CHECKING:
    from groupsim.storage.store import RunInfo


class StoreError(GroupSimError):
    """Anything wrong with a store."""


class StoreUnusable(StoreError):
    """The database can't do what it is asked: the server is gone, the disk is full, nobody may write."""


class StreamConflict(StoreError):
    """Another writer has already written this version of the stream, or this run."""


class UnknownRun(StoreError):
    """No run, or more than one, matches this reference."""


class UnreadableRuns(StoreError):
    """What is stored about some runs can't be read; `readable` are the others, oldest first."""

    def __init__(self, sentence: str, readable: Sequence[RunInfo]) -> None:
        super().__init__(sentence)
        self.readable = readable


class UnknownFact(StoreError):
    """The store holds a fact that this version can't read."""


class NewerStore(StoreError):
    """The store was written by a newer version."""


class Diverged(StoreError):
    """A repeated run gives other facts than the stored ones."""
